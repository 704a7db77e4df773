import type { PackageFiles } from '../package/package.ts';

/** One of two states of a package that are compared. */
export interface Side {
  /** As the person named it, or may read it: `web@v1`, `upstream at v2`. */
  readonly name: string;
  readonly files: PackageFiles;
}

export interface Sides {
  readonly before: Side;
  readonly after: Side;
}
