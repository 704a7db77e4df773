import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import { PorticoError } from '../error.ts';
import type { FetchOptions } from './mirror-types.ts';
import type { Remote } from './remote.ts';
import { lsRemote, runRemote } from './remote.ts';
import type { Repo } from './repo.ts';
import { runGit } from './run.ts';
import { checkRefspec } from './safe-name.ts';

/** What a fetch without refspecs takes: all below these. */
export const WHOLE = ['refs/heads/', 'refs/tags/', 'refs/portico/'] as const;
const DEFAULT_REFSPECS = WHOLE.map((prefix) => `+${prefix}*:${prefix}*`);

type Setup = Repo['setup'];

/** Leaves a sound mirror in its directory: the one that is there, or a new clone. */
export async function openOrClone(setup: Setup, remote: Remote, signal: AbortSignal): Promise<void> {
  if (existsSync(setup.gitDir) && (await isSound(setup, signal))) return;
  await cloneAnew(setup, remote, signal);
}

/** Clones beside the mirror's place and moves it there when whole, so that a crash leaves no half mirror. */
export async function cloneAnew(setup: Setup, remote: Remote, signal: AbortSignal): Promise<void> {
  const fresh = `${setup.gitDir}.new`;
  await rm(fresh, { recursive: true, force: true });
  // What repositories hold is for nobody else on the machine.
  await mkdir(dirname(fresh), { recursive: true, mode: 0o700 });
  try {
    // Clone, unlike fetch, writes thousands of refs into one file; heads and tags it takes by itself.
    const ledger = 'remote.origin.fetch=+refs/portico/*:refs/portico/*';
    const args = [
      'clone',
      '--quiet',
      '--bare',
      '--no-local',
      '--template=',
      '-c',
      ledger,
      '--',
      remote.url,
      fresh,
    ];
    await runRemote({ protocols: setup.protocols ?? [] }, remote, args, { signal });
    await rm(setup.gitDir, { recursive: true, force: true });
    await rename(fresh, setup.gitDir);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Fetches refs as they are; without refspecs all heads, tags and Portico's own. False when git had nothing to say, which
 * means that no ref moved. Where the mirror is filled, the remote must have a HEAD: git takes an empty page with status 200 for a repository
 * without refs (its dumb protocol), and would delete every ref. Throws `GIT_UNREACHABLE` for that.
 */
export async function fetchRefs(
  setup: Setup,
  remote: Remote,
  {
    refspecs,
    prune = refspecs === undefined,
    isFilled = false,
  }: FetchOptions & { readonly isFilled?: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  const args = [
    'fetch',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    ...(prune ? ['--prune'] : []),
    '--end-of-options',
    remote.url,
  ];
  const wanted = (refspecs ?? DEFAULT_REFSPECS).map(checkRefspec);
  const guard = prune && refspecs === undefined && isFilled ? ['HEAD'] : [];
  try {
    const { stderr } = await runRemote(setup, remote, [...args, ...wanted, ...guard], { signal });
    return stderr.split('\n').some((line) => line !== '' && !UNMOVED.test(line));
  } catch (error) {
    if (guard.length === 0 || !isNoSuchRef(error)) throw error;
  }
  // A repository whose HEAD names no branch has other refs all the same.
  if ((await lsRemote(setup, remote, [], signal)).size === 0) throw noRefs(remote);
  const { stderr } = await runRemote(setup, remote, [...args, ...wanted], { signal });
  return stderr.trim() !== '';
}

/** What git says of the guard, and above its list. */
const UNMOVED = /^From |-> FETCH_HEAD$/;

function isNoSuchRef(error: unknown): boolean {
  return error instanceof PorticoError && error.code === 'GIT_NO_SUCH_REF';
}

function noRefs({ url }: Remote): PorticoError {
  return new PorticoError('GIT_UNREACHABLE', `${new URL(url).host} answers that the repository has no refs`, {
    blame: 'forge',
    hint: 'Nothing was deleted in the mirror. A proxy may answer in place of the forge.',
  });
}

/** True for the errors that a new clone mends. */
export function isCorrupt(error: unknown): boolean {
  return error instanceof PorticoError && error.code === 'GIT_CORRUPT';
}

/** Every ref's object can be read. A deeper fault shows when it is met, and the next fetch mends it. */
async function isSound(setup: Setup, signal: AbortSignal): Promise<boolean> {
  try {
    await runGit(setup, ['for-each-ref', '--format=%(objecttype) %(*objecttype)'], { signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PorticoError && error.code !== 'GIT_TIMEOUT') return false;
    throw error;
  }
}
