import { PorticoError } from '../error.ts';
import { createLru } from './lru.ts';
import type { PackageDir, PathChange, TreeEntry } from './mirror-types.ts';
import type { Repo } from './repo.ts';
import { requireTree } from './repo.ts';
import { checkDirectory, quote } from './safe-name.ts';
import { inTreeOrder, isTree, readTreeLines, type Allowance, type TreeLine } from './tree-objects.ts';

/** Git's id of the tree that holds nothing; every git knows it without storing it. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const MAX_ENTRIES = 1_000_000;

// Shared by all mirrors: memory stays bounded however many are open. Keys name the mirror, so nothing crosses over.
const listings = createLru<readonly TreeEntry[]>(400_000);
const blobs = createLru<Uint8Array>(64 * 1024 * 1024);
const packages = createLru<readonly PackageDir[]>(100_000);
const differences = createLru<readonly PathChange[]>(200_000);

/** Id of a directory, '' being the top; null where there is none. */
export async function treeId(
  repo: Repo,
  treeish: string,
  path: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const top = await requireTree(repo, treeish, signal);
  const directory = checkDirectory(path);
  if (directory === '') return top;
  const found = await repo.objects.info(`${top}:${directory}`, signal);
  return found?.type === 'tree' ? found.id : null;
}

/** Every file below a directory, recursively and in git's order; [] where there is no such directory. */
export async function listTree(
  repo: Repo,
  treeish: string,
  path = '',
  signal?: AbortSignal,
): Promise<readonly TreeEntry[]> {
  const tree = await treeId(repo, treeish, path, signal);
  if (tree === null) return [];
  const key = `${repo.setup.gitDir}:${tree}`;
  const cached = listings.get(key);
  if (cached) return cached;
  const entries = (await walkTree(repo, tree, signal)) ?? (await listByProcess(repo, tree, signal));
  listings.set(key, entries, entries.length + 1);
  return entries;
}

/** So many trees are read one by one, and so many sizes asked for, before a process is the cheaper way. */
const MOST_TREES = 200;
const MOST_SIZES = 2_000;

/** The files of a small tree, without a process; null for a large one. */
async function walkTree(
  repo: Repo,
  tree: string,
  signal: AbortSignal | undefined,
): Promise<TreeEntry[] | null> {
  const allowance: Allowance = { left: MOST_TREES };
  const found: { readonly path: string; readonly line: TreeLine }[] = [];
  const walk = async (id: string, prefix: string): Promise<boolean> => {
    const lines = await readTreeLines(repo, id, allowance, signal);
    if (lines === null || found.length + lines.length > MOST_SIZES) return false;
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
      const size = type === 'commit' ? 0 : await sizeOf(repo, id, signal);
      return { path, mode, type, id, size } as const;
    }),
  );
}

const sizes = createLru<number>(100_000);

async function sizeOf(repo: Repo, id: string, signal: AbortSignal | undefined): Promise<number> {
  const key = `${repo.setup.gitDir}:${id}`;
  const known = blobs.get(key)?.length ?? sizes.get(key);
  if (known !== undefined) return known;
  const size = (await repo.objects.info(id, signal))?.size ?? 0;
  sizes.set(key, size, 1);
  return size;
}

async function listByProcess(
  repo: Repo,
  tree: string,
  signal: AbortSignal | undefined,
): Promise<TreeEntry[]> {
  const { stdout } = await repo.git(['ls-tree', '-r', '-l', '-z', '--full-tree', tree], { signal });
  return records(stdout).map((record) => {
    const { isTree: _, ...entry } = parseEntry(record);
    return entry;
  });
}

/** The bytes of blobs by id; an id asked twice is read once. Throws GIT_CORRUPT for what is no blob of this mirror. */
export async function readBlobs(
  repo: Repo,
  ids: Iterable<string>,
  signal?: AbortSignal,
): Promise<Map<string, Uint8Array>> {
  const wanted = [...new Set(ids)];
  const found = new Map<string, Uint8Array>();
  // In slices, so that neither git's nor our queue grows with the repository.
  for (let at = 0; at < wanted.length; at += 1_000) {
    signal?.throwIfAborted();
    const slice = wanted
      .slice(at, at + 1_000)
      .map(async (id) => [id, await readBlob(repo, id, signal)] as const);
    for (const [id, bytes] of await Promise.all(slice)) found.set(id, bytes);
  }
  return found;
}

