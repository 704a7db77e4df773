/** Pure: the jobs there are, and the key of each. Of two jobs with the same key that wait, the newer stays. */

import { digestOf, shortDigest } from '../revision/digest.ts';
import type { RepositoryDirectory } from '../revision/package-path.ts';
import type { Pull } from './forge/pulls.ts';
import type {
  RecheckRequest,
  CommentTarget,
  CommitRequest,
  Job,
  JobData,
  JobOf,
  Notice,
  PackageRequest,
  ProposalJob,
} from './job.ts';
import { outsideKey } from './outside-key.ts';
import type { NamedCredential, RepositoryRef } from './ports.ts';

export function sweepJob(options: JobData<'sweep'> = {}): Job {
  return { kind: 'sweep', key: 'all', data: options };
}

export function repositorySweepJob(repository: RepositoryRef, afterSeconds = 0): Job {
  const job: Job = { kind: 'sweep-repository', key: `sweep:${repository.id}`, data: { repository } };
  return afterSeconds === 0 ? job : { ...job, startAfterSeconds: afterSeconds };
}

/** A role, a team or a membership changed: check the proposals again on which someone has decided. */
export function rightsJob(repository: RepositoryRef, afterSeconds = 0): Job {
  const job: Job = { kind: 'rights', key: `rights:${repository.id}`, data: { repository } };
  return afterSeconds === 0 ? job : { ...job, startAfterSeconds: afterSeconds };
}

/** The same in every repository of an installation. Changes that come together are gathered for a moment. */
export function organizationRightsJob(installationId: number): Job {
  const key = `rights:of:${installationId}`;
  return { kind: 'organization-rights', key, data: { installationId }, startAfterSeconds: 2 };
}

/** A branch was pushed. */
export function branchJob(repository: RepositoryRef, ref: string): Job {
  return { kind: 'branch', key: `branch:${repository.id}:${ref}`, data: { repository, ref } };
}

/** Index the repository and look at everything downstream of it. */
export function repositoryJob(repository: RepositoryRef): Job {
  return { kind: 'repository', key: `repository:${repository.id}`, data: { repository } };
}

/** Bring the registry up to what is published. */
export function registryJob(repository: RepositoryRef): Job {
  return { kind: 'registry', key: `registry:${repository.id}`, data: { repository } };
}

/** Publish what is due in a repository. */
export function publicationJob(repository: RepositoryRef, afterSeconds = 0): Job {
  const job: Job = { kind: 'publication', key: `publication:${repository.id}`, data: { repository } };
  return afterSeconds === 0 ? job : { ...job, startAfterSeconds: afterSeconds };
}

/** Check a proposal. */
export function proposalJob(repository: RepositoryRef, number: number): JobOf<'proposal'> {
  return { kind: 'proposal', key: `proposal:${repository.id}#${number}`, data: { repository, number } };
}

/** Another look at a proposal that is merged and not published, after so many seconds. */
export function overdueJob(repository: RepositoryRef, number: number, afterSeconds: number): Job {
  const key = `overdue:${repository.id}#${number}`;
  return { kind: 'overdue', key, data: { repository, number }, startAfterSeconds: afterSeconds };
}

/** Kinds of jobs about proposals: of strangers, and those that take longer than their turn. */
export const STRANGER = 'stranger-proposal';
const LONG_PROPOSAL = 'long-proposal';
export const LONG_STRANGER = 'long-stranger-proposal';

/** A proposal from a fork: it waits in a lane of its own, where `author` is served in turn with others. */
export function strangerJob({ data, key }: ProposalJob, author: string): Job {
  return { kind: STRANGER, key, data: { ...data, author } };
}

/** A look at a proposal, in the lane where it belongs. */
export function pullJob(
  repository: RepositoryRef,
  { number, headRepositoryId, author }: Pick<Pull, 'number' | 'headRepositoryId' | 'author'>,
): Job {
  const job = proposalJob(repository, number);
  return headRepositoryId === repository.id ? job : strangerJob(job, author);
}

/** The same look, asked for by a sweep. */
export function sweptPullJob(
  repository: RepositoryRef,
  pull: Pick<Pull, 'number' | 'headRepositoryId' | 'author'>,
): Job {
  const job = pullJob(repository, pull);
  return isProposalJob(job) ? { ...job, data: { ...job.data, swept: true } } : job;
}

