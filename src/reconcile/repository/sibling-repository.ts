import type { SiblingRepository } from '../git-port.ts';
import type { RepositoryAccess } from '../ports.ts';
import { loadConfiguration } from './configuration.ts';
import { contentMayFlow } from './visibility.ts';

/**
 * Another repository of an installation for one that names it; null where its content may not come there. What each agrees
 * to is read of its default branch as it is now.
 */
export async function siblingRepositoryFor(
  own: RepositoryAccess,
  found: RepositoryAccess,
  signal?: AbortSignal,
): Promise<SiblingRepository | null> {
  const [here, facts] = await Promise.all([
    own.forge.get(signal),
    found.forge.get(signal),
    found.git.fetch({}, signal),
  ]);
  const configuration = await loadConfiguration(own.git, here.defaultBranch, signal);
  if (configuration.state !== 'registered') return null;
  const target = { facts: here, config: configuration.config };
  const { git } = found;
  return (await contentMayFlow({ access: found, facts }, target, signal)) ? { git, facts } : null;
}
