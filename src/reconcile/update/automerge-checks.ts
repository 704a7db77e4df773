/**
 * Pure: whether what others check of an update lets it merge itself. Right after a push there are Portico's checks alone: Actions makes
 * its runs seconds later (gitmoot/gitmoot#596, cli/cli#3514), so that green says nothing yet.
 */
import { matchesGlob } from '../../config/glob.ts';
import type { CheckSuite } from '../forge/checks.ts';

/** Of others; Portico's own are judged by what they say. */
export interface OtherChecks {
  readonly runs: readonly {
    readonly name: string;
    readonly status: string;
    readonly conclusion: string | null;
  }[];
  readonly statuses: readonly { readonly context: string; readonly state: string }[];
  /** An App that never reports has a suite without runs, which stays `queued`. */
  readonly suites: readonly { readonly status: string; readonly runs: number }[];
}

export interface Times {
  /** Seconds since the commit was first seen, or its pull request opened. */
  readonly age: number;
  /** Seconds in which CI is given the time to begin. */
  readonly settle: number;
}

export type ChecksVerdict =
  | { readonly kind: 'green' }
  | { readonly kind: 'red'; readonly what: string }
  /** `seconds`: when to look again, where no event will tell. */
  | { readonly kind: 'wait'; readonly what: string; readonly seconds?: number };

/** Conclusions that hold nothing up. */
export const FINE: readonly (string | null)[] = ['success', 'neutral', 'skipped'];

/** A name that the base has, and the update has not, is awaited so long: it may be of a workflow that runs on the base alone. */
export const AWAITED_SECONDS = 900;

/** What Flux and Argo CD say of a commit on the base, which they never say of a pull request. */
const OF_THE_BASE = ['kustomization/**', 'helmrelease/**', 'continuous-delivery/**'];

/**
 * Of what others check at a commit, that which counts for an update of this branch. Whoever forks a repository may propose the same commit
 * from there, and workflows run for that proposal, with checks of the same commit in this repository: they tell nothing of the update and
 * hold it up only where a rule of the branch asks for their name. The suites of other Apps count: whoever may administer the repository
 * let them in. Where a suite does not name its branch, it counts.
 */
export function countingChecks<Run extends { readonly name: string; readonly suiteId: number | null }>(
  { runs, suites }: { readonly runs: readonly Run[]; readonly suites: readonly CheckSuite[] },
  branch: string,
  required: readonly string[],
): { readonly runs: readonly Run[]; readonly suites: readonly CheckSuite[] } {
  const elsewhere = new Set(suites.filter((suite) => isElsewhere(suite, branch)).map(({ id }) => id));
  return {
    runs: runs.filter(
      ({ name, suiteId }) => suiteId === null || !elsewhere.has(suiteId) || required.includes(name),
    ),
    suites: suites.filter(({ id }) => !elsewhere.has(id)),
  };
}

/** A suite of workflows that looks at another branch. */
export function isElsewhere({ ofActions, branch }: CheckSuite, update: string): boolean {
  return ofActions && branch !== null && branch !== update;
}

/** Before the names on the base are known: what the update's own head says. */
export function judgeHead({ runs, statuses, suites }: OtherChecks, { age, settle }: Times): ChecksVerdict {
  const red = [
    ...runs.filter(({ status, conclusion }) => status === 'completed' && !FINE.includes(conclusion)),
    ...statuses
      .filter(({ state }) => state === 'failure' || state === 'error')
      .map(({ context }) => ({ name: context })),
  ][0];
  if (red !== undefined) return { kind: 'red', what: red.name };
  const open = [
    ...runs.filter(({ status }) => status !== 'completed'),
    ...statuses.filter(({ state }) => state === 'pending').map(({ context }) => ({ name: context })),
  ][0];
  if (open !== undefined) return { kind: 'wait', what: open.name };
  const suite = suites.find((one) => one.runs > 0 && one.status !== 'completed');
  if (suite !== undefined) return { kind: 'wait', what: 'a running check suite' };
  if (age < settle) return { kind: 'wait', what: 'the time in which CI starts', seconds: settle - age };
  return { kind: 'green' };
}

/** What others check: a status and a check run are two things, though they share a name. */
export interface CheckNames {
  readonly runs: readonly string[];
  readonly statuses: readonly string[];
}

/** Names that checks of others have on the base are awaited on the update. */
export function judgeNames(head: OtherChecks, base: CheckNames, age: number): ChecksVerdict {
  const runs = new Set(head.runs.map(({ name }) => name));
  const statuses = new Set(head.statuses.map(({ context }) => context));
  const missing = [
    ...base.runs.filter((name) => !runs.has(name)),
    ...base.statuses.filter((name) => !statuses.has(name)),
  ].find((name) => !matchesGlob(name, OF_THE_BASE));
  if (missing === undefined || age >= AWAITED_SECONDS) return { kind: 'green' };
  return { kind: 'wait', what: missing, seconds: AWAITED_SECONDS - age };
}
