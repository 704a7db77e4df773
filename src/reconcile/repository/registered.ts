/** A registered repository, opened: what the forge says of it, its configuration in force, and where its branch is. */
import type { RepositoryConfig } from '../../config/repository-config.ts';
import type { NoBusiness } from '../answer.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { RepositoryAccess } from '../ports.ts';
import { loadConfiguration, type Configuration } from './configuration.ts';

export interface NotRegistered {
  readonly kind: 'none';
  readonly reason: NoBusiness;
  readonly facts: RepositoryFacts;
  /** Not read of an archived repository. */
  readonly configuration?: Configuration;
}

export interface Registration {
  readonly kind: 'registered';
  readonly facts: RepositoryFacts;
  readonly config: RepositoryConfig;
  readonly configuration: Extract<Configuration, { readonly state: 'registered' }>;
}

export interface Registered extends Registration {
  /** The newest commit of the registered branch. */
  readonly head: string;
}

/**
 * Opens a registered repository as it is now, or says why Portico has no business there. `facts` that were asked for just now
 * are not asked for again, and what `isFetched` is not fetched again.
 */
export async function openRegistered(
  access: Pick<RepositoryAccess, 'git' | 'forge'>,
  known: { readonly facts?: RepositoryFacts; readonly isFetched?: boolean } = {},
  signal?: AbortSignal,
): Promise<Registered | NotRegistered> {
  const { git, forge } = access;
  const [facts] = await Promise.all([
    known.facts ?? forge.get(signal),
    known.isFetched === true ? undefined : git.fetch({}, signal),
  ]);
  const found = await registrationOf(access, facts, signal);
  if (found.kind === 'none') return found;
  const head = await git.resolve(`refs/heads/${found.config.branch}`, signal);
  if (head === null) return { ...found, kind: 'none', reason: 'no-branch' };
  return { ...found, head };
}

/** The registration of a repository that was fetched, wherever its registered branch is. */
export async function registrationOf(
  { git }: Pick<RepositoryAccess, 'git'>,
  facts: RepositoryFacts,
  signal?: AbortSignal,
): Promise<Registration | NotRegistered> {
  if (facts.archived) return { kind: 'none', reason: 'archived', facts };
  const configuration = await loadConfiguration(git, facts.defaultBranch, signal);
  if (configuration.state !== 'registered')
    return { kind: 'none', reason: 'not-registered', facts, configuration };
  return { kind: 'registered', facts, config: configuration.config, configuration };
}
