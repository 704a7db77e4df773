/** Directories of git repositories at a commit: fetched alone, without history, with no settings and hooks of anybody. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { newestInRange } from '../config/follow.ts';
import { PorticoError } from '../error.ts';
import { makeBare } from '../git/bare.ts';
import { openObjectReader } from '../git/batch.ts';
import { fetchRefs } from '../git/clone.ts';
import { PACKAGE_LIMITS, readPackage } from '../git/read-package.ts';
import { lsRemote, runRemote, type Remote } from '../git/remote.ts';
import { createRepo, requireTree, type Repo } from '../git/repo.ts';
import type { GitSetup } from '../git/run.ts';
import { isOid } from '../git/safe-name.ts';
import { withinSize } from '../git/size-limit.ts';
import { readTreeLines } from '../git/tree-objects.ts';
import { readBlobs } from '../git/tree.ts';
import { gitReach } from '../network/git-reach.ts';
import type { PackageFile, PackageFiles } from '../package/package.ts';
import type { GitRef } from '../reconcile/git-port.ts';
import { compareRevisions, parseRevisionName, type RevisionName } from '../revision/revision-name.ts';
import { chooseVersion } from '../sources/choose-version.ts';
import { isLegal } from '../sources/select-files.ts';
import type { SourcePlace } from '../sources/source.ts';
import type { Content } from '../sources/sync.ts';
import { remoteLogin } from './credentials.ts';
import { askerOf, bytesOf, type SourceHost } from './host.ts';
import { checkCommit } from './pin-checks.ts';
import { splitCommit, type Pin } from './pin.ts';

type GitPlace = Extract<SourcePlace, { kind: 'git' | 'package' }>;

/** What one fetch may bring, packed. */
const MAX_BYTES = 512 * 1024 * 1024;

interface GitFiles {
  readonly files: PackageFiles;
  readonly links: readonly string[];
}

export interface GitRequest {
  readonly place: GitPlace;
  /** Only this directory is read, and the files at the top. */
  readonly directory: string;
  readonly credentials: string | undefined;
}

/**
 * The files of the directory, with their paths in the repository, and those at its top. Throws `SOURCE_NO_VERSION`,
 * `SOURCE_NOT_FOUND` and `GIT_…`.
 */
export async function gitContent(
  host: SourceHost,
  request: GitRequest,
  pinned: Pin | undefined,
  signal: AbortSignal,
): Promise<Content> {
  const { repo } = request.place;
  const { commit, version } =
    pinned === undefined
      ? await resolveCommit(host, request, signal)
      : { commit: splitCommit(pinned.resolved).commit, version: pinned.version };
  if (pinned !== undefined) {
    await checkCommit(request.place, { commit, version }, async (tag) =>
      commitOf(host, request, tag, signal),
    );
  }
  const { credentials, directory } = request;
  const { files, links } = await host.cache.content(
    `git ${askerOf(host, credentials, new URL(repo))} ${repo} ${commit} ${directory}`,
    (stop) => fetchCommit(host, request, commit, stop),
    (tree) => bytesOf(tree.files),
    signal,
  );
  return { resolved: `${repo}@${commit}`, files, links, ...(version !== undefined && { version }) };
}

/** The commit that the place means now. Throws `SOURCE_NO_VERSION`. */
export async function resolveCommit(
  host: SourceHost,
  { place, credentials }: Pick<GitRequest, 'place' | 'credentials'>,
  signal: AbortSignal,
): Promise<{ readonly commit: string; readonly version?: string }> {
  if (place.kind === 'git' && place.ref !== undefined && isOid(place.ref)) return { commit: place.ref };
  const refs = await host.cache.learn<Refs>(
    `refs ${askerOf(host, credentials, new URL(place.repo))} ${place.repo}`,
    async (_before, stop) => {
      const { setup, remote } = remoteOf(host, place.repo, credentials);
      return { value: await lsRemote(setup, remote, [], stop) };
    },
    signal,
  );
  const found = place.kind === 'git' ? gitRef(refs, place) : packageTag(refs, place);
  if (found !== undefined) return found;
  const wanted =
    place.kind === 'git'
      ? `${place.semver === undefined ? 'tag, branch or commit' : 'tag in'} ${place.semver ?? place.ref ?? 'HEAD'}`
      : `revision ${place.revision} of ${place.path}`;
  throw new PorticoError('SOURCE_NO_VERSION', `${place.repo} has no ${wanted}`, {
    blame: 'user',
    hint: `git ls-remote ${place.repo} lists what there is.`,
  });
}

/** The commit of a ref by its full name; undefined where there is none. */
async function commitOf(
  host: SourceHost,
  request: GitRequest,
  ref: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const place = { kind: 'git', repo: request.place.repo, ref } as const;
    return (await resolveCommit(host, { ...request, place }, signal)).commit;
  } catch (error) {
    if (error instanceof PorticoError && error.code === 'SOURCE_NO_VERSION') return undefined;
    throw error;
  }
}

type Refs = ReadonlyMap<string, GitRef>;
interface FoundRef {
  readonly commit: string;
  readonly version?: string;
}

const TAGS = 'refs/tags/';

