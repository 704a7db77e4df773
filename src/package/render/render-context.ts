import type { PackageFiles } from '../package.ts';

/** How the package was in the base, for what is newly hidden. */
export interface HiddenBefore {
  readonly base?: PackageFiles;
  /** There is none in the base: all that is hidden is new. */
  readonly isNew?: boolean;
  /** Symbolic links and submodules, which are not read. */
  readonly links?: readonly string[];
  readonly linksBefore?: readonly string[];
}

/** Where the package lies, and how it is in the base. */
export interface RenderContext extends HiddenBefore {
  /** Below the registered directory. */
  readonly path: string;
  /** `owner/name`, '' where it is not known. */
  readonly repository: string;
  /** The package in the base branch; absent: all its resources are new. */
  readonly base?: PackageFiles;
}
