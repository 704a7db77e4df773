/**
 * Deliveries as files, written before they are acknowledged and taken into the database a moment later. A file is
 * written in less time than one statement of the embedded engine takes, and waits for nobody.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Spooled {
  /** `X-GitHub-Delivery`, which the door has checked. */
  readonly id: string;
  readonly event: string;
  /** What is stored of it, a JSON text. */
  readonly body: string;
}

export interface Spool {
  /** Writes a delivery so that the death of the process cannot lose it; the name of its file. @throws when the disk is full */
  put(delivery: Spooled): string;
  /** Names of what lies there, in the order in which it came. */
  names(): string[];
  /** Null when there is no such file any more, or it holds no delivery. */
  read(name: string): Spooled | null;
  drop(name: string): void;
}

/** What repositories hold is for nobody else on the machine. */
const OWN_DIRECTORY = 0o700;
const OWN_FILE = 0o600;
const WHOLE = '.delivery';
const HALF = '.half';

/** Opens a directory that belongs to one process alone, and makes it if need be. Nobody may be writing yet. */
export function openSpool(directory: string): Spool {
  mkdirSync(directory, { recursive: true, mode: OWN_DIRECTORY });
  // What is not whole was not acknowledged either.
  for (const name of readdirSync(directory))
    if (name.endsWith(HALF)) rmSync(join(directory, name), { force: true });
  let count = 0;
  return {
    put({ id, event, body }) {
      const order = `${String(Date.now()).padStart(15, '0')}-${String((count += 1)).padStart(9, '0')}`;
      const half = join(directory, `${order}${HALF}`);
      try {
        writeFileSync(half, `${JSON.stringify({ id, event })}\n${body}`, { mode: OWN_FILE });
        renameSync(half, join(directory, `${order}${WHOLE}`));
      } catch (error) {
        rmSync(half, { force: true });
        throw error;
      }
      return `${order}${WHOLE}`;
    },
    names: () =>
      readdirSync(directory)
        .filter((name) => name.endsWith(WHOLE))
        .toSorted(),
    read(name) {
      try {
        return parse(readFileSync(join(directory, name), 'utf8'));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    drop: (name) => rmSync(join(directory, name), { force: true }),
  };
}

function parse(text: string): Spooled | null {
  const end = text.indexOf('\n');
  try {
    const { id, event } = JSON.parse(text.slice(0, end)) as Record<string, unknown>;
    return typeof id === 'string' && typeof event === 'string'
      ? { id, event, body: text.slice(end + 1) }
      : null;
  } catch {
    return null;
  }
}
