/** What a pull request needs for its next states, as a list that a person can work through. */
import { NOT_COUNTED_BECAUSE } from './approval-count.ts';
import { approvalRemedy, countSentence, isEnough, ownerRemedy } from './approval-state.ts';
import { shown } from './arguments.ts';
import { oneMoreBecause } from './author.ts';
import { whoMay } from './authorize.ts';
import type { CommandState, PullPlace } from './command-state.ts';
import type { Command } from './command.ts';
import { type Reason, type Refusal, refuse } from './refusal.ts';
import { render } from './render.ts';
import { resolve } from './resolve.ts';

/** One thing that is needed, and whether it is there. */
export interface Requirement extends Reason {
  readonly code: string;
  /** The state that it is needed for. */
  readonly stage: 'propose' | 'publish';
  readonly satisfied: boolean;
}

/** Everything between a pull request and its publication, in the order in which it is worked off. */
export function requirements(state: CommandState, pull: PullPlace): Requirement[] {
  return [
    base(state, pull),
    behindBase(state, pull),
    conflicts(state),
    checks(state, pull),
    inUse(state),
    proposed(state, pull),
    held(state),
    packages(state),
    changesRequested(state),
    approvals(state),
    owners(state),
    ...named(state),
  ].filter((one) => one !== undefined);
}

/** What of that is missing for a stage; publishing needs what proposing needs. */
export function missing(state: CommandState, pull: PullPlace, stage: Requirement['stage']): Requirement[] {
  return requirements(state, pull).filter(
    (one) => !one.satisfied && (stage === 'publish' || one.stage === 'propose'),
  );
}

/** One refusal that names everything; its code is the first's. Undefined where nothing is missing. */
export function refuseMissing(lacking: readonly Requirement[]): Refusal | undefined {
  const [first] = lacking;
  if (first === undefined) return undefined;
  const hints = lacking.map(({ hint, who }) => (who === '' ? hint : `${hint} Who can: ${who}.`));
  return {
    ...refuse(first.code, lacking.map(({ message }) => message).join('; '), [...new Set(hints)].join(' ')),
    reasons: lacking,
  };
}

/** True for a proposal that removes packages and changes none: it makes no revision. */
export function onlyRemoves({ packages: touched }: Pick<CommandState, 'packages'>): boolean {
  return touched.length > 0 && touched.every(({ state }) => state === 'deletion-proposed');
}

type Stage = Requirement['stage'];

function there(code: string, stage: Stage, message: string): Requirement {
  return { code, stage, satisfied: true, message, hint: '', who: '' };
}

function lacking({
  code,
  stage,
  message,
  hint,
  who = '',
}: {
  readonly code: string;
  readonly stage: Stage;
  readonly message: string;
  readonly hint: string;
  readonly who?: string | undefined;
}): Requirement {
  return { code, stage, satisfied: false, message, hint, who };
}

/** Whoever can push to the branch. */
function pushers({ fork, headRef, author }: PullPlace): string {
  return fork ? `\`${author}\`, the owner of the fork` : `anyone who may push to ${shown(headRef)}`;
}

/** Proposing is a step of its own, which publishing needs. */
function proposed({ config }: CommandState, { draft }: PullPlace): Requirement {
  if (!draft) return there('not-proposed', 'publish', 'it is ready for review');
  return lacking({
    code: 'not-proposed',
    stage: 'publish',
    message: 'it is a draft',
    hint: 'Propose it with `/portico propose` or "Ready for review".',
    who: whoMay(config, PROPOSERS),
  });
}

/** Who proposes, unless the configuration says otherwise; propose.ts asks this file, and not the other way round. */
export const PROPOSERS: Pick<Command, 'name' | 'minimumRole' | 'mayAlso'> = {
  name: 'propose',
  minimumRole: 'write',
  mayAlso: ['author'],
};

/** Only of an update that a rollout holds. */
function held({ hold }: CommandState): Requirement | undefined {
  if (hold === undefined) return undefined;
  return lacking({ code: 'rollout-held', stage: 'publish', message: hold.title, hint: hold.remedy });
}

function base({ config }: CommandState, pull: PullPlace): Requirement {
  if (pull.baseRef === config.branch) {
    return there('other-base', 'propose', `it targets \`${config.branch}\``);
  }
  return lacking({
    code: 'other-base',
    stage: 'propose',
    message: `it targets \`${pull.baseRef}\`, but packages are published from \`${config.branch}\``,
    hint: `Change the base of the pull request to \`${config.branch}\`.`,
    who: `\`${pull.author}\`, or the role write or higher`,
  });
}

function behindBase({ behind = [] }: CommandState, pull: PullPlace): Requirement {
  if (behind.length === 0) {
    return there('behind-base', 'propose', `its packages are up to date with \`${pull.baseRef}\``);
  }
  return lacking({
    code: 'behind-base',
    stage: 'propose',
    message: `\`${pull.baseRef}\` also changed ${behind.map(shown).join(', ')} after this branch was created`,
    hint: 'Wait until Portico has merged the base branch, or merge it yourself; see the check `portico/conflicts`.',
    who: pushers(pull),
  });
}

function conflicts({ openConflicts: open, config }: CommandState): Requirement {
  if (open === 0) return there('conflicts-open', 'propose', 'no merge conflicts are open');
  return lacking({
    code: 'conflicts-open',
    stage: 'propose',
    message: open === 1 ? 'one merge conflict is not settled' : `${open} merge conflicts are not settled`,
    hint: 'Settle each conflict with `/portico resolve` or a commit; the check `portico/conflicts` lists them.',
    who: whoMay(config, resolve),
  });
}

