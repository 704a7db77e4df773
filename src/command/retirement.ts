/** In an issue: to approve or reject that a revision is retired. */
import { formatPackageAtRevision, parsePackageAtRevision } from '../revision/package-at-revision.ts';
import { transition } from '../revision/state.ts';
import { isSameAccount, type Account } from './account.ts';
import { shown } from './arguments.ts';
import { whoMay } from './authorize.ts';
import type { CommandState, Retirement } from './command-state.ts';
import type { Command, Decision } from './command.ts';
import { type Refusal, refuse } from './refusal.ts';

/** What `/portico approve` means in an issue. `name` is the revision, where there are several. */
export function approveRetirement(state: CommandState, name: string | undefined): Decision {
  const wanted = chosen(state, name, 'approve');
  if ('kind' in wanted) return wanted;
  const { caller, config } = state;
  const own = askers(wanted).some((asker) => isSameAccount(asker, caller));
  if (own && !config.publish.allowSelfApproval) {
    return refuse('self-approval', 'you requested it yourself', 'Someone else must approve it.');
  }
  if (wanted.gone !== undefined && !config.publish.allowSelfApproval) {
    return refuse(
      'asker-unknown',
      `it was requested by ${shown(wanted.gone)}, a login that no longer exists on the forge, so Portico cannot tell who requested it`,
      'Request it again in another issue.',
    );
  }
  const { gone: _gone, ...wish } = wanted;
  return { kind: 'do', steps: [{ do: 'retire', ...wish, approvedBy: caller.login }] };
}

/** What `/portico reject` means in an issue; everything stays as it was. */
export function rejectRetirement(state: CommandState, why: string): Decision {
  const wanted = chosen(state, undefined, 'reject');
  if ('kind' in wanted) return wanted;
  return {
    kind: 'do',
    steps: [{ do: 'reject-retirement', ...wanted, rejectedBy: state.caller.login, why }],
  };
}

/** What is asked for in an issue, and who decides; undefined where nothing is. */
export function explainRetirements({ retirements = [], config }: CommandState): string | undefined {
  if (retirements.length === 0) return undefined;
  const asked = retirements.map((wish) => {
    const name = shown(formatPackageAtRevision({ path: wish.package, revision: wish.revision }));
    const people = askers(wish).map(({ login }) => shown(login));
    const other = config.publish.allowSelfApproval ? '' : `, not ${people.join(' or ')}`;
    return [
      `- ⬜ Retirement of **${name}**, requested by ${people.join(' and ')}`,
      `  - ❌ no one has approved it. \`/portico approve\` deletes its tag and release, \`/portico reject <why>\` keeps them. Who can: ${whoMay(config, APPROVERS)}${other}.`,
    ].join('\n');
  });
  return ['**Proposed deletion** of published revisions', asked.join('\n')].join('\n\n');
}

/** Everybody whose wish it is. */
export function askers({ login, others = [], accounts }: Retirement): readonly Account[] {
  return accounts ?? [login, ...others].map((name) => ({ login: name }));
}

/** Who approves, unless the configuration says otherwise; approve.ts asks this file, and not the other way round. */
export const APPROVERS: Pick<Command, 'name' | 'minimumRole' | 'mayAlso'> = {
  name: 'approve',
  minimumRole: 'write',
  mayAlso: [],
};

function chosen(
  { retirements = [] }: CommandState,
  name: string | undefined,
  verb: 'approve' | 'reject',
): Retirement | Refusal {
  const meant = name === undefined ? undefined : parsePackageAtRevision(name);
  if (name !== undefined && meant === undefined) {
    return refuse('bad-argument', `${shown(name)} is not a revision`, 'Write it as package@v3.');
  }
  const found = retirements.filter(
    ({ package: path, revision }) =>
      meant === undefined || (meant.path === path && meant.revision === revision),
  );
  const [only, another] = found;
  if (only === undefined) {
    const none = transition('published', verb === 'approve' ? 'delete' : 'reject-deletion');
    if (none.allowed) throw new TypeError('a published revision cannot be deleted directly');
    return refuse(none.code, `in this issue ${none.message}`, none.hint);
  }
  if (another === undefined) return only;
  const names = found.map(({ package: path, revision }) =>
    shown(formatPackageAtRevision({ path, revision })),
  );
  return refuse('which-revision', `this issue requests several: ${names.join(', ')}`, 'Name one of them.');
}
