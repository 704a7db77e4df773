/** Tree objects read one by one through the object reader, which is far cheaper than a process where few of them are new. */
import { createLru } from './lru.ts';
import type { Repo } from './repo.ts';

/** One line of a tree; `mode` as git shows it, six digits. */
export interface TreeLine {
  readonly name: string;
  readonly mode: string;
  readonly id: string;
}

const TREE = '040000';

// Shared by all mirrors. Keys name the mirror, so nothing crosses over.
const trees = createLru<readonly TreeLine[]>((lines) => lines.length * 200);

/** What one question may cost before a process is the cheaper way. */
export interface Allowance {
  /** Trees that may be read. */
  left: number;
  /** Trees that may be gone through, known ones too: a few that hold each other many times make endless paths. */
  steps: number;
}

/** Trees gone through for one question at most. */
export const MAX_STEPS = 20_000;

export function isTree({ mode }: TreeLine): boolean {
  return mode === TREE;
}

/** The lines of a tree in git's order; null where too much was read or gone through. Throws GIT_CORRUPT for what is no tree. */
export async function readTreeLines(
  repo: Repo,
  id: string,
  allowance: Allowance,
  signal?: AbortSignal,
): Promise<readonly TreeLine[] | null> {
  if (allowance.steps <= 0) return null;
  allowance.steps -= 1;
  const key = `${repo.setup.gitDir}:${id}`;
  const known = trees.get(key);
  if (known !== undefined) return known;
  if (allowance.left <= 0) return null;
  allowance.left -= 1;
  const object = await repo.objects.read(id, signal);
  if (object?.type !== 'tree') throw repo.damage(`there is no tree ${id} in the mirror`);
  const lines = parseTree(object.bytes, id.length / 2);
  if (lines === null) throw repo.damage(`the tree ${id} is cut short in the mirror`);
  trees.set(key, lines);
  return lines;
}

/** Remembers a tree that was just written. */
export function knowTreeLines(repo: Repo, id: string, lines: readonly TreeLine[]): void {
  trees.set(`${repo.setup.gitDir}:${id}`, lines);
}

/** `<mode> <name>\0<id>` for each line (git's tree format); null where a line is cut short. */
export function parseTree(bytes: Buffer, idBytes: number): TreeLine[] | null {
  const lines: TreeLine[] = [];
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space + 1);
    if (space < 0 || end < 0 || end + idBytes >= bytes.length) return null;
    lines.push({
      mode: bytes.toString('latin1', at, space).padStart(6, '0'),
      name: bytes.toString('utf8', space + 1, end),
      id: bytes.toString('hex', end + 1, end + 1 + idBytes),
    });
    at = end + 1 + idBytes;
  }
  return lines;
}

/** The bytes of a tree object; the lines are in git's order. */
export function formatTree(lines: readonly TreeLine[]): Buffer {
  const parts = lines.flatMap(({ mode, name, id }) => [
    // Git writes modes without leading zeros.
    Buffer.from(`${mode.replace(/^0+/, '')} ${name}\0`),
    Buffer.from(id, 'hex'),
  ]);
  return Buffer.concat(parts);
}

/** Git's order: by bytes, a directory as if its name ended in a slash. */
export function inTreeOrder(a: TreeLine, b: TreeLine): number {
  return Buffer.compare(Buffer.from(orderName(a)), Buffer.from(orderName(b)));
}

/** A name as it is sorted. */
export function orderName(line: TreeLine): string {
  return isTree(line) ? `${line.name}/` : line.name;
}