export function isProposalJob(job: Job): job is ProposalJob {
  switch (job.kind) {
    case 'proposal':
    case STRANGER:
    case LONG_PROPOSAL:
    case LONG_STRANGER:
      return true;
    default:
      return false;
  }
}

/** The same job where long ones wait. */
export function longerJob({ kind, data, key }: ProposalJob): Job {
  return { kind: kind === STRANGER || kind === LONG_STRANGER ? LONG_STRANGER : LONG_PROPOSAL, key, data };
}

/** The proposal's checks are made anew, even where they say the same. */
export function recheckJob(
  repository: RepositoryRef,
  number: number,
  again: RecheckRequest,
): JobOf<'proposal'> {
  const { data, key } = proposalJob(repository, number);
  return {
    kind: 'proposal',
    key: `${key}:again:${again.check ?? ''}`,
    data: { ...data, again },
    priority: 5,
  };
}

/** A press of a button, or a wish for checks, where the forge names no proposal: of forks, and of older commits. */
export function commitJob(
  repository: RepositoryRef,
  commit: { readonly sha: string; readonly branch: string | null },
  wish: CommitRequest,
): Job {
  const what =
    wish.wish === 'checks'
      ? `again:${wish.again.check ?? ''}`
      : `pressed:${wish.pressed.check}:${wish.pressed.by}`;
  const key = `commit:${repository.id}:${commit.sha}:${what}`;
  return { kind: 'commit', key, data: { repository, ...commit, ...wish } };
}

/** Somebody pressed the button of a check. */
export function fixJob(repository: RepositoryRef, pressed: Omit<JobData<'fix'>, 'repository'>): Job {
  const { number, check, headSha, by } = pressed;
  return {
    kind: 'fix',
    key: `fix:${repository.id}#${number}:${headSha}:${check}:${by}`,
    data: { repository, ...pressed },
    priority: 10,
  };
}

/** A merge queue asks whether what it is about to merge may be merged. */
export function mergeGroupJob(
  repository: RepositoryRef,
  group: Omit<JobData<'merge-group'>, 'repository'>,
): Job {
  return {
    kind: 'merge-group',
    key: `merge-group:${repository.id}:${group.headSha}`,
    data: { repository, ...group },
  };
}

/** Every comment has its own key: none replaces another. */
export function commentJob(
  repository: RepositoryRef,
  number: number,
  source: CommentTarget['source'],
  how: Pick<CommentTarget, 'form' | 'aside' | 'author'> = {},
): JobOf<'comment'> {
  return {
    kind: 'comment',
    key: `comment:${repository.id}#${number}/${source.kind}/${source.id}`,
    data: { repository, number, source, ...how },
    priority: 10,
  };
}

/** The same comment in the lane of people who cannot write. */
export function readerCommentJob(
  { data, key }: Pick<JobOf<'comment'>, 'data' | 'key'>,
  afterSeconds = 0,
): Job {
  return {
    kind: 'reader-comment',
    key,
    data,
    ...(afterSeconds > 0 && { startAfterSeconds: afterSeconds }),
  };
}

/**
 * Look at one downstream package; `asked` is a revision that somebody asked for, who, and where. That has a key of its own,
 * so that a look that nobody asked for does not take its place.
 */
export function variantJob(
  repository: RepositoryRef,
  path: string,
  asked?: Required<Pick<PackageRequest, 'to' | 'askedIn' | 'askedBy'>> &
    Pick<PackageRequest, 'askedById' | 'askedFrom'>,
): JobOf<'variant'> {
  return {
    kind: 'variant',
    key: `variant:${repository.id}:${path}${asked === undefined ? '' : ':asked'}`,
    data: { about: 'package', repository, package: path, ...asked },
    ...(asked !== undefined && { priority: 10 }),
  };
}

/** Look at several packages of a repository at once: they share a fetch and a push. */
export function updatesJob(repository: RepositoryRef, packages: readonly string[]): JobOf<'variant'> {
  const [only] = packages;
  if (only !== undefined && packages.length === 1) return variantJob(repository, only);
  return {
    kind: 'variant',
    key: `variant:${repository.id}:${shortDigest(digestOf('portico packages 1', packages))}:together`,
    data: { about: 'packages', repository, packages },
  };
}

