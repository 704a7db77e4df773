import { packagePathOf, TOP, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { Ports } from '../ports.ts';
import { packageChannels, type PackageChannelState } from './channel-files.ts';
import { loadConfiguration } from './configuration.ts';
import type { UpstreamAccess } from './outside-upstream.ts';
import { type RevisionRefs } from './package-revisions.ts';

/**
 * The channels of a package that others are made from; null where it has no channel file. The index answers where it knows
 * the registered branch as it is now.
 */
export async function upstreamChannels(
  ports: Pick<Ports, 'catalog' | 'content'>,
  upstream: {
    readonly access: UpstreamAccess;
    readonly refs: RevisionRefs;
    readonly directory: RepositoryDirectory;
  },
  { defaultBranch }: Pick<RepositoryFacts, 'defaultBranch'>,
  signal?: AbortSignal,
): Promise<PackageChannelState | null> {
  const { access, refs } = upstream;
  const { git, ref } = access;
  const indexed = ref.id > 0 ? ports.catalog.get(ref.id) : undefined;
  const known = indexed?.branch === undefined ? undefined : { ...indexed, branch: indexed.branch };
  const { branch, directory: registered } = known ?? (await registeredBranch(git, defaultBranch, signal));
  const head = branch === null ? null : await git.resolve(`refs/heads/${branch}`, signal);
  if (head === null) return null;
  const { directory } = upstream;
  if (known?.commit === head && known.channelFiles?.has(directory) !== true) return null;
  const path = packagePathOf(registered, directory);
  if (path === undefined) return null;
  return packageChannels(ports, { git, head, refs, registered }, path, signal);
}

async function registeredBranch(
  git: UpstreamAccess['git'],
  defaultBranch: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly branch: string | null; readonly directory: RepositoryDirectory }> {
  const configuration = await loadConfiguration(git, defaultBranch, signal);
  return configuration.state === 'registered' ? configuration.config : { branch: null, directory: TOP };
}
