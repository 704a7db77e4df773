import { rm } from 'node:fs/promises';
import { resolve as resolvePath } from 'node:path';

import { PorticoError } from '../error.ts';
import type { RefUpdate } from '../reconcile/git-port.ts';
import { openObjectReader } from './batch.ts';
import { WHOLE, cloneAnew, fetchRefs, isCorrupt, openOrClone } from './clone.ts';
import { isAncestor, mergeBase, mergeBases, mergeTrees, readCommit, readLog, readTag } from './history.ts';
import type {
  FetchOptions,
  Mirror,
  MirrorOptions,
  MirrorRef,
  PushResult,
  RefChange,
} from './mirror-types.ts';
import { readFile } from './read-file.ts';
import { PACKAGE_LIMITS, readPackage } from './read-package.ts';
import type { Remote } from './remote.ts';
import { lsRemote, pushRefs } from './remote.ts';
import type { RefsVersion, Repo } from './repo.ts';
import { createRepo, resolveCommit } from './repo.ts';
import { checkOid } from './safe-name.ts';
import { hasSameRefs } from './same-refs.ts';
import { isTooLarge, withinSize } from './size-limit.ts';
import type { Serial } from './sync.ts';
import { createSerial } from './sync.ts';
import { changedPaths, findPackages, listTree, readBlob, readBlobs, treeId } from './tree.ts';
import { commitTree, writeTag, writeTree } from './write.ts';

/** What all mirrors that are open on one directory share in this process: the lock, and how often refs moved. */
interface Place {
  readonly lock: Serial;
  readonly version: RefsVersion;
}

const places = new Map<string, Place>();

/**
 * Opens the mirror of one repository: a full bare clone, made here when absent and made anew when damaged. Reads are
 * local; only fetch, remoteRefs and push talk to the remote. Throws GIT_AUTH, GIT_NOT_FOUND, GIT_UNREACHABLE,
 * GIT_TIMEOUT when it has to clone. Nothing in the mirror is worth a backup.
 */
export async function openMirror(options: MirrorOptions): Promise<Mirror> {
  const dir = resolvePath(options.dir);
  const remote: Remote = {
    url: checkUrl(options),
    ...(options.token === undefined ? {} : { token: options.token, username: options.username }),
    ...(options.moves !== undefined && { moves: options.moves }),
    ...(options.reach !== undefined && { reach: options.reach }),
    // What is weighed are packs.
    ...(options.maxBytes !== undefined && { config: { 'fetch.unpackLimit': '1' } }),
  };
  const setup = { gitDir: dir, protocols: options.protocols ?? [] };
  const place = placeOf(dir);
  const within = <Result>(signal: AbortSignal, work: (s: AbortSignal) => Promise<Result>): Promise<Result> =>
    withinSize([dir, `${dir}.new`], options.maxBytes, signal, work);
  await place.lock.run(
    'open',
    async (signal) => {
      try {
        await within(signal, (s) => openOrClone(setup, remote, s));
      } catch (error) {
        // The last of it may have come, and the mirror be whole, before it was weighed.
        if (isTooLarge(error)) await rm(dir, { recursive: true, force: true });
        throw error;
      }
    },
    options.signal,
  );

  const objects = openObjectReader(setup);
  const repo = createRepo(setup, objects, place.version);
  const limits = { ...PACKAGE_LIMITS, ...options.limits };

  return {
    dir,
    fetch: (fetchOptions = {}, signal) => {
      const key = `fetch ${JSON.stringify([fetchOptions.refspecs, fetchOptions.prune])}`;
      const work = (s: AbortSignal): Promise<ReadonlyMap<string, RefChange>> =>
        fetchAndCompare({ repo, place, remote, options: fetchOptions, signal: s });
      return place.lock.run(key, (s) => within(s, work), signal);
    },
    remoteRefs: (patterns = [], signal) => lsRemote(setup, remote, patterns, signal),
    refs: async (prefix = '', signal) => below(prefix, await repo.refs(signal)),
    resolve: (rev, signal) => resolveCommit(repo, rev, signal),
    commit: (oid, signal) => readCommit(repo, oid, signal),
    tag: (oidOrRef, signal) => readTag(repo, oidOrRef, signal),
    log: (range, logOptions = {}, signal) => readLog(repo, range, logOptions, signal),
    treeId: (commit, path, signal) => treeId(repo, commit, path, signal),
    list: async (treeish, path, signal) => [...(await listTree(repo, treeish, path, signal))],
    readBlob: (id, signal) => readBlob(repo, checkOid(id), signal),
    readBlobs: (ids, signal) => readBlobs(repo, [...ids].map(checkOid), signal),
    readFile: (commit, path, signal) =>
      readFile({ repo, commit, path, maxBytes: limits.maxFileBytes, signal }),
    readPackage: (commit, path, readOptions = {}, signal) =>
      readPackage({ repo, commit, path, limits: { ...limits, ...readOptions.limits }, signal }),
    findPackages: (commit, directory, signal) => findPackages(repo, commit, directory, signal),
    changedPaths: (a, b, signal) => changedPaths(repo, a, b, signal),
    mergeBase: (a, b, signal) => mergeBase(repo, a, b, signal),
    mergeBases: (a, b, signal) => mergeBases(repo, a, b, signal),
    isAncestor: (a, b, signal) => isAncestor(repo, a, b, signal),
    mergeTrees: (ours, theirs, mergeOptions, signal) =>
      mergeTrees({ repo, ours, theirs, base: mergeOptions?.base, signal }),
    writeTree: (base, changes, signal) => writeTree(repo, base, changes, signal),
    commitTree: (commit, signal) => commitTree(repo, commit, signal, options.signer),
    writeTag: (tag, signal) => writeTag(repo, tag, signal, options.signer),
    push: (updates, signal) => pushAndRecord({ repo, place, remote, updates, signal }),
    [Symbol.asyncDispose]: async () => objects[Symbol.dispose](),
  };
}

