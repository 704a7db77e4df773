/**
 * Pure: whether what others check of an update lets it merge itself. Right after a push there are Portico's checks alone: Actions makes
 * its runs seconds later (gitmoot/gitmoot#596, cli/cli#3514), so that green says nothing yet.
 */
import { matchesGlob } from '../../config/glob.ts';

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
  if (suite !== undefined) return { kind: 'wait', what: 'a check suite that goes on' };
  if (age < settle) return { kind: 'wait', what: 'the time in which CI begins', seconds: settle - age };
  return { kind: 'green' };
}

/** Names that checks of others have on the base are awaited on the update. */
export function judgeNames(head: OtherChecks, base: readonly string[], age: number): ChecksVerdict {
  const there = new Set([
    ...head.runs.map(({ name }) => name),
    ...head.statuses.map(({ context }) => context),
  ]);
  const missing = base.find((name) => !there.has(name) && !matchesGlob(name, OF_THE_BASE));
  if (missing === undefined || age >= AWAITED_SECONDS) return { kind: 'green' };
  return { kind: 'wait', what: missing, seconds: AWAITED_SECONDS - age };
}
