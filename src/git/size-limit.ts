import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { PorticoError } from '../error.ts';

/** How often what has come is weighed. */
const EVERY_MS = 100;

/**
 * Does work that fetches into one of the directories of bare repositories, and stops it once more than `maxBytes` lie
 * there. Git has no limit of its own for what it fetches. Without a limit it just does the work.
 * @throws PorticoError GIT_TOO_LARGE
 */
export async function withinSize<Result>(
  directories: readonly string[],
  maxBytes: number | undefined,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (maxBytes === undefined) return work(signal);
  const stop = new AbortController();
  const weigh = async (): Promise<void> => {
    const sizes = await Promise.all(directories.map(packedBytes));
    if (sizes.some((size) => size > maxBytes)) stop.abort(tooLarge(maxBytes));
  };
  const timer = setInterval(() => void weigh().catch(() => {}), EVERY_MS);
  try {
    const result = await work(AbortSignal.any([signal, stop.signal]));
    // What came between two looks.
    await weigh();
    stop.signal.throwIfAborted();
    return result;
  } catch (error) {
    if (stop.signal.aborted) for (const directory of directories) await removeHalf(directory);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** True for what `withinSize` throws. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof PorticoError && error.code === 'GIT_TOO_LARGE';
}

/** Bytes of packs, whole and half; 0 where there is no repository. */
async function packedBytes(directory: string): Promise<number> {
  const packs = join(directory, 'objects', 'pack');
  const names = await readdir(packs).catch(() => []);
  const sizes = names.map((name) =>
    stat(join(packs, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** A pack that was broken off would be weighed for ever. */
async function removeHalf(directory: string): Promise<void> {
  const packs = join(directory, 'objects', 'pack');
  for (const name of await readdir(packs).catch(() => [])) {
    if (name.startsWith('tmp_')) await rm(join(packs, name), { force: true });
  }
}

function tooLarge(maxBytes: number): PorticoError {
  const limit = `${Math.max(1, Math.round(maxBytes / (1024 * 1024)))} MB`;
  return new PorticoError('GIT_TOO_LARGE', `the repository is larger than ${limit}`, {
    blame: 'user',
    hint: 'Clone from a smaller repository, or ask the operator of Portico to raise OUTSIDE_MAX_MB.',
  });
}
