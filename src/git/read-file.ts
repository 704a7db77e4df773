import { PorticoError } from '../error.ts';
import type { Repo } from './repo.ts';
import { requireTree } from './repo.ts';
import { checkPath, quote } from './safe-name.ts';
import { readBlob, treeId } from './tree.ts';

/**
 * The bytes of one regular file, or null where there is none; symlinks and submodules are no files here. Starts no
 * process of its own. Throws FILE_TOO_LARGE before reading, INVALID_PATH.
 */
export async function readFile({
  repo,
  commit,
  path,
  maxBytes,
  signal,
}: {
  readonly repo: Repo;
  readonly commit: string;
  readonly path: string;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}): Promise<Uint8Array | null> {
  checkPath(path);
  const slash = path.lastIndexOf('/');
  const top = await requireTree(repo, commit, signal);
  const parent = slash < 0 ? top : await treeId(repo, top, path.slice(0, slash), signal);
  const tree = parent === null ? null : await repo.objects.read(parent, signal);
  const entry = tree && findEntry(tree.bytes, path.slice(slash + 1), tree.id.length / 2);
  if (!entry?.mode.startsWith('100')) return null;
  const size = (await repo.objects.info(entry.id, signal))?.size ?? 0;
  if (size <= maxBytes) return await readBlob(repo, entry.id, signal);
  throw new PorticoError('FILE_TOO_LARGE', `${quote(path)} has ${size} bytes; the limit is ${maxBytes}`, {
    blame: 'user',
  });
}

/** A tree object is a row of `<mode> <name>\0<id in bytes>`. */
function findEntry(tree: Buffer, name: string, idBytes: number): { mode: string; id: string } | null {
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(0x20, at);
    const nul = tree.indexOf(0, space);
    if (space < 0 || nul < 0) return null;
    const end = nul + 1 + idBytes;
    if (tree.toString('utf8', space + 1, nul) === name) {
      return { mode: tree.toString('latin1', at, space), id: tree.toString('hex', nul + 1, end) };
    }
    at = end;
  }
  return null;
}
