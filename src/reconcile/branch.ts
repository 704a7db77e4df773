import { loadConfiguration, reportConfiguration } from './configuration.ts';
import { proposalJob, publicationJob, repositoryJob } from './jobs.ts';
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
    await reportConfiguration(access, facts.defaultBranch, configuration, signal);
    if (configuration.state !== 'registered') {
      world.catalog.remove(repository.id);
      return;
    }
    const branches = [`refs/heads/${configuration.config.branch}`, `refs/heads/${facts.defaultBranch}`];
    if (!branches.includes(ref)) return;
    await world.enqueue(publicationJob(repository));
    await world.enqueue(repositoryJob(repository));
    for (const { number } of await access.forge.listOpenPulls(signal)) {
      await world.enqueue(proposalJob(repository, number));
    }
  };
}
