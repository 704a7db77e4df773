import type { Bookkeeping } from './bookkeeping.ts';
import type { Report } from './report.ts';
import type { CustomKeys } from './resource-merge.ts';

/** What the merge of one package needs beside its files. */
export interface PackageContext {
  readonly report: Report;
  readonly custom: CustomKeys;
  readonly bookkeeping: Bookkeeping;
  /** True for paths that hold resources; false for other files and those hidden by .krmignore. */
  readonly isResourceFile: (path: string) => boolean;
  /** True for a subpackage that local deleted: what is new in it upstream does not come. */
  readonly isGone: boolean;
  /** The package's directory with a trailing slash, '' for the root. */
  readonly prefix: string;
}