export async function readBlob(repo: Repo, id: string, signal?: AbortSignal): Promise<Uint8Array> {
  const key = `${repo.setup.gitDir}:${id}`;
  const cached = blobs.get(key);
  if (cached) return cached;
  const object = await repo.objects.read(id, signal);
  if (object?.type !== 'blob') {
    throw repo.damage(`there is no blob ${quote(id)} in the mirror`);
  }
  // A copy, so that a small file does not keep the chunk it arrived in.
  const bytes = Uint8Array.from(object.bytes);
  blobs.set(key, bytes, bytes.length + 100);
  return bytes;
}

/** The directories with a Kptfile below `directory`, sorted; who is whose subpackage follows from the paths. */
export async function findPackages(
  repo: Repo,
  commit: string,
  directory: string,
  signal?: AbortSignal,
): Promise<PackageDir[]> {
  const top = checkDirectory(directory);
  const tree = await treeId(repo, commit, top, signal);
  if (tree === null) return [];
  const key = JSON.stringify([repo.setup.gitDir, tree, top]);
  const cached = packages.get(key);
  if (cached) return [...cached];
  const { trees, found } =
    (await walkKptfiles(repo, tree, signal)) ?? (await kptfilesByProcess(repo, tree, signal));
  const known = new Set(found);
  const result = found.toSorted().map((path) => ({
    path,
    directory: [top, path].filter((part) => part !== '').join('/'),
    tree: trees.get(path) ?? '',
    parent: parentOf(path, known),
  }));
  packages.set(key, result, result.length + 1);
  return [...result];
}

/** Directories with a Kptfile, and the ids of (at least) these. */
interface Kptfiles {
  readonly trees: ReadonlyMap<string, string>;
  readonly found: readonly string[];
}

async function kptfilesByProcess(
  repo: Repo,
  tree: string,
  signal: AbortSignal | undefined,
): Promise<Kptfiles> {
  const { stdout } = await repo.git(['ls-tree', '-r', '-t', '-z', '--full-tree', tree], { signal });
  const ids = new Map([['', tree]]);
  const found: string[] = [];
  for (const { path, isTree: isDirectory, mode, id } of records(stdout).map(parseEntry)) {
    if (isDirectory) ids.set(path, id);
    else if ((path === 'Kptfile' || path.endsWith('/Kptfile')) && mode.startsWith('100')) {
      found.push(path.slice(0, Math.max(0, path.length - '/Kptfile'.length)));
    }
  }
  return { trees: ids, found };
}

/** What a tree holds stays the same, so that of a tree that was seen only what changed is read. */
const kptfiles = createLru<readonly (readonly [path: string, tree: string])[]>(100_000);

async function walkKptfiles(
  repo: Repo,
  top: string,
  signal: AbortSignal | undefined,
): Promise<Kptfiles | null> {
  const allowance: Allowance = { left: MOST_TREES };
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
      if (inner === null || all.length + inner.length > MAX_ENTRIES / 10) return null;
      for (const [path, tree] of inner) all.push([path === '' ? line.name : `${line.name}/${path}`, tree]);
    }
    kptfiles.set(key, all, all.length + 1);
    return all;
  };
  const all = await below(top);
  return all === null ? null : { trees: new Map(all), found: all.map(([path]) => path) };
}

/** Differing files between two commits or trees (null: nothing), sorted by path. */
export async function changedPaths(
  repo: Repo,
  a: string | null,
  b: string | null,
  signal?: AbortSignal,
): Promise<PathChange[]> {
  const before = a === null ? EMPTY_TREE : await requireTree(repo, a, signal);
  const after = b === null ? EMPTY_TREE : await requireTree(repo, b, signal);
  if (before === after) return [];
  const key = `${repo.setup.gitDir}:${before}:${after}`;
  const cached = differences.get(key);
  if (cached) return [...cached];
  const changes =
    (await walkChanges(repo, before, after, signal)) ?? (await changesByProcess(repo, before, after, signal));
  differences.set(key, changes, changes.length + 1);
  return [...changes];
}

