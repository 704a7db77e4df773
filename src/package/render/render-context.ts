import type { PackageFiles } from '../package.ts';
import type { DeployTool } from '../tool-files/deploy-tools.ts';

/** A symbolic link or a submodule: its target is not read. */
export interface Link {
  readonly path: string;
  /** Git's id of it, which changes with its target. */
  readonly id: string;
  /** What a symbolic link says; absent for a submodule. */
  readonly target?: string;
}

/** How the package was in the base, for what is newly hidden. */
export interface HiddenBefore {
  readonly base?: PackageFiles;
  /** There is none in the base: all that is hidden is new. */
  readonly isNew?: boolean;
  readonly links?: readonly Link[];
  readonly linksBefore?: readonly Link[];
  /** The tools that apply the package; absent: any. */
  readonly deploy?: readonly DeployTool[];
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
