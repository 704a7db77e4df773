import { PorticoError } from '../../error.ts';
import type { MergeInput, MergeResult } from './merge-types.ts';

/**
 * Brings upstream's changes since base into local: kpt's rules, local's text, every conflict told.
 * Throws `NOT_FAST_FORWARD` when that strategy is asked for and local has changes, and `PACKAGE_LIMIT` past a limit.
 */
export function mergePackages(_input: MergeInput): MergeResult {
  throw new PorticoError('NOT_YET', 'mergePackages');
}
