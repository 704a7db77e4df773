import type { PullRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { BASE_MODIFIED, NOT_MERGEABLE, transientRefusal } from '../realism/transient-merges.ts';
import type { RepositoryRecord } from '../records.ts';
import { issueOf } from '../shapes/pull.ts';
import { SIGNATURES_DEMANDED, unverified } from '../signatures.ts';
import type { Actor } from '../viewer.ts';
import { forbiddenMerge } from '../workflow-permission.ts';
import { commitFor } from './merge-commit.ts';
import type { MergeRequest } from './merge-commit.ts';
import { hasQueue } from './merge-queue.ts';
import { forgetTestMerge } from './mergeability.ts';
import { pullById } from './pull-events.ts';
import { requirementsOf, unmet } from './requirements.ts';
import { closePull } from './transitions.ts';

export type MergeOutcome =
  | { readonly merged: true; readonly sha: string }
  | { readonly merged: false; readonly status: 403 | 405 | 409; readonly message: string };

/** Merges a pull request, or says in GitHub's words why not. */
export async function mergePull(
  context: ForgeContext,
  repository: RepositoryRecord,
  pullId: number,
  request: MergeRequest,
): Promise<MergeOutcome> {
  const outcome = await context.refs.exclusive(repository, () =>
    mergeLocked(context, repository, pullId, request),
  );
  if (outcome.merged && repository.deleteBranchOnMerge) {
    await deleteHead(context, repository, pullById(context, pullId), request.actor);
  }
  return outcome;
}

async function mergeLocked(
  context: ForgeContext,
  repository: RepositoryRecord,
  pullId: number,
  request: MergeRequest,
): Promise<MergeOutcome> {
  const pull = pullById(context, pullId);
  const refused = refusalOf(context, repository, pull, request);
  if (refused !== undefined) return refused;
  const git = context.git(repository);
  const ref = `refs/heads/${pull.baseRef}`;
  const base = (await git.ref(ref))?.sha;
  if (base === undefined) return no(405, NOT_MERGEABLE);
  const requirements = requirementsOf(context, repository, pull.baseRef, request.actor);
  if (requirements.strict && !(await git.isAncestor(base, pull.headSha))) {
    return no(405, 'Head branch is not up to date with the base branch.');
  }
  if (requirements.signatures !== null && request.method !== 'squash') {
    // What is squashed becomes one commit of the forge; what is rebased, commits that it cannot sign.
    const news = await git.log({ include: [pull.headSha], exclude: [base] });
    const bad = request.method === 'rebase' ? pull.headSha : await unverified(context, git, news);
    const demand =
      requirements.signatures === 'ruleset'
        ? `Repository rule violations found\n\n${SIGNATURES_DEMANDED}\n\n`
        : SIGNATURES_DEMANDED;
    if (bad !== undefined) return no(405, demand);
  }
  const forbidden = await forbiddenMerge({ context, repository, pull, base, actor: request.actor });
  if (forbidden !== undefined) return no(403, forbidden);
  const passing = transientRefusal(context, pull, request.actor);
  if (passing !== undefined) {
    // Whether it can be merged is computed once more.
    forgetTestMerge(context, pull);
    return no(405, passing);
  }
  const made = await commitFor({ context, git, pull, base, request });
  if (!made.clean) return no(405, NOT_MERGEABLE);
  const pendingMerge = { sha: made.sha, baseSha: base, byId: request.actor.user.id };
  collaborationStore(context.store).pulls.update(pull.id, { pendingMerge });
  const moved = await context.refs.update(repository, [{ ref, before: base, after: made.sha }], {
    actor: request.actor,
    enforce: false,
    activity: 'pr_merge',
  });
  if (!moved.ok) {
    collaborationStore(context.store).pulls.update(pull.id, { pendingMerge: null });
    return no(405, BASE_MODIFIED);
  }
  const after = pullById(context, pullId);
  if (after.mergedAt === null)
    await closePull({ context, repository, pull: after, by: request.actor.user, merge: pendingMerge });
  return { merged: true, sha: made.sha };
}

function refusalOf(
  context: ForgeContext,
  repository: RepositoryRecord,
  pull: PullRecord,
  request: MergeRequest,
): MergeOutcome | undefined {
  if (issueOf(context, pull).state === 'closed') return no(405, NOT_MERGEABLE);
  if (request.sha !== undefined && request.sha !== pull.headSha) {
    return no(409, 'Head branch was modified. Review and try the merge again.');
  }
  if (pull.draft) return no(405, 'Pull Request is still a draft');
  if (hasQueue(context, repository, pull.baseRef, request.actor)) {
    return no(405, 'Repository rule violations found\n\nChanges must be made through the merge queue\n\n');
  }
  const requirements = requirementsOf(context, repository, pull.baseRef, request.actor);
  const allowed = {
    merge: [repository.allowMergeCommit, 'Merge commits are not allowed on this repository.'],
    squash: [repository.allowSquashMerge, 'Squash merges are not allowed on this repository.'],
    rebase: [repository.allowRebaseMerge, 'Rebase merges are not allowed on this repository.'],
  } as const;
  const [permitted, sentence] = allowed[request.method];
  if (!permitted) return no(405, sentence);
  if (requirements.methods?.includes(request.method) === false) {
    return no(405, `Repository rule violations found\n\n${sentence}`);
  }
  const problems = unmet(context, repository, pull, requirements);
  if (problems.length === 0) return undefined;
  const prefix = requirements.byRuleset ? 'Repository rule violations found\n\n' : '';
  return no(405, prefix + problems.join(requirements.byRuleset ? '\n\n' : ' '));
}

async function deleteHead(
  context: ForgeContext,
  repository: RepositoryRecord,
  pull: PullRecord,
  actor: Actor,
): Promise<void> {
  const ref = `refs/heads/${pull.headRef}`;
  if (pull.headRepositoryId !== undefined || pull.headRef === repository.defaultBranch) return;
  await context.refs.update(repository, [{ ref, before: pull.headSha, after: null }], {
    actor,
    enforce: false,
  });
}

const no = (status: 403 | 405 | 409, message: string): MergeOutcome => ({ merged: false, status, message });
