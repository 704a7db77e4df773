import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { isSha } from './git-refs.ts';
import type { RefChange } from './git-repository.ts';

/**
 * Moves the one ref of a pull request that nobody but the forge writes (`refs/pull/1/head`, `refs/pull/1/merge`), without a
 * process: a loose ref, under git's own lock. Undefined where this is another change, or somebody has the lock.
 */
export async function writePullRef(
  directory: string,
  changes: readonly RefChange[],
): Promise<{ readonly ok: true } | undefined> {
  const [change] = changes;
  if (change === undefined || changes.length > 1 || change.before !== undefined) return undefined;
  const { ref, after } = change;
  if (after === null || !isSha(after) || !/^refs\/pull\/[1-9]\d*\/(?:head|merge)$/.test(ref))
    return undefined;
  const file = join(directory, ref);
  await mkdir(dirname(file), { recursive: true });
  const lock = `${file}.lock`;
  const handle = await open(lock, 'wx').catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    await handle.writeFile(`${after}\n`);
    await handle.close();
    await rename(lock, file);
  } catch (error) {
    await rm(lock, { force: true });
    throw error;
  }
  return { ok: true };
}
