import type { PackageFiles } from '../package/package.ts';
import type { Tree } from '../package/tree-digest.ts';

/** The files at a path and below it, with their whole paths. */
export function filesAt(tree: Tree, path: string): Tree {
  return new Map([...tree].filter(([file]) => file === path || file.startsWith(`${path}/`)));
}

/** The tree with a directory that holds these files and nothing else. */
export function withDirectory(tree: Tree, directory: string, files: Tree): Tree {
  const others = [...tree].filter(([file]) => !file.startsWith(`${directory}/`));
  const placed = [...files].map(([file, bytes]) => [`${directory}/${file}`, bytes] as const);
  return new Map([...others, ...placed]);
}

/** As the rest of Portico has files. Modes count for nothing here: what is processed is resources. */
export function asPackage(tree: Tree): PackageFiles {
  return new Map([...tree].map(([path, bytes]) => [path, { mode: '100644', bytes }]));
}
