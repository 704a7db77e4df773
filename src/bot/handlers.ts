/** Which reconciler does which kind of job, and what surrounds each. */
import { leavingRoom } from '../forge/call-gate.ts';
import type { ContentWork } from '../isolation/content.ts';
import type { EndedJob } from '../queue/job-traces.ts';
import type { Job as StoredJob, JobHandler, Json } from '../queue/job.ts';
import { DONE, PUT_OFF, type Answer } from '../reconcile/answer.ts';
import { createCommentReconciler } from '../reconcile/command/comment.ts';
import { createDashboardReconciler } from '../reconcile/dashboard/dashboard.ts';
import { prepareVariants } from '../reconcile/downstream/prepare-variants.ts';
import { createRestorationReconciler } from '../reconcile/draft/restoration.ts';
import {
  JOB_KINDS,
  jobSubject,
  traitsOf,
  type CommentTarget,
  type JobKind,
  type ProposalJob,
} from '../reconcile/job.ts';
import { longerJob, proposalJob, readerCommentJob, STRANGER } from '../reconcile/jobs.ts';
import type { Ports, RepositoryRef } from '../reconcile/ports.ts';
import { createFixReconciler } from '../reconcile/proposal/fix.ts';
import { createMergeGroupReconciler } from '../reconcile/proposal/merge-group.ts';
import { createProposalReconciler } from '../reconcile/proposal/proposal.ts';
import { createUpdateChecksReconciler } from '../reconcile/proposal/update-checks.ts';
import { createPublicationReconciler } from '../reconcile/publication/publication.ts';
import { createRegistryReconciler } from '../reconcile/publication/registry.ts';
import { createDownstreamReconciler } from '../reconcile/publication/tell-downstream.ts';
import { createPollReconciler } from '../reconcile/repository/outside-upstream.ts';
import { createCommitReconciler } from '../reconcile/review/commit-pulls.ts';
import { createRolloutReconciler } from '../reconcile/rollout/rollout.ts';
import { createBranchReconciler } from '../reconcile/sweep/branch.ts';
import { createRepositoryReconciler } from '../reconcile/sweep/repository.ts';
import { createOrganizationRightsReconciler, createRightsReconciler } from '../reconcile/sweep/rights.ts';
import { createRepositorySweep, createSweep } from '../reconcile/sweep/sweep.ts';
import { createUpdateReconciler } from '../reconcile/update/reconciler.ts';
import { tellPutOff } from '../reconcile/update/tell-put-off.ts';
import type { KeyedLock } from '../replica/keyed-lock.ts';
import type { SharedIndex } from '../replica/shared-index.ts';
import { logWith } from '../telemetry/log.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { momentOf, type Freshness } from './freshness.ts';
import { isWaitedFor, shareOf } from './lanes.ts';
import type { Readers } from './readers.ts';
import { readJob, type ReceivedJob } from './received-job.ts';
import type { Running } from './running.ts';
import type { Turns } from './turns.ts';

/** Every kind of job has one. */
type Handlers = {
  readonly [Kind in JobKind]: (job: ReceivedJob<Kind>, signal: AbortSignal) => Promise<Answer>;
};

export interface HandlerParts {
  readonly ports: Ports;
  readonly running: Running;
  readonly lock: KeyedLock;
  readonly turns: Turns;
  readonly readers: Readers;
  readonly tracing: Tracing;
  readonly freshness: Freshness;
  /** Absent where the index is in this process alone. */
  readonly index: Pick<SharedIndex, 'refresh' | 'flush'> | undefined;
  /** Remembers how a job of a webhook ended. */
  readonly ended: (job: EndedJob) => Promise<void>;
  /** Does work on foreign content within a share of its processes. */
  readonly within: ContentWork['within'];
}

/**
 * What the queue calls, for each kind of job. A job belongs to the trace of the delivery that asked for it; it sees what other processes
 * have read so far, and they see what it reads.
 */
export function createHandlers(parts: HandlerParts): Readonly<Record<string, JobHandler>> {
  const { ports, tracing, freshness, index } = parts;
  const handlers = reconcilers(parts);
  const run = async (job: ReceivedJob, stored: StoredJob, signal: AbortSignal): Promise<void> => {
    if (traitsOf(job.kind).withoutVariants !== true) await prepareVariants(ports);
    const answer = await handle(handlers, job.kind, job, signal);
    const reason = answer.kind === 'nothing' ? answer.reason : undefined;
    const { at, delivery } = job.origin;
    if (job.kind === 'comment' && answer.kind === 'done' && at !== undefined)
      ports.metrics?.commented((Date.now() - at) / 1000);
    // A person can look for what became of a webhook; of sweeps, most jobs have nothing to do.
    if (delivery !== undefined) {
      ports.log.info({ reason }, 'the job is done');
      const about = jobSubject(stored.data);
      // Its work is done, whether or not that can be remembered.
      await parts
        .ended({ ...stored, data: about as Json, repository: about.repository?.id, delivery, reason })
        .catch((error: unknown) =>
          ports.log.warn({ err: error }, 'the end of a job could not be remembered'),
        );
    } else if (reason !== undefined) ports.log.debug({ reason }, 'the job is done');
  };
  const handler: JobHandler = (stored, signal) => {
    const job = readJob(stored);
    const attributes = { 'portico.key': job.key, 'portico.attempt': job.attempt };
    const work = async (): Promise<void> => {
      await index?.refresh();
      const own = (): Promise<void> => parts.within(shareOf(job), () => run(job, stored, signal));
      await (isWaitedFor(job) ? own() : leavingRoom(own));
      await index?.flush();
    };
    const fresh = (): Promise<void> => freshness.during(momentOf(job), () => logWith(fieldsOf(job), work));
    return tracing.span(`job ${job.kind}`, attributes, fresh, job.origin.trace);
  };
  return Object.fromEntries(JOB_KINDS.map((kind) => [kind, handler]));
}

