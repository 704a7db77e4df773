import { roleAtLeast } from '../access.ts';
import { emitFor } from '../acting.ts';
import type { PullRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { movePullRef } from '../realism/pull-ref-lag.ts';
import type { RepositoryRecord } from '../records.ts';
import { invalid, notFound } from '../refusal.ts';
import { fullPull, issueOf } from '../shapes/pull.ts';
import type { Actor } from '../viewer.ts';
import { headIn, repositoryOfHead } from './head-repository.ts';
import { pullStats, verdictOf } from './mergeability.ts';

export interface NewPull {
  readonly title: string;
  readonly body: string | null;
  /** A branch, or `owner:branch` of the same repository or of the owner's fork of it. */
  readonly head: string;
  readonly base: string;
  readonly draft: boolean;
  readonly maintainerCanModify: boolean;
}

/**
 * Opens a pull request.
 * @throws 422 for branches that do not exist, bring nothing, have no common history, or have a pull request already
 */
export async function openPull(
  context: ForgeContext,
  repository: RepositoryRecord,
  actor: Actor,
  wanted: NewPull,
): Promise<PullRecord> {
  const git = context.git(repository);
  const named = headOf(context, repository, wanted.head);
  if (named === undefined) throw wrong('head');
  const { repository: source, headRef } = named;
  if (!roleAtLeast(context.access.viewerRole(actor, source), 'write')) throw notFound();
  const head = await headIn(context, repository, source, headRef);
  if (head === undefined) throw wrong('head');
  const base = await git.ref(`refs/heads/${wanted.base}`);
  if (base === undefined) throw wrong('base');
  if (await git.isAncestor(head.sha, base.sha)) {
    throw custom(`No commits between ${wanted.base} and ${headRef}`);
  }
  if ((await git.mergeBase(base.sha, head.sha)) === undefined) {
    throw custom(`The ${headRef} branch has no history in common with ${wanted.base}`);
  }
  refuseDouble({ context, repository, source, headRef, baseRef: wanted.base });

  const { id: number, pull } = insert({
    context,
    repository,
    actor,
    wanted,
    from: {
      source,
      headRef,
      headSha: head.sha,
      baseSha: base.sha,
    },
  });
  await movePullRef(context, repository, pull, head.sha);
  const stats = await pullStats(context, repository, pull);
  emitFor({
    context,
    repository,
    sender: actor.user,
    event: 'pull_request',
    action: 'opened',
    payload: {
      number,
      pull_request: fullPull({
        context,
        repository,
        pull,
        stats,
        verdict: verdictOf(context, repository, pull),
      }),
    },
  });
  return pull;
}

/** Refuses a second open pull request of the same two branches. @throws 422 */
export function refuseDouble({
  context,
  repository,
  source,
  headRef,
  baseRef,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly source: RepositoryRecord;
  readonly headRef: string;
  readonly baseRef: string;
}): void {
  const double = collaborationStore(context.store)
    .pulls.find('head', [source.id, headRef])
    .some(
      (pull) =>
        pull.repositoryId === repository.id &&
        pull.baseRef === baseRef &&
        issueOf(context, pull).state === 'open',
    );
  const owner = context.records.account(source.ownerId).login;
  if (double) throw custom(`A pull request already exists for ${owner}:${headRef}.`);
}

function insert({
  context,
  repository,
  actor,
  wanted,
  from,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly actor: Actor;
  readonly wanted: NewPull;
  readonly from: {
    readonly source: RepositoryRecord;
    readonly headRef: string;
    readonly headSha: string;
    readonly baseSha: string;
  };
}): { id: number; pull: PullRecord } {
  const store = collaborationStore(context.store);
  const { source, ...sides } = from;
  return context.store.transaction(() => {
    refuseDouble({ context, repository, source, headRef: sides.headRef, baseRef: wanted.base });
    const number = context.store.sequence(`number:${repository.id}`);
    const now = context.now();
    const issue = store.issues.insert({
      repositoryId: repository.id,
      number,
      userId: actor.user.id,
      viaApp: actor.kind === 'installation',
      title: wanted.title,
      body: wanted.body,
      state: 'open',
      stateReason: null,
      labelIds: [],
      assigneeIds: [],
      locked: false,
      lockReason: null,
      createdAt: now,
      updatedAt: now,
      closedAt: null,
      closedById: null,
      pullId: null,
    });
    const pull = store.pulls.insert({
      repositoryId: repository.id,
      issueId: issue.id,
      number,
      draft: wanted.draft,
      ...sides,
      ...(source.id === repository.id ? {} : { headRepositoryId: source.id }),
      baseRef: wanted.base,
      mergedAt: null,
      mergedById: null,
      mergeCommitSha: null,
      testMerge: null,
      pendingMerge: null,
      autoMerge: null,
      reviewerIds: [],
      reviewTeamIds: [],
      maintainerCanModify: wanted.maintainerCanModify,
    });
    store.issues.update(issue.id, { pullId: pull.id });
    return { id: number, pull };
  });
}

/** Which branch of which repository a `head` names. */
function headOf(
  context: ForgeContext,
  repository: RepositoryRecord,
  head: string,
): { repository: RepositoryRecord; headRef: string } | undefined {
  if (!head.includes(':')) return { repository, headRef: head };
  const [login = '', ...branch] = head.split(':');
  const source = repositoryOfHead(context, repository, login);
  return source === undefined ? undefined : { repository: source, headRef: branch.join(':') };
}

const wrong = (field: string): Error => invalid({ resource: 'PullRequest', field, code: 'invalid' });

const custom = (message: string): Error => invalid({ resource: 'PullRequest', code: 'custom', message });
