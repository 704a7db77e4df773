import type { TreeEntry } from './git-objects.ts';

/** One path to set, or to remove with `sha` null. */
export interface TreeChange {
  readonly path: string;
  readonly mode: string;
  readonly sha: string | null;
}

/**
 * Writes the tree that results from changing `base` (undefined: the empty tree), reading and writing only the
 * directories that are touched. Directories that become empty vanish, as git has none.
 * @returns the id, or undefined when nothing is left
 */
export async function editTree(
  base: string | undefined,
  changes: readonly TreeChange[],
  io: {
    readonly read: (sha: string) => Promise<readonly TreeEntry[]>;
    readonly write: (entries: readonly Pick<TreeEntry, 'path' | 'mode' | 'sha'>[]) => Promise<string>;
  },
): Promise<string | undefined> {
  const entries = new Map<string, Pick<TreeEntry, 'path' | 'mode' | 'sha'>>(
    (base === undefined ? [] : await io.read(base)).map((entry) => [entry.path, entry]),
  );
  const below = new Map<string, TreeChange[]>();
  for (const change of changes) {
    const slash = change.path.indexOf('/');
    if (slash < 0) {
      if (change.sha === null) entries.delete(change.path);
      else entries.set(change.path, { path: change.path, mode: change.mode, sha: change.sha });
      continue;
    }
    const directory = change.path.slice(0, slash);
    const inner = { ...change, path: change.path.slice(slash + 1) };
    below.set(directory, [...(below.get(directory) ?? []), inner]);
  }
  for (const [directory, inner] of below) {
    const present = entries.get(directory);
    const sha = await editTree(present?.mode === '040000' ? present.sha : undefined, inner, io);
    if (sha !== undefined) entries.set(directory, { path: directory, mode: '040000', sha });
    else if (present === undefined || present.mode === '040000') entries.delete(directory);
  }
  return entries.size === 0 ? undefined : io.write([...entries.values()]);
}
