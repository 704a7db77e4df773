import type { Conflict } from '../package/merge/conflict.ts';
import type { MergeNote } from '../package/merge/merge-types.ts';
import type { PackageFiles } from '../package/package.ts';

/** What a merge came to, whichever way its inputs were found. */
export interface Update {
  readonly files: PackageFiles;
  readonly conflicts: readonly Conflict[];
  readonly notes: readonly MergeNote[];
  readonly strayDecisions: readonly string[];
}