/** Pure: a tag before a branch of the same name, as git has it. */
function gitRef(refs: Refs, { ref, semver }: Extract<GitPlace, { kind: 'git' }>): FoundRef | undefined {
  const tags = [...refs.keys()].flatMap((name) => (name.startsWith(TAGS) ? [name.slice(TAGS.length)] : []));
  const name = semver === undefined ? ref : chooseVersion(tags, semver);
  if (name === undefined) {
    const head = semver === undefined ? refs.get('HEAD')?.commit : undefined;
    return head === undefined ? undefined : { commit: head };
  }
  const commit = [`${TAGS}${name}`, `refs/heads/${name}`, name]
    .map((one) => refs.get(one)?.commit)
    .find(Boolean);
  return commit === undefined ? undefined : { commit, version: name };
}

/** Pure: the revision that is named, or the newest of those that are meant. */
function packageTag(
  refs: Refs,
  { path, revision }: Extract<GitPlace, { kind: 'package' }>,
): FoundRef | undefined {
  const prefix = `${TAGS}${path}/`;
  const revisions = [...refs.keys()]
    .flatMap((ref): RevisionName[] => {
      const name = ref.startsWith(prefix) ? ref.slice(prefix.length) : '';
      const parsed = name.startsWith('v') ? parseRevisionName(name) : undefined;
      return parsed === undefined ? [] : [parsed];
    })
    .toSorted(compareRevisions)
    .map(({ name }) => name);
  const releases = revisions.filter((name) => parseRevisionName(name)?.prerelease.length === 0);
  const name =
    revision === 'latest'
      ? releases.at(-1)
      : revisions.includes(revision)
        ? revision
        : newestInRange(revision, revisions);
  const commit = name === undefined ? undefined : refs.get(`${prefix}${name}`)?.commit;
  return name === undefined || commit === undefined ? undefined : { commit, version: name };
}

/** Where git may connect to, and as whom. What it connects to is what was judged. */
function remoteOf(
  host: SourceHost,
  repo: string,
  credentials: string | undefined,
): { readonly setup: GitSetup; readonly remote: Remote } {
  const url = new URL(repo);
  return {
    setup: { protocols: url.protocol === 'http:' ? ['http'] : [] },
    remote: {
      url: repo,
      // Where it moved to is for the document to say.
      moves: 'told',
      reach: gitReach(host.fetch, { inside: host.inside }),
      ...(credentials !== undefined && remoteLogin(() => host.credentialFor(credentials, url))),
    },
  };
}

const FETCH = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];

async function fetchCommit(
  host: SourceHost,
  { place: { repo }, directory, credentials }: GitRequest,
  commit: string,
  signal: AbortSignal,
): Promise<GitFiles> {
  const gitDir = await mkdtemp(join(tmpdir(), 'portico-source-'));
  try {
    await makeBare(gitDir);
    const { setup: reach, remote } = remoteOf(host, repo, credentials);
    const setup = { ...reach, gitDir };
    await withinSize([gitDir], MAX_BYTES, signal, async (stop) => {
      try {
        const args = [...FETCH, '--depth=1', '--end-of-options', repo, commit];
        await runRemote(setup, remote, args, { signal: stop });
      } catch (error) {
        stop.throwIfAborted();
        // Some servers give no single commits.
        if (!(error instanceof PorticoError) || error.code !== 'GIT_FAILED') throw error;
        await fetchRefs(setup, remote, {}, stop);
      }
    });
    return await readDirectory({ setup, repo, commit, directory, signal });
  } finally {
    await rm(gitDir, { recursive: true, force: true });
  }
}

async function readDirectory({
  setup,
  repo,
  commit,
  directory,
  signal,
}: {
  readonly setup: GitSetup & { readonly gitDir: string };
  readonly repo: string;
  readonly commit: string;
  readonly directory: string;
  readonly signal: AbortSignal;
}): Promise<GitFiles> {
  using objects = openObjectReader(setup);
  const git = createRepo(setup, objects, { count: 0 });
  const found = await readPackage({ repo: git, commit, path: directory, limits: PACKAGE_LIMITS, signal });
  if (found === null) {
    throw new PorticoError('SOURCE_NOT_FOUND', `${repo} has no directory ${directory} at ${commit}`, {
      blame: 'user',
      hint: 'Look up where it is; it may have moved.',
    });
  }
  const below = directory === '' ? '' : `${directory}/`;
  const files = new Map([...found.files].map(([path, file]) => [below + path, file]));
  const links = found.skipped.map(({ path }) => below + path);
  const top = directory === '' ? new Map<string, PackageFile>() : await readLicences(git, commit, signal);
  return { files: new Map([...top, ...files]), links };
}

/** Licences stand at the top of a repository, and go along with any of its directories. */
async function readLicences(repo: Repo, commit: string, signal: AbortSignal): Promise<PackageFiles> {
  const tree = await requireTree(repo, commit, signal);
  const lines = (await readTreeLines(repo, tree, { left: 1, steps: 1 }, signal)) ?? [];
  const legal = lines.filter(({ name, mode }) => mode.startsWith('100') && isLegal(name));
  const sizes = await Promise.all(
    legal.map(async ({ id }) => (await repo.objects.info(id, signal))?.size ?? 0),
  );
  const small = legal.filter((_, at) => (sizes[at] ?? 0) <= PACKAGE_LIMITS.maxFileBytes);
  const blobs = await readBlobs(
    repo,
    small.map(({ id }) => id),
    signal,
  );
  return new Map(
    small.flatMap(({ name, id }): [string, PackageFile][] => {
      const bytes = blobs.get(id);
      return bytes === undefined ? [] : [[name, { mode: '100644', bytes }]];
    }),
  );
}
