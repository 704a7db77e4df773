import type { PackageFiles } from '../package.ts';
import { mergeConcurrent } from './concurrent.ts';
import type { Conflict } from './conflict.ts';

export interface Settlement {
  /** The merge that a draft began with, as its conflicts were decided so far. */
  readonly before: PackageFiles;
  /** The same merge with one decision more, or several. */
  readonly after: PackageFiles;
  /** The draft as it stands: the merge, and what people committed since. */
  readonly current: PackageFiles;
}

/**
 * Settles conflicts of a merge in the draft that was made of it. Where nobody has touched the draft the result is the
 * merge with the decisions, byte for byte. What people committed stays; where that meets the decisions it is told as
 * a conflict, and the result must not be written.
 */
export function settleConflicts({ before, after, current }: Settlement): {
  readonly files: PackageFiles;
  readonly conflicts: readonly Conflict[];
} {
  return mergeConcurrent({ base: before, upstream: after, local: current });
}
