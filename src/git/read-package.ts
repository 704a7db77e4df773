import { PorticoError } from '../error.ts';
import { MAX_TOTAL_BYTES } from '../package/limits.ts';
import type { FileMode, PackageFile } from '../package/package.ts';
import type { ReadPackage, SkippedEntry } from '../reconcile/git-port.ts';
import type { PackageLimits, TreeEntry } from './mirror-types.ts';
import type { Repo } from './repo.ts';
import { checkDirectory, pathProblem, quote } from './safe-name.ts';
import { listTree, readBlobs, treeId } from './tree.ts';

export const PACKAGE_LIMITS: PackageLimits = {
  maxFiles: 20_000,
  maxFileBytes: 16 * 1024 * 1024,
  maxTotalBytes: MAX_TOTAL_BYTES,
};

/**
 * Reads a package out of a commit; null where the directory is absent. Symlinks and submodules are left out and
 * reported. Throws PACKAGE_UNSAFE_PATH and PACKAGE_TOO_LARGE before any content is read. `list` may be another way to
 * list a tree.
 */
export async function readPackage({
  repo,
  commit,
  path,
  limits,
  signal,
  list = listTree,
}: {
  readonly repo: Repo;
  readonly commit: string;
  readonly path: string;
  readonly limits: PackageLimits;
  readonly signal?: AbortSignal | undefined;
  readonly list?: typeof listTree | undefined;
}): Promise<ReadPackage | null> {
  const directory = checkDirectory(path);
  const tree = await treeId(repo, commit, directory, signal);
  if (tree === null) return null;
  const entries = await list(repo, tree, '', signal);
  const links = entries.flatMap(skippedEntry);
  const regular = entries.filter((entry) => skippedEntry(entry).length === 0);
  checkLimits(directory, regular, limits);
  checkPaths(directory, entries);
  const contents = await readBlobs(
    repo,
    regular.map((entry) => entry.id),
    signal,
  );
  const files = new Map<string, PackageFile>();
  for (const entry of regular) {
    const bytes = contents.get(entry.id);
    if (bytes) files.set(entry.path, { mode: fileMode(entry), id: entry.id, bytes });
  }
  return { tree, files, skipped: await withTargets(repo, entries, links, signal) };
}

function skippedEntry({ path, mode, id }: TreeEntry): SkippedEntry[] {
  if (mode === '120000') return [{ path, reason: 'symlink', id }];
  return mode === '160000' ? [{ path, reason: 'submodule', id }] : [];
}

/** Longer than any path: such a link leads nowhere. */
const MAX_TARGET = 4_096;

async function withTargets(
  repo: Repo,
  entries: readonly TreeEntry[],
  links: readonly SkippedEntry[],
  signal: AbortSignal | undefined,
): Promise<readonly SkippedEntry[]> {
  const ids = entries.flatMap(({ mode, size, id }) => (mode === '120000' && size <= MAX_TARGET ? [id] : []));
  if (ids.length === 0) return links;
  const targets = await readBlobs(repo, ids, signal);
  return links.map((link) => {
    const bytes = link.reason === 'symlink' ? targets.get(link.id) : undefined;
    return bytes === undefined ? link : { ...link, target: new TextDecoder().decode(bytes) };
  });
}

function fileMode(entry: TreeEntry): FileMode {
  return entry.mode === '100755' ? '100755' : '100644';
}

function checkLimits(directory: string, files: readonly TreeEntry[], limits: PackageLimits): void {
  const name = quote(directory === '' ? '/' : directory);
  const large = files.find((file) => file.size > limits.maxFileBytes);
  const total = files.reduce((sum, file) => sum + file.size, 0);
  if (files.length > limits.maxFiles) {
    throw tooLarge(`package ${name} has ${files.length} files; the limit is ${limits.maxFiles}`);
  }
  if (large) {
    throw tooLarge(
      `${quote(large.path)} in ${name} has ${large.size} bytes; the limit is ${limits.maxFileBytes}`,
    );
  }
  if (total > limits.maxTotalBytes) {
    throw tooLarge(`package ${name} has ${total} bytes; the limit is ${limits.maxTotalBytes}`);
  }
}

/** Refuses paths that mean something else, or the same as another, on some file system a person may check out to. */
function checkPaths(directory: string, entries: readonly TreeEntry[]): void {
  const folded = new Map<string, string>();
  for (const { path } of entries) {
    const problem = pathProblem(path);
    if (problem !== null) throw unsafe(directory, path, problem);
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      const prefix = path.slice(0, end);
      const key = prefix.normalize('NFC').toLowerCase();
      const other = folded.get(key);
      // A prefix that is known was looked at with everything above it.
      if (other === prefix) break;
      if (other !== undefined) throw unsafe(directory, path, `it differs from ${quote(other)} only in case`);
      folded.set(key, prefix);
    }
  }
}

function unsafe(directory: string, path: string, problem: string): PorticoError {
  const where = quote(directory === '' ? '/' : directory);
  return new PorticoError(
    'PACKAGE_UNSAFE_PATH',
    `file ${quote(path)} in package ${where} is refused: ${problem}`,
    { blame: 'user', hint: 'Rename or remove the file.' },
  );
}

function tooLarge(message: string): PorticoError {
  return new PorticoError('PACKAGE_TOO_LARGE', message, {
    blame: 'user',
    hint: 'Split the package, or move large files out of it.',
  });
}
