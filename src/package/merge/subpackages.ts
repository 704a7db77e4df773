import { PorticoError } from '../../error.ts';
import { sameFile } from '../package.ts';
import type { PackageFile, PackageFiles } from '../package.ts';
import { isYaml } from './bookkeeping.ts';
import { isUntouched, readFile, resourcesOf } from './resources.ts';

/** The directories with a Kptfile, each with a trailing slash; '' is the root and always among them. */
export function packageRoots(...trees: readonly PackageFiles[]): string[] {
  const roots = new Set(['']);
  for (const tree of trees) {
    for (const path of tree.keys()) {
      if (path === 'Kptfile' || path.endsWith('/Kptfile')) roots.add(path.slice(0, -'Kptfile'.length));
    }
  }
  return [...roots].sort();
}

/** Cuts a tree into packages: each file belongs to the deepest root above it. */
export function splitPackages(
  files: PackageFiles,
  roots: readonly string[],
): Map<string, Map<string, PackageFile>> {
  const known = new Set(roots);
  const owners = new Map<string, string>();
  const parts = new Map(roots.map((root) => [root, new Map<string, PackageFile>()]));
  for (const [path, file] of files)
    parts.get(ownerOf(path.slice(0, path.lastIndexOf('/') + 1), known, owners))?.set(path, file);
  return parts;
}

function ownerOf(directory: string, roots: ReadonlySet<string>, owners: Map<string, string>): string {
  if (roots.has(directory)) return directory;
  const known = owners.get(directory);
  if (known !== undefined) return known;
  const parent = directory.slice(0, directory.slice(0, -1).lastIndexOf('/') + 1);
  const owner = ownerOf(parent, roots, owners);
  owners.set(directory, owner);
  return owner;
}

/** True when nobody worked on a package since base, kpt's own marks and formatting aside. */
export function isPackageUntouched(local: PackageFiles, base: PackageFiles): boolean {
  return changedFiles(local, base).length === 0;
}

/** The paths of a package in which local differs from base, kpt's own marks and formatting aside. */
export function changedFiles(local: PackageFiles, base: PackageFiles): string[] {
  const paths = new Set([...local.keys(), ...base.keys()]);
  return [...paths].filter((path) => !isFileUntouched(path, local.get(path), base.get(path))).sort();
}

function isFileUntouched(
  path: string,
  local: PackageFile | undefined,
  base: PackageFile | undefined,
): boolean {
  if (sameFile(local, base)) return true;
  if (local === undefined || base === undefined || local.mode !== base.mode || !isYaml(path)) return false;
  const [d, o] = [readFile(path, local), readFile(path, base)];
  if (d instanceof PorticoError || o instanceof PorticoError) return false;
  const own = resourcesOf(path, d);
  const old = resourcesOf(path, o);
  return (
    own.length === old.length &&
    own.every((one, at) => {
      const before = old[at];
      return before !== undefined && isUntouched(one, before);
    })
  );
}
