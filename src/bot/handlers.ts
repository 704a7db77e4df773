/** The reconcilers, by the kinds of jobs that they do. */
import type { startQueue } from '../queue/queue.ts';
import { createCommentReconciler } from '../reconcile/command/comment.ts';
import type { CommentTarget } from '../reconcile/comment-source.ts';
import { createDashboardReconciler, type DashboardTarget } from '../reconcile/dashboard/dashboard.ts';
import type { VariantTarget } from '../reconcile/downstream/downstream.ts';
import { LONG_PROPOSAL, LONG_STRANGER, longerJob, proposalJob, STRANGER } from '../reconcile/jobs.ts';
import type { RepositoryRef, Ports } from '../reconcile/ports.ts';
import { createFixReconciler, type FixTarget } from '../reconcile/proposal/fix.ts';
import { createMergeGroupReconciler, type MergeGroupTarget } from '../reconcile/proposal/merge-group.ts';
import { createProposalReconciler, type ProposalTarget } from '../reconcile/proposal/proposal.ts';
import { createPublicationReconciler } from '../reconcile/publication/publication.ts';
import { createDownstreamReconciler } from '../reconcile/publication/tell-downstream.ts';
import { createPollReconciler } from '../reconcile/repository/outside-upstream.ts';
import { createCommitReconciler, type CommitTarget } from '../reconcile/review/commit-pulls.ts';
import { createRolloutReconciler, type RolloutTarget } from '../reconcile/rollout/rollout.ts';
import { createBranchReconciler } from '../reconcile/sweep/branch.ts';
import { createRepositoryReconciler } from '../reconcile/sweep/repository.ts';
import { createRepositorySweep, createSweep } from '../reconcile/sweep/sweep.ts';
import { tellPutOff } from '../reconcile/update/tell-put-off.ts';
import { createVariantReconciler } from '../reconcile/update/variant.ts';
import type { KeyedLock } from '../replica/keyed-lock.ts';
import type { Running } from './running.ts';
import type { Turns } from './turns.ts';

type Handlers = Parameters<typeof startQueue>[0]['handlers'];

/** What is done about each kind of job. */
export function createHandlers(ports: Ports, running: Running, lock: KeyedLock, turns: Turns): Handlers {
  const proposal = createProposalReconciler(ports);
  const mergeGroup = createMergeGroupReconciler(ports);
  const comment = createCommentReconciler(ports, proposal);
  const fix = createFixReconciler(ports);
  const commit = createCommitReconciler(ports);
  const publication = createPublicationReconciler(ports);
  const repository = createRepositoryReconciler(ports);
  const variant = createVariantReconciler(ports);
  const dashboard = createDashboardReconciler(ports);
  const downstream = createDownstreamReconciler(ports);
  const rollout = createRolloutReconciler(ports);
  const poll = createPollReconciler(ports);
  const branch = createBranchReconciler(ports);
  const sweep = createSweep(ports);
  const sweepRepository = createRepositorySweep(ports);
  // What happens to one pull request happens one after the other, whichever lane and process it came by.
  const look: Handlers[string] = ({ kind, key, data }, signal) => {
    const target = data as unknown as ProposalTarget;
    const { author, waits } = data as { readonly author?: string; readonly waits?: boolean };
    return lock.run(pullKey(target), () =>
      running.run(
        pullKey(target),
        async (either) => {
          if (kind === STRANGER && waits === true) {
            await tellPutOff(await ports.open(target.repository, either), target.number, either);
          } else {
            if ((await proposal(target, either)) === 'looked') return;
            if (author !== undefined) turns.tookLong(author);
          }
          await ports.enqueue(longerJob({ kind, key, data: data as Readonly<Record<string, unknown>> }));
        },
        signal,
      ),
    );
  };
  return {
    proposal: look,
    [LONG_PROPOSAL]: look,
    [STRANGER]: look,
    [LONG_STRANGER]: look,
    comment: async ({ data }, signal) => {
      const target = data as unknown as CommentTarget;
      // To end what is under way, a comment must not wait for it.
      if (target.aside === true) await comment(target, signal);
      else await lock.run(pullKey(target), () => comment(target, signal));
    },
    'merge-group': ({ data }, signal) => mergeGroup(data as unknown as MergeGroupTarget, signal),
    fix: ({ data }, signal) => {
      const target = data as unknown as FixTarget;
      return lock.run(pullKey(target), () => fix(target, signal));
    },
    commit: ({ data }, signal) => commit(data as unknown as CommitTarget, signal),
    publication: ({ data }, signal) => publication(repositoryOf(data), signal),
    repository: ({ data }, signal) => repository(repositoryOf(data), signal),
    variant: async ({ data }, signal) => {
      await variant(data as unknown as VariantTarget, signal);
    },
    dashboard: ({ data }, signal) => dashboard(data as unknown as DashboardTarget, signal),
    downstream: ({ data }, signal) => downstream(data as unknown as Parameters<typeof downstream>[0], signal),
    overdue: ({ data }) =>
      ports.enqueue(proposalJob(repositoryOf(data), (data as { readonly number: number }).number)),
    rollout: ({ data }, signal) => rollout(data as unknown as RolloutTarget, signal),
    poll: ({ data }, signal) => poll(data as unknown as Parameters<typeof poll>[0], signal),
    branch: ({ data }, signal) => branch(data as unknown as Parameters<typeof branch>[0], signal),
    sweep: (_job, signal) => sweep(signal),
    'sweep-repository': ({ data }, signal) => sweepRepository(repositoryOf(data), signal),
  };
}

/** Names the lock and the work on one pull request. */
export function pullKey({
  repository: { id },
  number,
}: {
  readonly repository: { readonly id: number };
  readonly number: number;
}): string {
  return `${id}#${number}`;
}

/** What we queued is what we read. */
function repositoryOf(data: unknown): RepositoryRef {
  return (data as { repository: RepositoryRef }).repository;
}
