import { basename } from 'node:path';

import { repositoryPlace } from '../../catalog/repository-place.ts';
import type { ChannelProblem } from '../../channels/channels-node.ts';
import { checkChannels } from '../../channels/check-channels.ts';
import { CHANNELS_FOLDER } from '../../channels/judge-file.ts';
import { numberOf, offerOf, type PackageOffer } from '../../channels/offer.ts';
import type { PackageChannels } from '../../channels/package-channels.ts';
import { readPackageChannels } from '../../channels/read-channels.ts';
import { defaultRepositoryConfig, parseRepositoryConfig } from '../../config/parse-repository-config.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { PorticoError } from '../../error.ts';
import type { MirrorRef } from '../../git/mirror-types.ts';
import { openLocal, type LocalRepository } from '../../git/open-local.ts';
import { revisionsByPath } from '../../revision/numbering.ts';
import {
  fileIn,
  packagePathOf,
  pathInRepository,
  repositoryDirectory,
  type RepositoryDirectory,
} from '../../revision/package-path.ts';
import { parseRevisionName } from '../../revision/revision-name.ts';

const CONFIGURATION = '.github/portico.yaml';

/** A repository of this machine that offers packages, as its registered branch and its tags have them. */
export interface UpstreamClone {
  readonly git: LocalRepository;
  readonly folder: string;
  readonly config: RepositoryConfig;
  readonly source: {
    /** `owner/name`; absent where no address tells it. */
    readonly repository?: string;
    readonly branch: string;
    /** Head of the branch, from which channel files and configuration are. */
    readonly commit: string;
  };
  readonly refs: ReadonlyMap<string, MirrorRef>;
  readonly packages: readonly ClonePackage[];
  /** Places that locks may name it by. */
  readonly places: ReadonlySet<string>;
}

export interface CloneRevision {
  readonly name: string;
  readonly commit: string;
  /** Of the package's directory; absent where the commit has no such directory. */
  readonly tree?: string;
}

/** A package with its channel file as it is. */
export interface ClonePackage {
  readonly offer: PackageOffer;
  /** From the top of the repository. */
  readonly directory: RepositoryDirectory;
  readonly revisions: readonly CloneRevision[];
  /** Of its channel file, which it may lack. */
  readonly file?: string;
  readonly problems: readonly ChannelProblem[];
  readonly channels?: { readonly text: string; readonly document: PackageChannels };
}

export interface ReadUpstreamOptions {
  /** `owner/name`, where the addresses of its remotes do not tell it. */
  readonly named?: string | undefined;
  /** A branch that counts in place of the registered one, where it is there. */
  readonly branch?: string | undefined;
}

/**
 * Reads the packages of a repository with their revisions and channels. What is checked out does not count: the registered
 * branch does. Throws `NOT_A_REPOSITORY` and `BRANCH_MISSING`.
 */
async function readUpstream(
  git: LocalRepository,
  folder: string,
  { named, branch }: ReadUpstreamOptions,
  signal: AbortSignal,
): Promise<UpstreamClone> {
  const { config, commit: registered } = await registeredBranch(git, folder, signal);
  const other = branch === undefined ? null : await git.resolve(`refs/heads/${branch}`, signal);
  const commit = other ?? registered;
  const repository = named ?? repositoryName(git.remotes);
  const refs = await git.refs('refs/tags/', signal);
  const places = [folder, ...git.remotes, ...(repository === undefined ? [] : [repository])];
  const upstream = {
    git,
    folder,
    config,
    refs,
    source: { ...(repository !== undefined && { repository }), branch: config.branch, commit },
    places: new Set(places.map(repositoryPlace)),
  };
  return { ...upstream, packages: await packagesOf(upstream, signal) };
}

/** The branch that the configuration registers, and its head; of a repository without one that which is checked out. */
async function registeredBranch(
  git: LocalRepository,
  folder: string,
  signal: AbortSignal,
): Promise<{ readonly config: RepositoryConfig; readonly commit: string }> {
  const bytes = git.head === null ? null : await git.readFile(git.head, CONFIGURATION, signal);
  const here = git.branch === null ? {} : { defaultBranch: git.branch };
  const parsed = bytes === null ? undefined : parseRepositoryConfig({ file: CONFIGURATION, bytes }, here);
  const config = parsed?.ok === true ? parsed.config : defaultRepositoryConfig(git.branch ?? 'main');
  const own = await git.resolve(`refs/heads/${config.branch}`, signal);
  const commit = own ?? (await git.resolve(`refs/remotes/origin/${config.branch}`, signal));
  if (commit !== null) return { config, commit };
  throw new PorticoError('BRANCH_MISSING', `${folder} has no branch ${config.branch}`, {
    blame: 'user',
    hint: `Make its first commit (git commit --allow-empty), or fetch it: git fetch origin ${config.branch}.`,
  });
}

