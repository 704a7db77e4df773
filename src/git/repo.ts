import { PorticoError } from '../error.ts';
import type { GitObject, ObjectInfo, ObjectReader } from './batch.ts';
import { createLru } from './lru.ts';
import type { MirrorRef } from './mirror-types.ts';
import { refLines } from './ref-lines.ts';
import type { GitSetup, RunOptions, RunResult } from './run.ts';
import { runGit } from './run.ts';
import { isFullRef, isOid, isRefName, quote } from './safe-name.ts';

/** Counted up whenever a ref of the repository moves, so that nobody goes on with refs read before. */
export interface RefsVersion {
  count: number;
}

/** What the parts of a mirror share: the directory, its object reader and the refs as they stand. */
export interface Repo {
  readonly setup: GitSetup & { readonly gitDir: string };
  readonly objects: ObjectReader;
  refs(signal?: AbortSignal): Promise<ReadonlyMap<string, MirrorRef>>;
  git(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Everything that is known of its objects is asked anew: it was cloned once more. */
  renew(): void;
  /** True once something that must be there could not be read, until a new clone. */
  damaged(): boolean;
  /** Notes the damage and gives the error to throw. */
  damage(message: string): PorticoError;
}

export function createRepo(setup: Repo['setup'], objects: ObjectReader, version: RefsVersion): Repo {
  let known: { readonly at: number; readonly refs: Promise<ReadonlyMap<string, MirrorRef>> } | null = null;
  let damagedAt = -1;
  let clone = 0;
  const noting = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof PorticoError && error.code === 'GIT_CORRUPT') damagedAt = version.count;
      throw error;
    }
  };
  const keyOf = (name: string): string => `${setup.gitDir}#${clone}:${name}`;
  const repo: Repo = {
    setup,
    objects: {
      ...objects,
      async info(name, signal) {
        // What an id leads to does not change.
        const key = keyOf(name);
        const { count } = version;
        const before = infos.get(key);
        if (before !== undefined) return before;
        if (absent.get(`${key} ${count}`) !== undefined) return null;
        const found = await noting(objects.info(name, signal));
        if (!STARTS_WITH_ID.test(name)) return found;
        if (found !== null) infos.set(key, found);
        // A tree that is there has no such path; one that is damaged may be mended by the next fetch.
        else if (name.includes(':')) absent.set(`${key} ${count}`, true);
        return found;
      },
      async read(name, signal) {
        const key = keyOf(name);
        const before = contents.get(key);
        if (before !== undefined) return before;
        const found = await noting(objects.read(name, signal));
        if (found === null || found.size > SMALL || !STARTS_WITH_ID.test(name)) return found;
        // A copy of its own: these bytes, and those of Buffer's pool, are a part of much more that would be held with them.
        const bytes = Buffer.alloc(found.bytes.length);
        bytes.set(found.bytes);
        const kept = { ...found, bytes };
        contents.set(key, kept);
        return kept;
      },
    },
    git: (args, options) => noting(runGit(setup, args, options)),
    refs: async (signal) => {
      signal?.throwIfAborted();
      if (known?.at !== version.count) {
        const before = known?.refs.catch(() => NO_REFS) ?? NO_REFS;
        known = { at: version.count, refs: Promise.resolve(before).then((refs) => readRefs(repo, refs)) };
      }
      const mine = known;
      try {
        return await mine.refs;
      } catch (error) {
        if (known === mine) known = null;
        throw error;
      }
    },
    renew() {
      clone += 1;
      objects.restart();
    },
    // Fetching mends, and counts the version up.
    damaged: () => damagedAt === version.count,
    damage: (message) => {
      damagedAt = version.count;
      return new PorticoError('GIT_CORRUPT', message, {
        blame: 'forge',
        hint: 'The local mirror is damaged; the next fetch clones it again.',
      });
    },
  };
  return repo;
}

const NO_REFS: ReadonlyMap<string, MirrorRef> = new Map();

const STARTS_WITH_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?(?![0-9a-f])/;

// Shared by all mirrors. Keys name the mirror, so nothing crosses over.
const infos = createLru<ObjectInfo>(() => 150);
const absent = createLru<true>(() => 0);
/** The same few files (configuration, Kptfiles, code owners) are read for every job. */
const contents = createLru<GitObject>(({ size }) => size + 500);
const SMALL = 16 * 1024;

/**
 * All refs that lead to a commit. git keeps what annotated tags lead to beside packed refs, and `show-ref` takes it from
 * there, where `for-each-ref` opens each tag. `before`: a ref that did not move is what it was.
 */
async function readRefs(
  repo: Repo,
  before: ReadonlyMap<string, MirrorRef>,
): Promise<ReadonlyMap<string, MirrorRef>> {
  // 1: there is no ref.
  const { stdout } = await repo.git(['show-ref', '--dereference'], { accept: [0, 1] });
  const found = new Map<string, MirrorRef>();
  for (const { oid, name } of refLines(stdout, ' ')) {
    const tag = name.endsWith(PEELED) ? found.get(name.slice(0, -PEELED.length)) : undefined;
    if (tag === undefined) found.set(name, { oid, commit: oid, tag: false });
    else found.set(name.slice(0, -PEELED.length), { oid: tag.oid, commit: oid, tag: true });
  }
  // A ref may lead to a tree or a blob, which is of no use here.
  const others = await Promise.all(
    [...found].map(async ([name, { oid, commit }]) => {
      if (before.get(name)?.oid === oid) return [];
      const info = await repo.objects.info(commit);
      if (info === null) throw repo.damage(`${quote(name)} leads to an object that is not there`);
      return info.type === 'commit' ? [] : [name];
    }),
  );
  for (const name of others.flat()) found.delete(name);
  return found;
}

const PEELED = '^{}';

/** The commit behind an object id, a full ref, or a branch or tag name; null when there is none. */
export async function resolveCommit(repo: Repo, rev: string, signal?: AbortSignal): Promise<string | null> {
  if (isOid(rev)) return (await repo.objects.info(`${rev}^{commit}`, signal))?.id ?? null;
  if (!isRefName(rev)) return null;
  const refs = await repo.refs(signal);
  const names = isFullRef(rev) ? [rev] : [`refs/heads/${rev}`, `refs/tags/${rev}`];
  return names.map((name) => refs.get(name)?.commit).find((commit) => commit !== undefined) ?? null;
}

/** Like `resolveCommit`, but throws GIT_UNKNOWN_REVISION. */
export async function requireCommit(repo: Repo, rev: string, signal?: AbortSignal): Promise<string> {
  const commit = await resolveCommit(repo, rev, signal);
  if (commit === null) throw unknown(rev);
  return commit;
}

/** The tree of a commit, ref or tree; throws GIT_UNKNOWN_REVISION. */
export async function requireTree(repo: Repo, treeish: string, signal?: AbortSignal): Promise<string> {
  const oid = isOid(treeish) ? treeish : await requireCommit(repo, treeish, signal);
  const tree = await repo.objects.info(`${oid}^{tree}`, signal);
  if (tree?.type !== 'tree') throw unknown(treeish);
  return tree.id;
}

function unknown(rev: string): PorticoError {
  return new PorticoError('GIT_UNKNOWN_REVISION', `there is no commit ${quote(rev)} in the mirror`, {
    // Another replica may have seen it before this mirror has it.
    blame: 'forge',
    hint: 'It was deleted or not fetched yet; fetch and ask again.',
  });
}
