/** Questions about trees that are answered by reading those that are new, without a process. */
import { createLru } from './lru.ts';
import type { PathChange, TreeEntry } from './mirror-types.ts';
import type { Repo } from './repo.ts';
import {
  inTreeOrder,
  isTree,
  MAX_STEPS,
  orderName,
  readTreeLines,
  type Allowance,
  type TreeLine,
} from './tree-objects.ts';

/** Git's id of the tree that holds nothing; every git knows it without storing it. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** So many trees are read one by one, and so many sizes asked for, before a process is the cheaper way. */
const MAX_TREES = 200;
const MAX_SIZES = 2_000;

/** The files of a small tree, without a process; null for a large one. */
export async function walkTree(
  repo: Repo,
  tree: string,
  signal: AbortSignal | undefined,
): Promise<TreeEntry[] | null> {
  const allowance: Allowance = { left: MAX_TREES, steps: MAX_STEPS };
  const found: { readonly path: string; readonly line: TreeLine }[] = [];
  const walk = async (id: string, prefix: string): Promise<boolean> => {
    const lines = await readTreeLines(repo, id, allowance, signal);
    if (lines === null || found.length + lines.length > MAX_SIZES) return false;
    for (const line of lines) {
      if (!isTree(line)) found.push({ path: `${prefix}${line.name}`, line });
      else if (!(await walk(line.id, `${prefix}${line.name}/`))) return false;
    }
    return true;
  };
  if (!(await walk(tree, ''))) return null;
  return Promise.all(
    found.map(async ({ path, line: { mode, id } }) => {
      const type = mode === '160000' ? 'commit' : 'blob';
      const size = type === 'commit' ? 0 : ((await repo.objects.info(id, signal))?.size ?? 0);
      return { path, mode, type, id, size } as const;
    }),
  );
}

/** Directories with a Kptfile, and the ids of (at least) these. */
export interface Kptfiles {
  readonly trees: ReadonlyMap<string, string>;
  readonly found: readonly string[];
}

/** Kptfiles of one tree; the index holds a row for each. */
const MAX_KPTFILES = 100_000;

/** What a tree holds stays the same, so that of a tree that was seen only what changed is read. */
const kptfiles = createLru<readonly (readonly [path: string, tree: string])[]>((all) => all.length * 200);

export async function walkKptfiles(
  repo: Repo,
  top: string,
  signal: AbortSignal | undefined,
): Promise<Kptfiles | null> {
  const allowance: Allowance = { left: MAX_TREES, steps: MAX_STEPS };
  const below = async (id: string): Promise<readonly (readonly [string, string])[] | null> => {
    const key = `${repo.setup.gitDir}:${id}`;
    const known = kptfiles.get(key);
    if (known !== undefined) return known;
    const lines = await readTreeLines(repo, id, allowance, signal);
    if (lines === null) return null;
    const all: (readonly [string, string])[] = [];
    if (lines.some(({ name, mode }) => name === 'Kptfile' && mode.startsWith('100'))) all.push(['', id]);
    for (const line of lines) {
      if (!isTree(line)) continue;
      const inner = await below(line.id);
      if (inner === null || all.length + inner.length > MAX_KPTFILES) return null;
      for (const [path, tree] of inner) all.push([path === '' ? line.name : `${line.name}/${path}`, tree]);
    }
    kptfiles.set(key, all);
    return all;
  };
  const all = await below(top);
  return all === null ? null : { trees: new Map(all), found: all.map(([path]) => path) };
}

/** Goes down where two trees differ, and nowhere else; null where that is in too many places. */
export async function walkChanges(
  repo: Repo,
  before: string,
  after: string,
  signal: AbortSignal | undefined,
): Promise<PathChange[] | null> {
  const allowance: Allowance = { left: MAX_TREES, steps: MAX_STEPS };
  const changes: PathChange[] = [];
  const linesOf = (id: string | undefined): Promise<readonly TreeLine[] | null> =>
    id === undefined || id === EMPTY_TREE ? Promise.resolve([]) : readTreeLines(repo, id, allowance, signal);
  const walk = async (a: string | undefined, b: string | undefined, prefix: string): Promise<boolean> => {
    const [old, now] = [await linesOf(a), await linesOf(b)];
    if (old === null || now === null) return false;
    const olds = new Map(old.map((line) => [orderName(line), line]));
    const nows = new Map(now.map((line) => [orderName(line), line]));
    for (const line of [...now, ...old.filter((one) => !nows.has(orderName(one)))].toSorted(inTreeOrder)) {
      // A file and a directory of one name are two lines, each in its place.
      const [was, is] = [olds.get(orderName(line)), nows.get(orderName(line))];
      if (was?.id === is?.id && was?.mode === is?.mode) continue;
      const path = `${prefix}${line.name}`;
      if (isTree(line)) {
        if (!(await walk(was?.id, is?.id, `${path}/`))) return false;
        continue;
      }
      const status = was === undefined ? 'added' : is === undefined ? 'deleted' : 'modified';
      changes.push({ path, status, before: side(was), after: side(is) });
      if (changes.length > MAX_SIZES) return false;
    }
    return true;
  };
  return (await walk(before, after, '')) ? changes : null;
}

function side(line: TreeLine | undefined): PathChange['before'] {
  return line === undefined ? null : { mode: line.mode, id: line.id };
}
