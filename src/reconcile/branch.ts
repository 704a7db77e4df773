import { loadConfiguration } from './configuration.ts';
import type { RepositoryRef, World } from './ports.ts';

/**
 * After a push to a branch: if it is the registered one, or the one with the configuration, everything that stands on
 * it is looked at again.
 */
export function createBranchReconciler(
  world: World,
): (
  target: { readonly repository: RepositoryRef; readonly ref: string },
  signal?: AbortSignal,
) => Promise<void> {
  return async ({ repository, ref }, signal) => {
    const access = await world.open(repository, signal);
    const [facts] = await Promise.all([access.forge.get(signal), access.git.fetch({}, signal)]);
    const configuration = await loadConfiguration(access.git, facts.defaultBranch, signal);
    if (configuration.state !== 'registered') {
      world.catalog.remove(repository.id);
      return;
    }
    const branches = [`refs/heads/${configuration.config.branch}`, `refs/heads/${facts.defaultBranch}`];
    if (!branches.includes(ref)) return;
    await world.enqueue({ kind: 'publication', key: String(repository.id), data: { repository } });
    await world.enqueue({ kind: 'repository', key: String(repository.id), data: { repository } });
    for (const { number } of await access.forge.listOpenPulls(signal)) {
      await world.enqueue({
        kind: 'proposal',
        key: `${repository.id}#${number}`,
        data: { repository, number },
      });
    }
  };
}
