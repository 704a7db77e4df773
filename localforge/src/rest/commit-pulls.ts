import type { PullRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { unprocessable } from '../refusal.ts';
import { paginated, type RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { simplePull } from '../shapes/pull.ts';

/** Pull requests that a commit belongs to. */
export function addCommitPulls(context: ForgeContext, router: Router): void {
  const needs = { app: ['pull_requests:read'], user: 'read' } as const;
  router.repo('GET', '/commits/:ref{.+}/pulls', needs, async (request) => {
    const sha = await context.git(request.repository).resolve(request.param('ref'));
    if (sha === undefined) throw unprocessable(`No commit found for SHA: ${request.param('ref')}`);
    return paginated(request, await pullsOf(context, request, sha), (pull) =>
      simplePull(context, request.repository, pull),
    );
  });
}

/**
 * The merged pull request that brought the commit to the default branch; for a commit that is not there, the open
 * ones that hold it (https://docs.github.com/rest, "List pull requests associated with a commit").
 */
async function pullsOf(
  context: ForgeContext,
  request: RepositoryRequest,
  sha: string,
): Promise<PullRecord[]> {
  const { pulls, issues } = collaborationStore(context.store);
  const all = pulls.find('repository', [request.repository.id]);
  const merged = all.filter((pull) => pull.mergedAt !== null);
  const direct = merged.filter((pull) => pull.mergeCommitSha === sha);
  if (direct.length > 0) return direct;
  const git = context.git(request.repository);
  const holds = async (pull: PullRecord): Promise<boolean> =>
    (await git.isAncestor(sha, pull.headSha)) && !(await git.isAncestor(sha, pull.baseSha));
  const branch = await git.ref(`refs/heads/${request.repository.defaultBranch}`);
  const published = branch !== undefined && (await git.isAncestor(sha, branch.sha));
  const candidates = published ? merged : all.filter((pull) => issues.get(pull.issueId)?.state === 'open');
  const found: PullRecord[] = [];
  for (const pull of candidates) if (await holds(pull)) found.push(pull);
  return found;
}
