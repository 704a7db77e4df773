import type { FileChanges } from '../reconcile/git-port.ts';
import { writeLooseObject } from './loose-object.ts';
import type { Repo } from './repo.ts';
import {
  formatTree,
  inTreeOrder,
  isTree,
  knowTreeLines,
  MAX_STEPS,
  readTreeLines,
  type Allowance,
  type TreeLine,
} from './tree-objects.ts';
import { EMPTY_TREE } from './tree-walk.ts';

/** Changes of one directory: of its own files, and of the directories in it. */
interface Folder {
  readonly files: Map<string, { readonly mode: string; readonly bytes: Uint8Array } | null>;
  readonly folders: Map<string, Folder>;
}

/** Trees that are read for it. */
const MAX_TREES = 2_000;

/**
 * Writes the blobs, and the trees on the way to them, as loose objects; everything else stays as it is. Paths must be
 * checked. Null where that is too much for one by one.
 */
export async function writeByHand(
  repo: Repo,
  start: string,
  changes: FileChanges,
  signal?: AbortSignal,
): Promise<string | null> {
  const allowance: Allowance = { left: MAX_TREES, steps: MAX_STEPS };
  const top = folder();
  // What is removed goes first, so that a file may take the place of a directory and the other way round.
  for (const [path, change] of [...changes].toSorted(
    ([, a], [, b]) => Number(a !== null) - Number(b !== null),
  )) {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    let at = top;
    for (const part of parts) {
      const next = at.folders.get(part) ?? folder();
      at.folders.set(part, next);
      at = next;
    }
    at.files.set(name, change);
  }
  const written = await writeFolder({
    repo,
    tree: start === EMPTY_TREE ? null : start,
    folder: top,
    allowance,
    signal,
  });
  if (written === undefined) return null;
  return written ?? writeLooseObject(repo, 'tree', Buffer.alloc(0));
}

function folder(): Folder {
  return { files: new Map(), folders: new Map() };
}

/** The id of the directory as it is then; null where nothing is left in it, undefined where too much had to be read. */
async function writeFolder({
  repo,
  tree,
  folder: { files, folders },
  allowance,
  signal,
}: {
  readonly repo: Repo;
  readonly tree: string | null;
  readonly folder: Folder;
  readonly allowance: Allowance;
  readonly signal: AbortSignal | undefined;
}): Promise<string | null | undefined> {
  const before = tree === null ? [] : await readTreeLines(repo, tree, allowance, signal);
  // A name that is no UTF-8 cannot be written back as it was.
  if (before === null || before.some(({ name }) => name.includes('\ufffd'))) return undefined;
  const lines = new Map(before.map((line) => [line.name, line]));
  for (const [name, change] of files) {
    if (change === null) lines.delete(name);
    else {
      const id = await writeLooseObject(repo, 'blob', change.bytes);
      lines.set(name, { name, mode: change.mode, id });
    }
  }
  for (const [name, inner] of folders) {
    const known = lines.get(name);
    const isFile = known !== undefined && !isTree(known);
    // Nothing can be removed below a file.
    if (isFile && !holdsFile(inner)) continue;
    const below = known === undefined || isFile ? null : known.id;
    const id = await writeFolder({ repo, tree: below, folder: inner, allowance, signal });
    if (id === undefined) return undefined;
    if (id === null) lines.delete(name);
    else lines.set(name, { name, mode: '040000', id });
  }
  if (lines.size === 0) return null;
  const now: readonly TreeLine[] = [...lines.values()].toSorted(inTreeOrder);
  const id = await writeLooseObject(repo, 'tree', formatTree(now));
  knowTreeLines(repo, id, now);
  return id;
}

function holdsFile({ files, folders }: Folder): boolean {
  return [...files.values()].some((change) => change !== null) || [...folders.values()].some(holdsFile);
}
