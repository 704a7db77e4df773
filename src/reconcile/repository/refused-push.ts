import { PorticoError } from '../../error.ts';
import type { RejectedRef } from '../git-port.ts';
import { code, sentence } from '../text/markdown-blocks.ts';

/** What helps against a rule that forbids a push to a branch. */
const ALLOW_BRANCH =
  'Allow the App to push to this branch: add it as a bypass actor to the ruleset that forbids it.';
/** What helps against a rule that forbids Portico's own refs. */
export const ALLOW_RECORDS = 'Allow the App to write refs below refs/portico/.';

/** Why the forge did not take a push to `ref`, as a sentence, and what to do: its own hint, or else `remedy`. */
export function pushRefusal(
  ref: string,
  { message, hint }: Pick<RejectedRef, 'message' | 'hint'>,
  remedy = ALLOW_BRANCH,
): { readonly message: string; readonly hint: string } {
  return {
    message: `The forge refused the push to ${code(ref)}: ${sentence(message)}`,
    hint: hint ?? remedy,
  };
}

/** The same as the error `PUSH_REFUSED`, for a job that cannot go on. */
export function pushRefused(...refusal: Parameters<typeof pushRefusal>): PorticoError {
  const { message, hint } = pushRefusal(...refusal);
  return new PorticoError('PUSH_REFUSED', message, { blame: 'user', hint });
}

/** True where somebody else was faster: looking again and trying again helps. */
export function wasOvertaken(rejected: Pick<RejectedRef, 'reason'> | undefined): boolean {
  return rejected === undefined || rejected.reason === 'stale' || rejected.reason === 'exists';
}

/**
 * True where only a person can change the answer. Of a reason that nobody knows that is not sure: a job tries it again, a command
 * tells it to the person who waits.
 */
export function isFinal({ reason }: Pick<RejectedRef, 'reason'>): boolean {
  return FINAL.has(reason);
}

const FINAL: ReadonlySet<RejectedRef['reason']> = new Set(['protected', 'denied', 'workflows', 'signatures']);

/** Has the job done again, on what `ref` holds then. */
export function refMoved(ref: string): PorticoError {
  return new PorticoError('REF_MOVED', `${ref} moved meanwhile`, { blame: 'forge', retryAfter: 1 });
}
