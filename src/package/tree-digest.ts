/** The digest of a tree of files, which locks and steps of processing carry. */
import { createHash } from 'node:crypto';

import type { PackageFile, PackageFiles } from './package.ts';

/** Files by their path, relative and with `/`. Where modes matter it is `PackageFiles`. */
export type Tree = ReadonlyMap<string, Uint8Array>;

/**
 * `sha256:` of one line for each file, `MODE PATH`, a zero byte, the SHA-256 of the content and a line feed, in the order of
 * the paths' bytes. The order of the map does not count, and neither do times, owners and empty directories. A file without
 * a mode is `100644`.
 */
export function treeDigest(tree: Tree | ReadonlyMap<string, PackageFile>): string {
  const hash = createHash('sha256');
  const entries: [path: Buffer, file: Uint8Array | PackageFile][] = [];
  for (const [path, file] of tree) entries.push([Buffer.from(path, 'utf8'), file]);
  for (const [path, file] of entries.sort(([a], [b]) => Buffer.compare(a, b))) {
    const { mode, bytes } = file instanceof Uint8Array ? { mode: '100644', bytes: file } : file;
    hash
      .update(`${mode} `)
      .update(path)
      .update(`\0${sha256(bytes)}\n`);
  }
  return `sha256:${hash.digest('hex')}`;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The other way round. */
export function asTree(files: PackageFiles): Tree {
  return new Map([...files].map(([path, { bytes }]) => [path, bytes]));
}
