/** What stands between a pull request and the next state, as a list that a person can work through. */
import type { CommandState, PullPlace } from './command-state.ts';
import { type Refusal, refuse } from './refusal.ts';

/** One thing that is missing. */
export interface Missing {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** What keeps the content from being proposed: where it would go, conflicts, checks. */
export function missingChecks(state: CommandState, pull: PullPlace): Missing[] {
  return [otherBase(state, pull), openConflicts(state), checks(state)].filter(
    (missing) => missing !== undefined,
  );
}

/** What keeps it from being published beyond that: packages, requested changes, approvals for this content. */
export function missingApprovals(state: CommandState): Missing[] {
  return [noPackage(state), changesRequested(state), approvals(state)].filter(
    (missing) => missing !== undefined,
  );
}

/** One refusal that names everything; its code is the first's. Undefined where nothing is missing. */
export function refuseMissing(missing: readonly Missing[]): Refusal | undefined {
  const [first] = missing;
  if (first === undefined) return undefined;
  return refuse(
    first.code,
    missing.map(({ message }) => message).join('; '),
    [...new Set(missing.map(({ hint }) => hint))].join(' '),
  );
}

function otherBase({ config }: CommandState, pull: PullPlace): Missing | undefined {
  if (pull.baseRef === config.branch) return undefined;
  return {
    code: 'other-base',
    message: `it goes into \`${pull.baseRef}\`, and packages are published from \`${config.branch}\``,
    hint: `Change the base of the pull request to ${config.branch}.`,
  };
}

function openConflicts({ openConflicts: open }: CommandState): Missing | undefined {
  if (open === 0) return undefined;
  return {
    code: 'conflicts-open',
    message: open === 1 ? 'one merge conflict is not settled' : `${open} merge conflicts are not settled`,
    hint: 'Settle each by a commit; the check portico/conflicts lists them.',
  };
}

function checks({ checks: run, digest }: CommandState): Missing | undefined {
  if (run.state === 'absent') {
    return {
      code: 'checks-absent',
      message: 'nothing has been checked yet',
      hint: 'Ask for it: /portico render.',
    };
  }
  // Checks of other content say nothing about this one.
  if (run.state === 'pending' || digest === undefined || run.digest !== digest) {
    return {
      code: 'checks-pending',
      message: 'the checks of this content are not done',
      hint: 'Wait for them.',
    };
  }
  if (run.state === 'green') return undefined;
  const failing = run.failing.map(({ name, title }) => `${name} (${title})`).join(', ');
  return {
    code: 'checks-red',
    message: failing === '' ? 'checks fail' : `checks fail: ${failing}`,
    hint: 'Correct what they name and push.',
  };
}

function noPackage({ packages }: CommandState): Missing | undefined {
  if (packages.length > 0) return undefined;
  return {
    code: 'no-package',
    message: 'it changes no package, so there is nothing to publish',
    hint: 'Merge it with the button instead.',
  };
}

function changesRequested({ approvals: { changesRequested: people } }: CommandState): Missing | undefined {
  if (people.length === 0) return undefined;
  const names = people.map((login) => `\`${login}\``).join(', ');
  return {
    code: 'changes-requested',
    message: `${names} asked for changes`,
    hint: 'Wait for a new review from them, or have theirs dismissed.',
  };
}

function approvals({ approvals: count, digest }: CommandState): Missing | undefined {
  const given = digest !== undefined && count.digest === digest ? count.counted.length : 0;
  if (given >= count.required) return undefined;
  const ignored = count.notCounted.map(({ login, reason }) => `\`${login}\` (${reason})`).join(', ');
  const note = ignored === '' ? '' : `; not counted: ${ignored}`;
  return {
    code: 'approvals-missing',
    message: `${given} of ${count.required} approvals are given for this content${note}`,
    hint: 'An approving review, or /portico approve, is needed.',
  };
}
