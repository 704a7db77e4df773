import { PorticoError } from '../error.ts';

/** Thrown where a step before the question itself did not work, so that the row shows nothing. */
export function notPlayed(why: string): PorticoError {
  return new PorticoError('TRIAL_NOT_PLAYED', why, { blame: 'forge' });
}
