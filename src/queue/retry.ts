import { PorticoError, machineTrouble } from '../error.ts';

/** What to do with a job whose run ended in an error. */
export type Verdict =
  | { readonly what: 'give-up'; readonly outcome: 'refused' | 'dead'; readonly code: string }
  | {
      readonly what: 'retry';
      readonly code: string;
      readonly delayMs: number;
      /** The forge named the time: nothing, not even a newer event, may start the job earlier. */
      readonly hold: boolean;
    };

const FORGE_TRIES = 15;
const BUG_TRIES = 3;
/** Milliseconds between two attempts at the most, so that a forge that is back is soon noticed. */
const MAX_DELAY_MS = 300_000;
/** Retries that cost no one else anything: often enough to continue soon after there is room, for about as long as those of the forge. */
const NEAR_TRIES = 130;
const MAX_NEAR_DELAY_MS = 20_000;

/**
 * Decides by the class of the error. The user's fault is not repeated; the forge's and the network's is, after exactly
 * `retryAfter` seconds where it said so, else after 1 s, 2 s, 4 s … 5 min (15 runs are about 40 minutes; then the sweep
 * takes over); trouble of the machine or of the database is repeated every 20 s for as long; a bug gets three runs, in case it was a race.
 * @param attempt the number of the run that failed, from 1
 * @param random  a number in [0, 1): delays are spread between half and the whole, so that jobs that failed together do
 *                not come back together
 */
export function classifyFailure(error: unknown, attempt: number, random: number): Verdict {
  const { blame, code, retryAfter } = error instanceof PorticoError ? error : unknownError(error);
  if (blame === 'user') return { what: 'give-up', outcome: 'refused', code };
  const isNear = code === 'DATABASE_UNREACHABLE' || machineTrouble(error) !== undefined;
  const tries = isNear ? NEAR_TRIES : blame === 'forge' ? FORGE_TRIES : BUG_TRIES;
  if (attempt >= tries) return { what: 'give-up', outcome: 'dead', code };
  if (retryAfter !== undefined)
    return { what: 'retry', code, delayMs: Math.max(0, retryAfter) * 1000, hold: true };
  const longest = Math.min(1000 * 2 ** (attempt - 1), isNear ? MAX_NEAR_DELAY_MS : MAX_DELAY_MS);
  return { what: 'retry', code, delayMs: Math.round(longest * (0.5 + random / 2)), hold: false };
}

function unknownError(error: unknown): { blame: 'bug'; code: string; retryAfter: undefined } {
  const code = machineTrouble(error) ?? (error instanceof Error ? error.name : 'UNKNOWN');
  return { blame: 'bug', code, retryAfter: undefined };
}
