import type { RepositoryConfig } from '../../config/repository-config.ts';
import type { ConfigurationChange } from '../check/configuration-changes.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { RepositoryAccess } from '../ports.ts';
import { loadConfigurationAt } from '../repository/configuration.ts';
import { changedPlaces, configurationOf, proposedChanges, proposedDocuments } from './proposed-changes.ts';

/** The configuration that a merge is judged by, and what the merge changed of it. */
export interface MergedConfig {
  readonly config: RepositoryConfig;
  readonly changes: readonly ConfigurationChange[];
}

/**
 * A merge is judged by the configuration before it: no proposal sets the rules for itself, or for a merge before it. The
 * configuration in effect judges a merge only where there was none before it, or where it is on another branch.
 */
export async function configOfMerge(
  { git }: Pick<RepositoryAccess, 'git'>,
  { facts, config }: { readonly facts: RepositoryFacts; readonly config: RepositoryConfig },
  { base, merge }: { readonly base: string; readonly merge: string },
  signal: AbortSignal | undefined,
): Promise<MergedConfig> {
  const { defaultBranch } = facts;
  const isHere = config.branch === defaultBranch;
  const before = isHere ? await loadConfigurationAt(git, base, defaultBranch, signal) : { config };
  if (!('config' in before)) return { config, changes: [] };
  const files = await git.changedPaths(base, merge, signal);
  // A file in a package configures too where a guardrail names it.
  const otherFiles = files.map(({ path, after }) => ({ path, blob: after?.id ?? null }));
  const proposal = { facts, config: before.config, otherFiles };
  const commits = { base, configured: base, head: merge };
  const places = await changedPlaces(git, proposal, commits, signal);
  if (places.length === 0) return { config: before.config, changes: [] };
  const proposed = await configurationOf(git, proposal, commits, signal);
  const documents = await proposedDocuments(git, { places, config: before.config }, commits, { signal });
  const changes = await proposedChanges({ git, proposal, places, proposed, documents, commits, signal });
  return { config: before.config, changes };
}