async function changesByProcess(
  repo: Repo,
  before: string,
  after: string,
  signal: AbortSignal | undefined,
): Promise<PathChange[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-ext-diff', before, after];
  const fields = records((await repo.git(args, { signal })).stdout);
  const changes: PathChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', newMode = '', oldId = '', newId = ''] = (fields[at] ?? '').slice(1).split(' ');
    const old = oldMode === '000000' ? null : { mode: oldMode, id: oldId };
    const now = newMode === '000000' ? null : { mode: newMode, id: newId };
    const status = old === null ? 'added' : now === null ? 'deleted' : 'modified';
    changes.push({ path: fields[at + 1] ?? '', status, before: old, after: now });
  }
  return changes;
}

/** Goes down where two trees differ, and nowhere else; null where that is in too many places. */
async function walkChanges(
  repo: Repo,
  before: string,
  after: string,
  signal: AbortSignal | undefined,
): Promise<PathChange[] | null> {
  const allowance: Allowance = { left: MOST_TREES };
  const changes: PathChange[] = [];
  const linesOf = (id: string | undefined): Promise<readonly TreeLine[] | null> =>
    id === undefined || id === EMPTY_TREE ? Promise.resolve([]) : readTreeLines(repo, id, allowance, signal);
  const walk = async (a: string | undefined, b: string | undefined, prefix: string): Promise<boolean> => {
    const [old, now] = [await linesOf(a), await linesOf(b)];
    if (old === null || now === null) return false;
    // A file and a directory of one name are two lines, each in its place.
    const name = (line: TreeLine): string => (isTree(line) ? `${line.name}/` : line.name);
    const olds = new Map(old.map((line) => [name(line), line]));
    const nows = new Map(now.map((line) => [name(line), line]));
    for (const line of [...now, ...old.filter((one) => !nows.has(name(one)))].toSorted(inTreeOrder)) {
      const [was, is] = [olds.get(name(line)), nows.get(name(line))];
      if (was?.id === is?.id && was?.mode === is?.mode) continue;
      const path = `${prefix}${line.name}`;
      if (isTree(line)) {
        if (!(await walk(was?.id, is?.id, `${path}/`))) return false;
        continue;
      }
      const status = was === undefined ? 'added' : is === undefined ? 'deleted' : 'modified';
      const side = (one: TreeLine | undefined): PathChange['before'] =>
        one === undefined ? null : { mode: one.mode, id: one.id };
      changes.push({ path, status, before: side(was), after: side(is) });
      if (changes.length > MOST_SIZES) return false;
    }
    return true;
  };
  return (await walk(before, after, '')) ? changes : null;
}

function parentOf(path: string, known: ReadonlySet<string>): string | null {
  if (path === '') return null;
  const above = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  return known.has(above) ? above : parentOf(above, known);
}

function records(output: Buffer): string[] {
  const found = output.toString('utf8').split('\0');
  found.pop();
  if (found.length <= MAX_ENTRIES) return found;
  throw new PorticoError('REPOSITORY_TOO_LARGE', `the tree has more than ${MAX_ENTRIES} entries`, {
    hint: 'Split the repository, or register a smaller directory.',
  });
}

/** `<mode> <type> <id>[ <size>]\t<path>` */
function parseEntry(record: string): TreeEntry & { readonly isTree: boolean } {
  const tab = record.indexOf('\t');
  const [mode = '', type = '', id = '', size] = record.slice(0, tab).split(/ +/);
  return {
    path: record.slice(tab + 1),
    mode,
    type: type === 'commit' ? 'commit' : 'blob',
    isTree: type === 'tree',
    id,
    size: Number(size) || 0,
  };
}
