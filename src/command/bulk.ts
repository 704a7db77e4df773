import { globProblem } from '../config/glob.ts';
import type { Bump } from '../revision/numbering.ts';
import { parseRevisionName } from '../revision/revision-name.ts';
import { shown } from './arguments.ts';
import {
  BULK_ACTIONS,
  isByLabels,
  selectorProblem,
  type BulkAction,
  type BulkRequest,
  type FleetScope,
} from './bulk-request.ts';
import type { AnywhereCommand, Decision } from './command.ts';
import { readPackageAtRevision } from './package-name.ts';
import { refuse, type Refusal } from './refusal.ts';

export const bulk: AnywhereCommand = {
  name: 'bulk',
  usage:
    'bulk update|rollback|propose|approve|publish|close [--match=<glob or label=value>] [--revision=<package>@<revision> | --rollout=<rollout> [--wave=<wave>] | --variants] [--upstream=<name>] [--to=<revision>] [--bump=major|minor|patch] [--dry-run]',
  summary:
    'In an issue, plan one command for many packages or proposals, or approve or publish update pull requests in many repositories; /portico confirm runs it.',
  examples: [
    {
      line: '/portico bulk update --match=apps/** --to=v3',
      does: 'plans an update of every package below apps',
    },
    {
      line: '/portico bulk approve --match=team=web',
      does: 'plans approvals of the proposals that change packages with that label',
    },
    {
      line: '/portico bulk approve --revision=apps/shop@v8',
      does: 'in the upstream, plans approvals of the update pull requests that bring v8 to other repositories',
    },
    {
      line: '/portico bulk publish --rollout=apps --wave=canary',
      does: 'where the rollout stands, plans to publish the update pull requests of one wave',
    },
    {
      line: '/portico bulk approve --variants --match=acme/edge-*',
      does: 'plans approvals of the open updates of the variants that are documented in this repository, in those repositories',
    },
    { line: "/portico bulk close --match='*' --dry-run", does: 'only shows what would be closed' },
  ],
  accepts: {
    positional: 1,
    options: {
      match: 'value',
      revision: 'value',
      rollout: 'value',
      wave: 'value',
      variants: 'flag',
      upstream: 'value',
      to: 'value',
      bump: 'value',
      'dry-run': 'flag',
    },
  },
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'issue',
  guard: 'open',
  decide(_state, { positional: [word], options }): Decision {
    const action = BULK_ACTIONS.find((known) => known === word);
    if (action === undefined) {
      const message = word === undefined ? 'the action is missing' : `${shown(word)} is not a bulk action`;
      return refuse('bad-argument', message, `Use one of ${BULK_ACTIONS.join(', ')}.`);
    }
    const request = requestOf(action, options);
    if ('kind' in request) return request;
    return { kind: 'do', steps: [{ do: 'plan-bulk', request, dryRun: options.has('dry-run') }] };
  },
};

/** As many digits of a plan's digest as it is shown with, or more. */
const PLAN = /^[0-9a-f]{12,64}$/i;

export const confirm: AnywhereCommand = {
  name: 'confirm',
  usage: 'confirm [<digest of the plan>]',
  summary:
    'Run what you planned in this issue with /portico bulk. A plan about other repositories is named by its digest.',
  examples: [
    { line: '/portico confirm', does: 'runs your newest plan in this issue' },
    {
      line: '/portico confirm 3f2a91c0b7de',
      does: 'runs exactly the plan that shows this digest',
    },
  ],
  accepts: { positional: 1 },
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'issue',
  guard: 'open',
  decide({ caller }, { positional: [plan] }): Decision {
    if (plan !== undefined && !PLAN.test(plan)) {
      const message = `${shown(plan)} is not the digest of a plan`;
      return refuse('bad-argument', message, 'Copy the digest that the plan shows.');
    }
    const named = plan === undefined ? {} : { plan: plan.toLowerCase() };
    return { kind: 'do', steps: [{ do: 'run-bulk', login: caller.login, ...named }] };
  },
};

type Options = ReadonlyMap<string, string | true>;

