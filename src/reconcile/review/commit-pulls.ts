import { branchJob, fixJob, recheckJob, type RecheckRequest } from '../jobs.ts';
import type { RepositoryRef, Ports } from '../ports.ts';

/** A commit whose checks are asked for again, or a button of which was pressed. */
export interface CommitTarget {
  readonly repository: RepositoryRef;
  readonly sha: string;
  /** Where it was pushed to, as far as the forge says. */
  readonly branch: string | null;
  readonly again?: RecheckRequest;
  readonly pressed?: { readonly check: string; readonly by: string; readonly byId?: number | undefined };
}

/** Finds out what the commit belongs to: open pull requests with this head or from this branch, or a branch alone. */
export function createCommitReconciler(
  ports: Ports,
): (target: CommitTarget, signal?: AbortSignal) => Promise<void> {
  return async ({ repository, sha, branch, again, pressed }, signal) => {
    const { forge } = await ports.open(repository, signal);
    if (pressed !== undefined && branch !== null) {
      for (const { number } of await forge.pullsForHead({ branch }, { state: 'open' }, signal)) {
        await ports.enqueue(fixJob(repository, { number, ...pressed, headSha: sha }));
      }
    }
    if (again === undefined) return;
    const pulls = (await forge.listOpenPulls(signal)).filter(({ headSha }) => headSha === sha);
    for (const { number } of pulls) await ports.enqueue(recheckJob(repository, number, again));
    if (pulls.length === 0 && branch !== null) {
      await ports.enqueue(branchJob(repository, `refs/heads/${branch}`));
    }
  };
}