function placeOf(dir: string): Place {
  const place = places.get(dir) ?? { lock: createSerial(), version: { count: 0 } };
  places.set(dir, place);
  return place;
}

/** A URL without credentials, of a protocol that is allowed here. */
function checkUrl({ url, protocols = [] }: MirrorOptions): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const allowed = ['https:', ...protocols.map((protocol) => `${protocol}:`)];
  if (parsed && allowed.includes(parsed.protocol) && parsed.username === '' && parsed.password === '') {
    return parsed.href;
  }
  throw new PorticoError(
    'INVALID_URL',
    `a repository is not fetched from such a URL; allowed: ${allowed.join(', ')}`,
    { blame: 'user', hint: 'Use https://HOST/OWNER/NAME.git, without a user name or password in it.' },
  );
}

async function fetchAndCompare({
  repo,
  place,
  remote,
  options,
  signal,
}: {
  readonly repo: Repo;
  readonly place: Place;
  readonly remote: Remote;
  readonly options: FetchOptions;
  readonly signal: AbortSignal;
}): Promise<ReadonlyMap<string, RefChange>> {
  const before = await readable(repo, signal);
  const fetch = (isFilled: boolean): Promise<boolean> =>
    fetchRefs(repo.setup, remote, { ...options, isFilled }, signal);
  const mend = async (): Promise<void> => {
    await cloneAnew(repo.setup, remote, signal);
    repo.renew();
  };
  const whole = options.refspecs === undefined && options.prune !== false;
  if (before !== null && whole && (await hasSameRefs(remote, before, WHOLE, signal))) return new Map();
  let moved = true;
  try {
    if (before === null) await mend();
    const news = await fetch(before !== null && before.size > 0).catch(async (error: unknown) => {
      if (!isCorrupt(error)) throw error;
      await mend();
      await fetch(false);
      return true;
    });
    moved = before === null || news;
  } finally {
    if (moved) place.version.count += 1;
  }
  return moved ? differences(before ?? new Map(), await repo.refs(signal)) : new Map();
}

/** The refs, or null where the mirror is too damaged to tell, or was found to lack objects. */
async function readable(repo: Repo, signal: AbortSignal): Promise<ReadonlyMap<string, MirrorRef> | null> {
  try {
    return repo.damaged() ? null : await repo.refs(signal);
  } catch (error) {
    signal.throwIfAborted();
    if (isCorrupt(error)) return null;
    throw error;
  }
}

async function pushAndRecord({
  repo,
  place,
  remote,
  updates,
  signal,
}: {
  readonly repo: Repo;
  readonly place: Place;
  readonly remote: Remote;
  readonly updates: readonly RefUpdate[];
  readonly signal: AbortSignal | undefined;
}): Promise<PushResult> {
  const result = await pushRefs(repo.setup, remote, updates, signal);
  if (!result.ok) return result;
  // No signal any more: the remote has moved, and the mirror is to say so before anybody reads it. Where that fails,
  // the push is true all the same, and the next fetch tells the mirror.
  const lines = updates.map(({ ref, to }) => (to === null ? `delete ${ref}\n` : `update ${ref} ${to}\n`));
  const record = async (): Promise<void> => {
    await repo.git(['update-ref', '--stdin'], { input: lines.join('') }).catch(() => {});
    place.version.count += 1;
  };
  await place.lock.run(`record ${lines.join('')}`, record);
  return result;
}

/** The parts of refs as they were read once: a repository of many packages asks for the same part for each. */
const parts = new WeakMap<ReadonlyMap<string, MirrorRef>, Map<string, ReadonlyMap<string, MirrorRef>>>();

function below(prefix: string, refs: ReadonlyMap<string, MirrorRef>): ReadonlyMap<string, MirrorRef> {
  if (prefix === '') return refs;
  const known = parts.get(refs) ?? new Map<string, ReadonlyMap<string, MirrorRef>>();
  parts.set(refs, known);
  const part = known.get(prefix) ?? new Map([...refs].filter(([ref]) => ref.startsWith(prefix)));
  if (known.size < MAX_PARTS) known.set(prefix, part);
  return part;
}

/** Prefixes for which a selection of the refs is remembered. */
const MAX_PARTS = 16;

function differences(
  before: ReadonlyMap<string, MirrorRef>,
  after: ReadonlyMap<string, MirrorRef>,
): ReadonlyMap<string, RefChange> {
  const changes = new Map<string, RefChange>();
  for (const ref of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(ref)?.oid ?? null, after.get(ref)?.oid ?? null];
    if (was !== is) changes.set(ref, { before: was, after: is });
  }
  return changes;
}