/** Look at what a variant leaves behind that is gone from its document. */
export function variantGoneJob(repository: RepositoryRef, path: string, uid: string): Job {
  return {
    kind: 'variant',
    key: `variant:${repository.id}:${path}:gone`,
    data: { about: 'package', repository, package: path, gone: uid },
  };
}

/**
 * Look how far the rollouts have come that a repository has a part in; after so many seconds, beside a look at once. What was heard
 * before `since` is asked for again.
 */
export function rolloutJob(repository: RepositoryRef, afterSeconds?: number, since?: number): Job {
  const later = afterSeconds === undefined ? {} : { startAfterSeconds: afterSeconds };
  const key = `rollout:${repository.id}${afterSeconds === undefined ? '' : ':later'}`;
  const data = { repository, ...(since !== undefined && { since }) };
  return { kind: 'rollout', key, data, ...later };
}

/** Look whether a revision fails where it runs: one published lately, or what is at the commit of which a failure was told. */
export function restorationJob(repository: RepositoryRef, commit?: string): Job {
  const key = `restoration:${repository.id}${commit === undefined ? '' : `:${commit}`}`;
  return { kind: 'restoration', key, data: { repository, ...(commit !== undefined && { commit }) } };
}

/** Tell the operator's webhook. */
export function noticeJob(notice: Notice): Job {
  return { kind: 'notice', key: `notice:${notice.id}`, data: { notice } };
}

/** Look at an upstream outside of every installation, after so many seconds. */
export function pollJob(
  address: string,
  {
    credential,
    afterSeconds = 0,
  }: { readonly credential?: NamedCredential | undefined; readonly afterSeconds?: number } = {},
): Job {
  return {
    kind: 'poll',
    key: `poll:${outsideKey(address, credential)}`,
    data: { address, ...(credential !== undefined && { credential }) },
    startAfterSeconds: afterSeconds,
  };
}

/** So long the dashboard of an organisation waits for more news, in seconds. */
const ORGANIZATION_NEWS_WAITS = 300;

/** Bring the dashboard up to date, after so many seconds: see dashboard-news.ts. */
export function dashboardJob(repository: RepositoryRef, afterSeconds = 0): Job {
  return {
    kind: 'dashboard',
    key: `dashboard:${repository.id}`,
    data: { repository },
    startAfterSeconds: afterSeconds,
  };
}

/** News of updates is gathered for so long, in seconds. */
const UPDATES_WAIT = 45;

/** Say where the newest revision of a package went, later. */
export function downstreamJob(
  upstream: { readonly repository: RepositoryRef; readonly directory: RepositoryDirectory },
  afterSeconds = UPDATES_WAIT,
): Job {
  return {
    kind: 'downstream',
    key: `downstream:${upstream.repository.id}:${upstream.directory}`,
    data: { ...upstream },
    startAfterSeconds: afterSeconds,
  };
}

/** Bring the issue about all repositories of an owner up to date, later; or at once, where it names too many. */
export function organizationBoardJob(repository: RepositoryRef, afterSeconds = ORGANIZATION_NEWS_WAITS): Job {
  return {
    kind: 'dashboard',
    key: `dashboard:${repository.id}:organization`,
    data: { repository, organization: true },
    startAfterSeconds: afterSeconds,
  };
}

/** Somebody edited the dashboard. */
export function dashboardEditedJob(
  repository: RepositoryRef,
  edited: NonNullable<JobData<'dashboard'>['edited']>,
): Job {
  return { kind: 'dashboard', key: `dashboard:${repository.id}:edited`, data: { repository, edited } };
}

/** Look at the package that an update branch is for. */
export function updateBranchJob(repository: RepositoryRef, branch: string): Job {
  const key = `variant:${repository.id}:on:${branch}`;
  return { kind: 'variant', key, data: { about: 'branch', repository, branch } };
}

/** Check what an update branch without a pull request holds. */
export function updateChecksJob(repository: RepositoryRef, branch: string): Job {
  const key = `update-checks:${repository.id}:${branch}`;
  return { kind: 'update-checks', key, data: { repository, branch } };
}

/** A look at an update branch, after so many seconds: time alone is waited for, of which no event tells. */
export function settledBranchJob(repository: RepositoryRef, branch: string, afterSeconds: number): Job {
  const job = updateBranchJob(repository, branch);
  return { ...job, key: `${job.key}:settled`, startAfterSeconds: afterSeconds };
}
