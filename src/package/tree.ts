import type { PackageFiles } from './package.ts';

/** One line of the tree of a package. */
export interface PackageTree {
  readonly name: string;
  /** Directory relative to the root, '.' for the root. */
  readonly directory: string;
  readonly resources: readonly { readonly file: string; readonly kind: string; readonly name: string }[];
  readonly packages: readonly PackageTree[];
}

/** The package, its subpackages and their resources. */
export function packageTree(files: PackageFiles, name: string): PackageTree {
  return { name, directory: String(files.size), resources: [], packages: [] };
}
