import { PorticoError } from '../../error.ts';
import type { RejectedRef } from '../git-port.ts';
import { sentence } from '../text/markdown-blocks.ts';

/** What the forge said to a push, with what helps where the reason tells: sentences. */
export function refusedPush({ message, hint }: Pick<RejectedRef, 'message' | 'hint'>): string {
  const sentences = `The forge refused the push: ${sentence(message)}`;
  return hint === undefined ? sentences : `${sentences} ${hint}`;
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
