import type { RepositoryConfig } from '../../config/repository-config.ts';
import { DONE, nothing, type Reconciler } from '../answer.ts';
import { reportConfiguration } from '../check/report-configuration.ts';
import { publicationJob, pullJob, repositoryJob, repositorySweepJob, sweepJob } from '../jobs.ts';
import type { Ports } from '../ports.ts';
import { loadConfiguration } from '../repository/configuration.ts';
import { ORGANIZATION_REPOSITORY } from '../repository/organization.ts';
import { openRegistered } from '../repository/registered.ts';
import { offerOnboarding } from './onboarding.ts';

/**
 * After a push to a branch: if it is the registered one, or the one with the configuration, everything that stands on
 * it is looked at again.
 */
export function createBranchReconciler(ports: Ports): Reconciler<'branch'> {
  return async ({ repository, ref }, signal) => {
    const access = await ports.open(repository, signal);
    const { git, forge } = access;
    const facts = await forge.get(signal);
    const { defaultBranch } = facts;
    // Which branch is the registered one changes by a push to the default branch alone, so any other is passed over
    // on what the last fetch told.
    const before = await loadConfiguration(git, defaultBranch, signal);
    if (before.state === 'registered' && !isConcerned(before.config, defaultBranch, ref))
      return nothing('other-branch');
    const found = await openRegistered(access, { facts }, signal);
    const { configuration } = found;
    if (configuration !== undefined) await reportConfiguration(access, defaultBranch, configuration, signal);
    if (found.kind === 'none') {
      ports.catalog.remove(repository.id);
      if (configuration?.state === 'absent' && ref === `refs/heads/${defaultBranch}`) {
        await offerOnboarding(ports, access, await forge.get(signal), signal);
      }
      return nothing(found.reason);
    }
    // Registered by this push, or by one that nobody told of: what stood here before is looked at as a whole.
    const isNew = before.state === 'absent' || ports.catalog.get(repository.id) === undefined;
    if (isNew) await ports.enqueue(repositorySweepJob(repository));
    if (!isConcerned(found.config, defaultBranch, ref)) return nothing('other-branch');
    if (repository.name === ORGANIZATION_REPOSITORY) await ports.enqueue(sweepJob());
    await ports.enqueue(publicationJob(repository));
    await ports.enqueue(repositoryJob(repository));
    for (const pull of await access.forge.listOpenPulls(signal)) {
      await ports.enqueue(pullJob(repository, pull));
    }
    return DONE;
  };
}

function isConcerned({ branch }: RepositoryConfig, defaultBranch: string, ref: string): boolean {
  return ref === `refs/heads/${branch}` || ref === `refs/heads/${defaultBranch}`;
}
