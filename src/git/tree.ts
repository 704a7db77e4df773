import { PorticoError } from '../error.ts';
import type { PackageDir } from '../reconcile/git-port.ts';
import { repositoryDirectory } from '../revision/package-path.ts';
import { createLru } from './lru.ts';
import type { PathChange, TreeEntry } from './mirror-types.ts';
import type { Repo } from './repo.ts';
import { requireTree } from './repo.ts';
import { checkDirectory, quote } from './safe-name.ts';
import { EMPTY_TREE, walkChanges, walkKptfiles, walkTree, type Kptfiles } from './tree-walk.ts';

/** Entries of one listing, which is held in memory. */
const MAX_ENTRIES = 1_000_000;

// Shared by all mirrors: memory stays bounded however many are open. Keys name the mirror, so nothing crosses over.
const listings = createLru<readonly TreeEntry[]>((entries) => entries.length * 250);
const blobs = createLru<Uint8Array>((bytes) => bytes.length + 300);
const packages = createLru<readonly PackageDir[]>((found) => found.length * 250);
const differences = createLru<readonly PathChange[]>((changes) => changes.length * 400);

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
  listings.set(key, entries);
  return entries;
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

/** The bytes of a blob, by its id. Throws if the mirror does not have it. */
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
  blobs.set(key, bytes);
  return bytes;
}

/**
 * The directories with a Kptfile below `directory`, sorted; who is whose subpackage follows from the paths. None below `.github`:
 * a package there would take the configuration for its own files.
 */
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
  const { trees, found: all } =
    (await walkKptfiles(repo, tree, signal)) ?? (await kptfilesByProcess(repo, tree, signal));
  const found = all.filter((path) => !/^\.github(?:\/|$)/.test(top === '' ? path : `${top}/${path}`));
  const known = new Set(found);
  const result = found.toSorted().map((path) => ({
    path: repositoryDirectory(path),
    directory: repositoryDirectory([top, path].filter((part) => part !== '').join('/')),
    tree: trees.get(path) ?? '',
    parent: parentOf(path, known),
  }));
  packages.set(key, result);
  return [...result];
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
  differences.set(key, changes);
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

function parentOf(path: string, known: ReadonlySet<string>): string | null {
  if (path === '') return null;
  const above = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  return known.has(above) ? repositoryDirectory(above) : parentOf(above, known);
}

function records(output: Buffer): string[] {
  // Counted first: a few objects may stand for millions of paths, and strings take many times their bytes.
  let count = 0;
  for (let at = output.indexOf(0); at >= 0; at = output.indexOf(0, at + 1)) count += 1;
  if (count > MAX_ENTRIES) {
    throw new PorticoError('REPOSITORY_TOO_LARGE', `the tree has more than ${MAX_ENTRIES} entries`, {
      blame: 'user',
      hint: 'Split the repository, or register a smaller directory.',
    });
  }
  return output.toString('utf8').split('\0').slice(0, -1);
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
