import type { Link, PackageFiles } from '../package.ts';
import type { DeployTool } from '../tool-files/deploy-tools.ts';

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
