import { PorticoError } from '../error.ts';
import type { TreeEntry } from '../git/mirror-types.ts';
import type { Repo } from '../git/repo.ts';
import { isTree, parseTree } from '../git/tree-objects.ts';

/** A tree may hold one tree many times over, so that few objects make endless paths. */
const MAX_ENTRIES = 100_000;
const MAX_DEPTH = 100;

/**
 * Every file below a tree, recursively, as `git ls-tree -r -l` tells, read by the process that reads objects anyway:
 * for packages that costs less than a process more. Throws `GIT_CORRUPT` and `REPOSITORY_TOO_LARGE`.
 */
export async function walkTree(
  repo: Repo,
  tree: string,
  _path = '',
  signal?: AbortSignal,
): Promise<readonly TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const walk = async (id: string, prefix: string, depth: number): Promise<void> => {
    const found = await repo.objects.read(id, signal);
    if (found?.type !== 'tree')
      throw new PorticoError('GIT_CORRUPT', `there is no tree ${id}`, { blame: 'user' });
    if (depth > MAX_DEPTH) throw tooLarge();
    const below: Promise<void>[] = [];
    const lines = parseTree(found.bytes, id.length / 2);
    if (lines === null)
      throw new PorticoError('GIT_CORRUPT', 'a tree of the repository cannot be read', { blame: 'user' });
    for (const line of lines) {
      const { name, mode, id: child } = line;
      const path = prefix + name;
      if (isTree(line)) below.push(walk(child, `${path}/`, depth + 1));
      else if (mode === '160000') entries.push({ path, mode, type: 'commit', id: child, size: 0 });
      else below.push(add(path, mode, child));
      if (entries.length + below.length > MAX_ENTRIES) throw tooLarge();
    }
    await Promise.all(below);
  };
  const add = async (path: string, mode: string, id: string): Promise<void> => {
    const size = (await repo.objects.info(id, signal))?.size ?? 0;
    entries.push({ path, mode, type: 'blob', id, size });
    if (entries.length > MAX_ENTRIES) throw tooLarge();
  };
  await walk(tree, '', 0);
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function tooLarge(): PorticoError {
  return new PorticoError('REPOSITORY_TOO_LARGE', `the tree has more than ${MAX_ENTRIES} entries`, {
    blame: 'user',
    hint: 'Name a directory with fewer files.',
  });
}