/** Names of checks that requirements of their own speak of. */
const CONFLICTS = 'portico/conflicts';
const DELETION = 'portico/deletion';
/** Checks that wait for the approval of a person whom the configuration names. */
const NAMED: Readonly<Record<string, string>> = {
  'portico/power': 'power-approval-missing',
  'portico/config': 'configuration-approval-missing',
};

function checks(
  { checks: run, digest, config, openConflicts: open, behind = [], usedBy = [] }: CommandState,
  pull: PullPlace,
): Requirement | undefined {
  if (run.state === 'absent') {
    return lacking({
      code: 'checks-absent',
      stage: 'propose',
      message: 'Portico has not checked it yet',
      hint: 'Checks start within seconds. Repeat the command when the check `portico` is green. If the check does not appear, run `/portico render`.',
      who: whoMay(config, render),
    });
  }
  if (run.state === 'red' && run.digest === undefined) {
    const remedy = 'See the check `portico` for what to do.';
    return lacking({
      code: 'checks-red',
      stage: 'propose',
      message: 'it could not be checked',
      hint: remedy,
      who: pushers(pull),
    });
  }
  // Checks of other content say nothing about this one.
  if (run.state === 'pending' || digest === undefined || run.digest !== digest) {
    return lacking({
      code: 'checks-pending',
      stage: 'propose',
      message: 'Portico is still checking this content',
      hint: 'Repeat the command when the check `portico` is green.',
    });
  }
  if (run.state === 'green') return there('checks-green', 'propose', 'the checks for this content pass');
  // What has a line of its own is said once.
  const lines = [
    ...(open > 0 || behind.length > 0 ? [CONFLICTS] : []),
    ...(usedBy.length > 0 ? [DELETION] : []),
  ];
  const others = run.failing.filter(({ name }) => !lines.includes(name));
  if (others.length === 0 && run.failing.length > 0) return undefined;
  const failing = others.map(({ name, title }) => `\`${name}\` (${title})`).join(', ');
  return lacking({
    code: 'checks-red',
    stage: 'propose',
    message: failing === '' ? 'checks fail' : `checks fail: ${failing}`,
    hint: 'Fix what they report and push.',
    who: pushers(pull),
  });
}

function packages({ packages: touched }: CommandState): Requirement {
  if (touched.length > 0) {
    const what = touched.map(({ path, state }) =>
      state === 'deletion-proposed' ? `removes ${shown(path)}` : `changes ${shown(path)}`,
    );
    return there('no-package', 'publish', `it ${what.join(', ')}`);
  }
  return lacking({
    code: 'no-package',
    stage: 'publish',
    message: 'it changes no package, so there is nothing to publish',
    hint: 'Channels and configuration take effect without a revision: once the check `portico` is green, press the merge button of this pull request. To publish a revision, push a change to a package.',
  });
}

/** Only about a proposal that removes a package. */
function inUse({ packages: touched, usedBy = [] }: CommandState): Requirement | undefined {
  if (usedBy.length === 0 && !touched.some(({ state }) => state === 'deletion-proposed')) return undefined;
  if (usedBy.length === 0) return there('in-use', 'propose', 'no known package depends on what it removes');
  return lacking({
    code: 'in-use',
    stage: 'propose',
    message: `other packages depend on what it removes: ${usedBy.join(', ')}`,
    hint: 'Move them to another upstream, or remove them, first.',
  });
}

function changesRequested({ approvals: { changesRequested: people } }: CommandState): Requirement {
  if (people.length === 0) return there('changes-requested', 'publish', 'no one requests changes');
  const names = people.map((login) => `\`${login}\``).join(', ');
  return lacking({
    code: 'changes-requested',
    stage: 'publish',
    message: `${names} requested changes`,
    hint: 'The same person must review again, or someone must dismiss that review.',
    who: names,
  });
}

function approvals({ approvals: count, digest, config }: CommandState): Requirement {
  const current =
    digest !== undefined && count.digest === digest ? count : { ...count, counted: [], accepted: [] };
  const sentence = countSentence(config, current).replace(/\.$/, '');
  if (isEnough(current)) return there('approvals-missing', 'publish', sentence);
  const ignored = count.notCounted.map(
    ({ login, reason }) => `\`${login}\` (${NOT_COUNTED_BECAUSE[reason]})`,
  );
  const more = count.needed === count.required ? '' : oneMoreBecause(count.unknownAuthors);
  const note = [ignored.length === 0 ? '' : `not counted: ${ignored.join(', ')}`, more].filter(
    (part) => part !== '',
  );
  return lacking({
    code: 'approvals-missing',
    stage: 'publish',
    message: [sentence, ...note].join('; '),
    hint: approvalRemedy(config, count),
  });
}

/** Only where somebody in particular must approve, as the check that waits for it says. */
function named({ checks: { waiting = [] } }: CommandState): readonly Requirement[] {
  return waiting.flatMap(({ name, title }) => {
    const code = NAMED[name];
    if (code === undefined) return [];
    const message = `\`${name}\`: ${title}`;
    const hint = 'One of them must approve, with a review or `/portico approve`.';
    return [lacking({ code, stage: 'publish', message, hint })];
  });
}

/** Only where CODEOWNERS names somebody who has yet to approve. */
function owners({ approvals: count }: CommandState): Requirement | undefined {
  const { ownersMissing = [] } = count;
  if (ownersMissing.length === 0) return undefined;
  const files = ownersMissing.map(({ path }) => shown(path)).join(', ');
  const people = new Set(ownersMissing.map(({ owners: of }) => of.map(shown).join(' or ')));
  return lacking({
    code: 'owners-missing',
    stage: 'publish',
    message: `no code owner of ${files} has approved this content`,
    hint: ownerRemedy(count),
    who: [...people].join('; '),
  });
}