/** Does each job as its kind demands. */
function reconcilers({ ports, running, lock, turns, readers }: HandlerParts): Handlers {
  const proposal = createProposalReconciler(ports);
  const updateChecks = createUpdateChecksReconciler(ports);
  const mergeGroup = createMergeGroupReconciler(ports);
  const comment = createCommentReconciler(ports, proposal);
  const fix = createFixReconciler(ports);
  const commit = createCommitReconciler(ports);
  const publication = createPublicationReconciler(ports);
  const repository = createRepositoryReconciler(ports);
  const variant = createUpdateReconciler(ports);
  const dashboard = createDashboardReconciler(ports);
  const downstream = createDownstreamReconciler(ports);
  const registry = createRegistryReconciler(ports);
  const restoration = createRestorationReconciler(ports);
  const rollout = createRolloutReconciler(ports);
  const poll = createPollReconciler(ports);
  const branch = createBranchReconciler(ports);
  const rights = createRightsReconciler(ports);
  const organizationRights = createOrganizationRightsReconciler(ports);
  const sweep = createSweep(ports);
  const sweepRepository = createRepositorySweep(ports);
  // What happens to one pull request happens one after the other, whichever lane and process it came by.
  const look = (job: ProposalJob, signal: AbortSignal): Promise<Answer> => {
    const { author, waits, ...target } = job.data;
    return lock.run(pullKey(target), async () => {
      let answer: Answer = PUT_OFF;
      await running.run(
        pullKey(target),
        async (either) => {
          if (job.kind === STRANGER && waits === true) {
            await tellPutOff(await ports.open(target.repository, either), target.number, either);
          } else {
            answer = await proposal(job.data, either);
            if (answer.kind !== 'put-off') return;
            if (author !== undefined) turns.tookLong(author);
          }
          await ports.enqueue(longerJob(job));
        },
        signal,
      );
      return answer;
    });
  };
  // To end what is under way, a comment must not wait for it.
  const carryOut = (data: CommentTarget, signal: AbortSignal): Promise<Answer> =>
    data.aside === true ? comment(data, signal) : lock.run(pullKey(data), () => comment(data, signal));
  return {
    proposal: look,
    'long-proposal': look,
    'stranger-proposal': look,
    'long-stranger-proposal': look,
    comment: async (job, signal) => {
      if (!(await readers.isReader(job.data, signal))) return carryOut(job.data, signal);
      await ports.enqueue(readerCommentJob(job));
      return PUT_OFF;
    },
    'reader-comment': async ({ data, key }, signal) => {
      const { installationId } = data.repository;
      const seconds = readers.secondsToWait(installationId);
      if (seconds === 0) return readers.spend(installationId, () => carryOut(data, signal));
      await ports.enqueue(readerCommentJob({ data, key }, seconds));
      return PUT_OFF;
    },
    'update-checks': ({ data }, signal) => updateChecks(data, signal),
    'merge-group': ({ data }, signal) => mergeGroup(data, signal),
    fix: ({ data }, signal) => lock.run(pullKey(data), () => done(fix(data, signal))),
    commit: ({ data }, signal) => done(commit(data, signal)),
    publication: ({ data }, signal) => publication(data, signal),
    repository: ({ data }, signal) => done(repository(data.repository, signal)),
    variant: ({ data }, signal) => variant(data, signal),
    dashboard: ({ data }, signal) => dashboard(data, signal),
    downstream: ({ data }, signal) => downstream(data, signal),
    registry: ({ data }, signal) => registry(data, signal),
    overdue: ({ data }) => done(ports.enqueue(proposalJob(data.repository, data.number))),
    restoration: ({ data }, signal) => restoration(data, signal),
    rollout: ({ data }, signal) => done(rollout(data, signal)),
    poll: ({ data }, signal) => done(poll(data, signal)),
    // Where the operator has taken the address away, nobody is to be told any more.
    notice: ({ data }, signal) => done(ports.notify?.(data.notice, signal) ?? Promise.resolve()),
    branch: ({ data }, signal) => branch(data, signal),
    rights: ({ data }, signal) => rights(data, signal),
    'organization-rights': ({ data }, signal) => organizationRights(data, signal),
    sweep: ({ data }, signal) => done(sweep(data, signal)),
    'sweep-repository': ({ data }, signal) => done(sweepRepository(data.repository, signal)),
  };
}

/** What each line says that is logged during a job. */
function fieldsOf({
  kind,
  key,
  data,
  origin: { delivery },
}: ReceivedJob): Readonly<Record<string, string | number>> {
  const { repository, number } = data as {
    readonly repository?: RepositoryRef;
    readonly number?: number;
  };
  return {
    kind,
    key,
    ...(delivery !== undefined && { delivery }),
    ...(repository !== undefined && { repository: `${repository.owner}/${repository.name}` }),
    ...(number !== undefined && { number }),
  };
}

/** The answer of those that look, ask others to look, and have nothing else to say. */
async function done(work: Promise<void>): Promise<Answer> {
  await work;
  return DONE;
}

async function handle<Kind extends JobKind>(
  handlers: Handlers,
  kind: Kind,
  job: ReceivedJob<Kind>,
  signal: AbortSignal,
): Promise<Answer> {
  return handlers[kind](job, signal);
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
