import { readResourceFile } from './diff/resource-file.ts';
import { isKptfile } from './package.ts';
import type { PackageFiles } from './package.ts';

/** A package, or a plain directory in one, with what is in it. */
export interface PackageTree {
  /** The name of the directory; a plain directory in a package is called by its path from the package. */
  readonly name: string;
  /** Relative to the root, '' for the root. */
  readonly directory: string;
  /** True when it holds a Kptfile. */
  readonly isPackage: boolean;
  readonly resources: readonly TreeResource[];
  readonly directories: readonly PackageTree[];
  /** YAML files that could not be read, and why. */
  readonly problems: readonly { readonly file: string; readonly reason: string }[];
}

export interface TreeResource {
  /** Base name of the file. */
  readonly file: string;
  readonly kind: string;
  /** `namespace/name`, or the name alone. */
  readonly name: string;
}

/**
 * The resources of a package by directory, as `kpt pkg tree` lists them: Kptfile first, files by name, then directories
 * and subpackages. Files that hold no Kubernetes resources are left out.
 *
 * @param name what the root is called, usually the name of its directory
 */
export function packageTree(files: PackageFiles, name: string): PackageTree {
  const byDirectory = Map.groupBy([...files.keys()].sort(), directoryOf);
  const packages = new Set([...byDirectory].filter(([, paths]) => paths.some(isKptfile)).map(([at]) => at));
  const nodes = new Map<string, MutableTree>();
  const root = node(name, '', packages.has(''));
  nodes.set('', root);

  const nodeAt = (directory: string): MutableTree => {
    const known = nodes.get(directory);
    if (known !== undefined) return known;
    let above = directoryOf(directory);
    while (above !== '' && !byDirectory.has(above)) above = directoryOf(above);
    const parent = nodeAt(above);
    const made = node(
      directory.slice(above === '' ? 0 : above.length + 1),
      directory,
      packages.has(directory),
    );
    parent.directories.push(made);
    nodes.set(directory, made);
    return made;
  };

  for (const [directory, paths] of byDirectory) {
    const tree = nodeAt(directory);
    for (const path of paths) list(path, files, tree);
  }
  return prune(root) ?? root;
}

interface MutableTree extends PackageTree {
  readonly resources: TreeResource[];
  readonly directories: PackageTree[];
  readonly problems: { file: string; reason: string }[];
}

function node(name: string, directory: string, isPackage: boolean): MutableTree {
  return { name, directory, isPackage, resources: [], directories: [], problems: [] };
}

function list(path: string, files: PackageFiles, tree: MutableTree): void {
  const file = files.get(path);
  if (file === undefined || path.endsWith('.json')) return;
  const base = path.slice(path.lastIndexOf('/') + 1);
  const read = readResourceFile(path, file);
  if ('resources' in read) {
    for (const { ref } of read.resources) {
      const name = ref.namespace === '' ? ref.name : `${ref.namespace}/${ref.name}`;
      tree.resources.push({ file: base, kind: ref.kind, name });
    }
  } else if (read.reason !== undefined) tree.problems.push({ file: base, reason: read.reason });
}

/** The tree without directories that hold nothing. */
function prune(tree: PackageTree): PackageTree | undefined {
  const directories = tree.directories.map(prune).filter((below) => below !== undefined);
  const holds = tree.isPackage || tree.resources.length + tree.problems.length + directories.length > 0;
  return holds ? { ...tree, directories } : undefined;
}

function directoryOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}
