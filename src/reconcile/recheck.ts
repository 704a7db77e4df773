import { branchJob, recheckJob, type Again } from './jobs.ts';
import type { RepositoryRef, World } from './ports.ts';

/** A commit whose checks are asked for again. */
export interface RecheckTarget {
  readonly repository: RepositoryRef;
  readonly sha: string;
  /** Where it was pushed to, as far as the forge says. */
  readonly branch: string | null;
  readonly again: Again;
}

/** Finds out what the commit belongs to: open pull requests with this head, or a branch. */
export function createRecheckReconciler(
  world: World,
): (target: RecheckTarget, signal?: AbortSignal) => Promise<void> {
  return async ({ repository, sha, branch, again }, signal) => {
    const { forge } = await world.open(repository, signal);
    const pulls = (await forge.listOpenPulls(signal)).filter(({ headSha }) => headSha === sha);
    for (const { number } of pulls) await world.enqueue(recheckJob(repository, number, again));
    if (pulls.length === 0 && branch !== null) {
      await world.enqueue(branchJob(repository, `refs/heads/${branch}`));
    }
  };
}