/** `owner/name`, from the address of a remote; undefined where they are all on this machine. */
function repositoryName(remotes: readonly string[]): string | undefined {
  const places = remotes
    .filter((url) => /^[a-z+]+:\/\/(?!\/)|^[^/]+@?[^/]*:/i.test(url))
    .map(repositoryPlace);
  const parts = places[0]?.split('/').slice(-2) ?? [];
  return parts.length === 2 ? parts.join('/') : undefined;
}

type Bare = Omit<UpstreamClone, 'packages'>;

async function packagesOf(upstream: Bare, signal: AbortSignal): Promise<ClonePackage[]> {
  const { git, config, refs, source } = upstream;
  const documents = await channelFiles(git, source.commit, signal);
  const tagged = revisionsByPath(refs.keys());
  const onBranch = await git.findPackages(source.commit, config.directory, signal);
  const paths = new Set([
    ...[...tagged.keys()].flatMap((directory) => packagePathOf(config.directory, directory) ?? []),
    ...onBranch.filter(({ parent }) => parent === null).map(({ path }) => path),
    ...documents.keys(),
  ]);
  const tags = channelTags(refs);
  const found: ClonePackage[] = [];
  for (const path of [...paths].sort()) {
    signal.throwIfAborted();
    const directory = pathInRepository(config.directory, path);
    const names = (tagged.get(directory) ?? []).map(({ name }) => name);
    const revisions = await revisionsAt({ upstream, directory, names, signal });
    const { file, text, channels, problems = [] } = documents.get(path) ?? {};
    const offer = offerOf(path, names, channels, tags.get(directory));
    const published = new Set(offer.revisions.flatMap((name) => numberOf(name) ?? []));
    const judged = channels === undefined ? [] : checkChannels(channels, { path, published });
    found.push({
      offer,
      directory,
      revisions,
      ...(file !== undefined && { file }),
      ...(channels !== undefined && text !== undefined && { channels: { text, document: channels } }),
      problems: [...problems, ...judged].sort((a, b) => a.line - b.line || (a.rule < b.rule ? -1 : 1)),
    });
  }
  return found;
}

async function revisionsAt({
  upstream: { git, refs },
  directory,
  names,
  signal,
}: {
  readonly upstream: Bare;
  readonly directory: RepositoryDirectory;
  readonly names: readonly string[];
  readonly signal: AbortSignal;
}): Promise<CloneRevision[]> {
  const found = names.map(async (name): Promise<CloneRevision[]> => {
    const ref = `refs/tags/${fileIn(directory, name)}`;
    const commit = refs.get(ref)?.commit;
    if (commit === undefined) return [];
    const tree = await git.treeId(commit, directory, signal);
    return [{ name, commit, ...(tree !== null && { tree }) }];
  });
  return (await Promise.all(found)).flat();
}

interface ChannelFile {
  readonly file: string;
  readonly text: string;
  readonly channels?: PackageChannels;
  readonly problems: readonly ChannelProblem[];
}

/** By the path of the package that the file's own path says. */
async function channelFiles(
  git: LocalRepository,
  commit: string,
  signal: AbortSignal,
): Promise<Map<string, ChannelFile>> {
  const folder = await git.readPackage(commit, CHANNELS_FOLDER, {}, signal);
  return new Map(
    [...(folder?.files ?? [])]
      .filter(([path]) => path.endsWith('.yaml'))
      .map(([path, { bytes }]): [string, ChannelFile] => {
        const text = new TextDecoder().decode(bytes);
        const { channels, problems } = readPackageChannels(text);
        const file = `${CHANNELS_FOLDER}/${path}`;
        return [path.slice(0, -'.yaml'.length), { file, text, ...(channels && { channels }), problems }];
      }),
  );
}

/** Directory → channel → revision, of tags that lead to where a revision's tag leads. */
function channelTags(refs: ReadonlyMap<string, MirrorRef>): Map<string, Map<string, string>> {
  const revisions = new Map<string, string>();
  const others: { readonly directory: string; readonly name: string; readonly commit: string }[] = [];
  for (const [ref, { commit }] of refs) {
    const path = ref.slice('refs/tags/'.length);
    const name = basename(path);
    const directory = repositoryDirectory(path.slice(0, -name.length));
    if (parseRevisionName(name) === undefined) others.push({ directory, name, commit });
    else {
      const key = `${directory} ${commit}`;
      revisions.set(key, higher(revisions.get(key), name));
    }
  }
  const channels = new Map<string, Map<string, string>>();
  for (const { directory, name, commit } of others) {
    const revision = revisions.get(`${directory} ${commit}`);
    if (revision === undefined) continue;
    channels.set(directory, (channels.get(directory) ?? new Map()).set(name, revision));
  }
  return channels;
}

function higher(a: string | undefined, b: string): string {
  return a !== undefined && (numberOf(a) ?? 0) > (numberOf(b) ?? 0) ? a : b;
}

/** Opens a repository, works with it, and closes it. */
export async function withUpstream<Result>(
  folder: string,
  options: ReadUpstreamOptions,
  signal: AbortSignal,
  work: (upstream: UpstreamClone) => Promise<Result>,
): Promise<Result> {
  using git = await openLocal(folder, signal);
  return await work(await readUpstream(git, folder, options, signal));
}
