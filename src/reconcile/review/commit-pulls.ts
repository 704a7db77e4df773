import type { JobData } from '../job.ts';
import { branchJob, fixJob, recheckJob } from '../jobs.ts';
import type { Ports } from '../ports.ts';

/** Finds out what the commit belongs to: open pull requests with this head or from this branch, or a branch alone. */
export function createCommitReconciler(
  ports: Ports,
): (target: JobData<'commit'>, signal?: AbortSignal) => Promise<void> {
  return async (target, signal) => {
    const { repository, sha, branch } = target;
    const { forge } = await ports.open(repository, signal);
    if (target.wish === 'fix') {
      const open = branch === null ? [] : await forge.pullsForHead({ branch }, { state: 'open' }, signal);
      for (const { number } of open) {
        await ports.enqueue(fixJob(repository, { number, ...target.pressed, headSha: sha }));
      }
      return;
    }
    const pulls = (await forge.listOpenPulls(signal)).filter(({ headSha }) => headSha === sha);
    for (const { number } of pulls) await ports.enqueue(recheckJob(repository, number, target.again));
    if (pulls.length === 0 && branch !== null) {
      await ports.enqueue(branchJob(repository, `refs/heads/${branch}`));
    }
  };
}