function textOf(options: Options, name: string): string | undefined {
  const value = options.get(name);
  return typeof value === 'string' ? value : undefined;
}

function requestOf(action: BulkAction, options: Options): BulkRequest | Refusal {
  const [upstream, to] = [textOf(options, 'upstream'), textOf(options, 'to')];
  const fleet = fleetOf(action, options);
  if (fleet !== undefined && 'kind' in fleet) return fleet;
  const match = textOf(options, 'match') ?? (fleet === undefined ? undefined : '**');
  if (match === undefined) {
    return refuse(
      'bad-argument',
      'the packages or proposals are missing',
      'Write --match= followed by a glob such as apps/* or a label=value.',
    );
  }
  const problem = isByLabels({ match }) ? selectorProblem(match) : globProblem(match);
  if (problem !== undefined)
    return refuse('bad-argument', `${shown(match)} ${problem}`, 'Change the pattern.');
  if (upstream !== undefined && action !== 'update') {
    return refuse('bad-argument', `--upstream does not apply to ${action}`, 'Remove it.');
  }
  if (action === 'update' || action === 'rollback') {
    const revision = to === undefined || to === 'latest' ? undefined : parseRevisionName(to);
    if (to !== undefined && to !== 'latest' && revision === undefined) {
      return refuse('bad-argument', `${shown(to)} is not a revision`, 'Write --to=v3.');
    }
    if (action === 'rollback' && revision === undefined) {
      return refuse('bad-argument', 'the revision to restore is missing', 'Write --to=v3.');
    }
  } else if (to !== undefined) {
    return refuse('bad-argument', `--to does not apply to ${action}`, 'Remove it.');
  }
  const bump = bumpOf(action, textOf(options, 'bump'));
  if (typeof bump === 'object') return bump;
  return {
    action,
    match,
    ...(upstream !== undefined && { upstream }),
    ...(to !== undefined && { to }),
    ...(bump !== undefined && { bump }),
    ...(fleet !== undefined && { fleet }),
  };
}

function bumpOf(action: BulkAction, word: string | undefined): Bump | Refusal | undefined {
  if (word === undefined) return undefined;
  if (action !== 'publish') return refuse('bad-argument', `--bump does not apply to ${action}`, 'Remove it.');
  const bump = (['major', 'minor', 'patch'] as const).find((part) => part === word);
  return (
    bump ?? refuse('bad-argument', `${shown(word)} is no part of a version`, 'Use major, minor or patch.')
  );
}

/** Options that lead to other repositories: one of them at most. */
const SCOPES = ['revision', 'rollout', 'variants'] as const;
const NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

function fleetOf(action: BulkAction, options: Options): FleetScope | Refusal | undefined {
  const [scope, other] = SCOPES.filter((name) => options.has(name));
  const wave = textOf(options, 'wave');
  if (wave !== undefined && scope !== 'rollout') {
    return refuse('bad-argument', '--wave is about a rollout', 'Write --rollout=<name> as well.');
  }
  if (scope === undefined) return undefined;
  if (other !== undefined) {
    return refuse('bad-argument', `--${scope} and --${other} exclude each other`, 'Use one of them.');
  }
  if (action !== 'approve' && action !== 'publish') {
    const hint = 'In other repositories, bulk approves and publishes.';
    return refuse('bad-argument', `--${scope} does not apply to ${action}`, hint);
  }
  if (scope === 'variants') return { of: 'variants' };
  if (scope === 'revision') {
    const named = readPackageAtRevision(textOf(options, 'revision') ?? '');
    return 'kind' in named ? named : { of: 'revision', package: named.path, revision: named.revision };
  }
  const rollout = textOf(options, 'rollout') ?? '';
  const wrong = [rollout, ...(wave === undefined ? [] : [wave])].find((name) => !NAME.test(name));
  if (wrong !== undefined) {
    const hint = 'Write the metadata.name of the rollout, and a name of one of its waves.';
    return refuse('bad-argument', `${shown(wrong)} is not a name`, hint);
  }
  return { of: 'rollout', rollout, ...(wave !== undefined && { wave }) };
}
