import type { GitCommit, TreeEntry } from './git-objects.ts';

/**
 * Short cuts through history without a git process, for what is asked most: a branch that is a few commits ahead. Each
 * gives up (undefined) when it would have to look far, and git itself is asked.
 */

type ReadCommit = (sha: string) => Promise<GitCommit | undefined>;

/** How many commits are looked at before giving up. */
const NEAR = 48;

/** Whether `ancestor` can be reached from `descendant`. */
export async function isNearAncestor(
  read: ReadCommit,
  ancestor: string,
  descendant: string,
): Promise<boolean | undefined> {
  // Names and tags are for git to peel.
  if ((await read(ancestor)) === undefined || (await read(descendant)) === undefined) return undefined;
  const seen = new Set<string>([descendant]);
  for (const sha of seen) {
    if (sha === ancestor) return true;
    if (seen.size > NEAR) return undefined;
    for (const parent of (await read(sha))?.parents ?? []) seen.add(parent);
  }
  return false;
}

/** The tree of the merge of two commits of which one follows the other, or undefined where neither is near. */
export async function treeOfNewer(read: ReadCommit, one: string, other: string): Promise<string | undefined> {
  if ((await isNearAncestor(read, one, other)) === true) return (await read(other))?.tree;
  if ((await isNearAncestor(read, other, one)) === true) return (await read(one))?.tree;
  return undefined;
}

/** The commits after `base` up to `head`, newest first, when they are a straight line. */
export async function straightLine(
  read: ReadCommit,
  base: string,
  head: string,
): Promise<string[] | undefined> {
  const line: string[] = [];
  for (let sha = head; sha !== base;) {
    const parents = (await read(sha))?.parents ?? [];
    const [parent] = parents;
    if (parent === undefined || parents.length > 1 || line.length >= NEAR) return undefined;
    line.push(sha);
    sha = parent;
  }
  return line;
}

export interface ChangedPath {
  readonly status: 'A' | 'D' | 'M';
  readonly path: string;
}

/** Files that GitHub tells of one change at most. */
const MAX_PATHS = 3_000;

/** Paths that differ between two trees, as `git diff-tree -r --name-status --no-renames` would list them; the first of many. */
export async function changedPaths(
  readTree: (sha: string) => Promise<readonly TreeEntry[]>,
  from: string | undefined,
  to: string | undefined,
): Promise<readonly ChangedPath[]> {
  const found: ChangedPath[] = [];
  const entriesOf = async (sha: string | undefined): Promise<Map<string, TreeEntry>> =>
    new Map((sha === undefined ? [] : await readTree(sha)).map((one) => [one.path, one]));
  const walk = async (one: string | undefined, other: string | undefined, prefix: string): Promise<void> => {
    if (one === other) return;
    const [before, after] = await Promise.all([entriesOf(one), entriesOf(other)]);
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      if (found.length >= MAX_PATHS) return;
      const [was, is] = [before.get(name), after.get(name)];
      if (was?.sha === is?.sha && was?.mode === is?.mode) continue;
      const path = prefix + name;
      const trees = [was, is].map((entry) => (entry?.type === 'tree' ? entry.sha : undefined));
      if (trees.some((sha) => sha !== undefined)) await walk(trees[0], trees[1], `${path}/`);
      const [old, now] = [was, is].map((entry) => (entry?.type === 'tree' ? undefined : entry));
      if (old !== undefined || now !== undefined) {
        found.push({ status: old === undefined ? 'A' : now === undefined ? 'D' : 'M', path });
      }
    }
  };
  await walk(from, to, '');
  return found;
}

/** Remembers what never changes: answers about commits, which are named by their content. */
export function makeMemo(
  size: number,
): <T>(key: string, make: () => Promise<T>, keep?: (value: T) => boolean) => Promise<T> {
  const known = new Map<string, Promise<unknown>>();
  return async (key, make, keep) => {
    const present = known.get(key) as ReturnType<typeof make> | undefined;
    if (present !== undefined) {
      known.delete(key);
      known.set(key, present);
      return present;
    }
    const made = make();
    known.set(key, made);
    for (const oldest of known.keys()) {
      if (known.size <= size) break;
      known.delete(oldest);
    }
    try {
      const value = await made;
      if (keep?.(value) === false) known.delete(key);
      return value;
    } catch (error) {
      known.delete(key);
      throw error;
    }
  };
}
