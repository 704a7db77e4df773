import { globProblem } from '../config/glob.ts';
import { parseRevisionName } from '../revision/revision-name.ts';
import { shown } from './arguments.ts';
import { BULK_ACTIONS, selectorProblem, type BulkAction, type BulkRequest } from './bulk-request.ts';
import type { AnywhereCommand, Decision } from './command.ts';
import { refuse, type Refusal } from './refusal.ts';

export const bulk: AnywhereCommand = {
  name: 'bulk',
  usage:
    'bulk update|rollback|propose|approve|close --match=<glob or label=value> [--upstream=<name>] [--to=<revision>] [--dry-run]',
  summary: 'In an issue, plan one command for many packages or proposals; /portico confirm runs it.',
  examples: [
    {
      line: '/portico bulk update --match=apps/** --to=v3',
      does: 'plans an update of every package below apps',
    },
    {
      line: '/portico bulk approve --match=team=web',
      does: 'plans approvals of the proposals that change packages with that label',
    },
    { line: "/portico bulk close --match='*' --dry-run", does: 'only shows what would be closed' },
  ],
  accepts: {
    positional: 1,
    options: { match: 'value', upstream: 'value', to: 'value', 'dry-run': 'flag' },
  },
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'pull-or-issue',
  guard: 'open',
  decide({ place }, { positional: [word], options }): Decision {
    if (place.kind === 'pull') {
      return refuse('wrong-place', 'this is a pull request', 'Run bulk commands in an issue.');
    }
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

export const confirm: AnywhereCommand = {
  name: 'confirm',
  usage: 'confirm',
  summary: 'Run what you planned in this issue with /portico bulk.',
  examples: [{ line: '/portico confirm', does: 'runs your newest plan in this issue' }],
  accepts: {},
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'pull-or-issue',
  guard: 'open',
  decide({ place, caller }): Decision {
    if (place.kind === 'issue') return { kind: 'do', steps: [{ do: 'run-bulk', login: caller.login }] };
    return refuse('wrong-place', 'this is a pull request', 'Confirm in the issue where it was planned.');
  },
};

function requestOf(action: BulkAction, options: ReadonlyMap<string, string | true>): BulkRequest | Refusal {
  const text = (name: string): string | undefined => {
    const value = options.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  const [match, upstream, to] = [text('match'), text('upstream'), text('to')];
  if (match === undefined) {
    return refuse(
      'bad-argument',
      'the packages or proposals are missing',
      'Write --match= followed by a glob such as apps/* or a label=value.',
    );
  }
  const problem = match.includes('=') ? selectorProblem(match) : globProblem(match);
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
  return { action, match, ...(upstream !== undefined && { upstream }), ...(to !== undefined && { to }) };
}
