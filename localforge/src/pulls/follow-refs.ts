/** What becomes of pull requests when branches move. */

import type { PullRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import type { GitRepository } from '../git-repository.ts';
import { movePullRef } from '../realism/pull-ref-lag.ts';
import type { AccountRecord, RepositoryRecord } from '../records.ts';
import type { RefsUpdated, RefUpdate } from '../refs.ts';
import { issueOf } from '../shapes/pull.ts';
import { headIn } from './head-repository.ts';
import { dropStale, followBase as followQueue } from './merge-queue.ts';
import { forgetTestMerge } from './mergeability.ts';
import { changePull, pullById } from './pull-events.ts';
import { requirementsOf } from './requirements.ts';
import { closePull, dismissReview, touch } from './transitions.ts';

/** Synchronizes, closes or merges the pull requests whose head or base is among the branches that moved. */
export async function followRefs(context: ForgeContext, event: RefsUpdated): Promise<void> {
  const by = event.actor.user;
  for (const update of event.updates) {
    if (!update.ref.startsWith('refs/heads/')) continue;
    const branch = update.ref.slice('refs/heads/'.length);
    const { pulls } = collaborationStore(context.store);
    for (const pull of pulls.find('head', [event.repository.id, branch])) {
      const repository = context.records.repositories.get(pull.repositoryId);
      if (repository === undefined || !isOpen(context, pull)) continue;
      if (update.after !== null) await headIn(context, repository, event.repository, branch);
      await followHead({ context, repository, pull, update, by });
      await dropStale(context, repository, pullById(context, pull.id));
    }
    followQueue(context, event.repository, branch);
    const based = pulls.find('base', [event.repository.id, branch]).filter((pull) => isOpen(context, pull));
    if (based.length === 0) continue;
    const brought = await broughtBy(context.git(event.repository), update);
    for (const pull of based)
      await followBase({ context, repository: event.repository, pull, update, brought, by });
  }
}

async function followHead({
  context,
  repository,
  pull,
  update,
  by,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly update: RefUpdate;
  readonly by: AccountRecord;
}): Promise<void> {
  const { after } = update;
  if (after === null) {
    await closePull({ context, repository, pull, by });
    return;
  }
  if (pull.headSha === after) return;
  const git = context.git(repository);
  const before = pull.headSha;
  const baseSha = (await git.ref(`refs/heads/${pull.baseRef}`))?.sha ?? pull.baseSha;
  forgetTestMerge(context, pull);
  const moved = { ...pull, headSha: after, baseSha, testMerge: null };
  await changePull({
    context,
    repository,
    pull: moved,
    sender: by,
    action: 'synchronize',
    change: () => {
      collaborationStore(context.store).pulls.update(pull.id, { headSha: after, baseSha, testMerge: null });
      touch(context, pull);
    },
    extra: { before, after },
  });
  await movePullRef(context, repository, pull, after);
  await dismissStale({ context, repository, pull: moved, before, by });
  // A branch without anything of its own has nothing to propose: GitHub closes such a pull request.
  if (await git.isAncestor(after, baseSha)) {
    await closePull({ context, repository, pull: pullById(context, pull.id), by });
  }
}

async function followBase({
  context,
  repository,
  pull,
  update,
  brought,
  by,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly update: RefUpdate;
  readonly brought: ReadonlySet<string>;
  readonly by: AccountRecord;
}): Promise<void> {
  const { before, after } = update;
  if (after === null) {
    await closePull({ context, repository, pull, by });
    return;
  }
  const forgotten = forgetTestMerge(context, pull);
  const { pendingMerge } = forgotten;
  if (pendingMerge !== null && brought.has(pendingMerge.sha)) {
    const merger = context.records.account(pendingMerge.byId);
    await closePull({ context, repository, pull: forgotten, by: merger, merge: pendingMerge });
    return;
  }
  if (brought.has(pull.headSha)) {
    const sha = await bringingCommit(context.git(repository), pull.headSha, before, after);
    await closePull({
      context,
      repository,
      pull: forgotten,
      by,
      merge: { sha, baseSha: before ?? pull.baseSha },
    });
  }
}

/** The commits that an update adds to its branch: one look for all pull requests into it. */
async function broughtBy(git: GitRepository, { before, after }: RefUpdate): Promise<Set<string>> {
  if (after === null) return new Set();
  return new Set(await git.log({ include: [after], exclude: before === null ? [] : [before] }));
}

/** The first commit on the base's own line that contains the head: the merge commit, or the head itself. */
async function bringingCommit(
  git: GitRepository,
  head: string,
  before: string | null,
  after: string,
): Promise<string> {
  const exclude = before === null ? [] : [before];
  const line = await git.log({ include: [after], exclude, firstParent: true, reverse: true });
  for (const sha of line) {
    if (await git.isAncestor(head, sha)) return sha;
  }
  return after;
}

/** Dismisses approvals that were given to another change, where the branch's rules say so. */
async function dismissStale({
  context,
  repository,
  pull,
  before,
  by,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly before: string;
  readonly by: AccountRecord;
}): Promise<void> {
  if (!requirementsOf(context, repository, pull.baseRef).dismissStale) return;
  const { reviews } = collaborationStore(context.store);
  const approvals = reviews.find('pull', [pull.id]).filter((review) => review.state === 'APPROVED');
  if (approvals.length === 0) return;
  const git = context.git(repository);
  const [old, present] = await Promise.all([
    changeOf(git, pull.baseSha, before),
    changeOf(git, pull.baseSha, pull.headSha),
  ]);
  if (old === present) return;
  for (const review of approvals) dismissReview({ context, repository, pull, review, by });
}

async function changeOf(git: GitRepository, base: string, head: string): Promise<string> {
  const from = await git.mergeBase(base, head);
  return from === undefined ? head : git.diffText(from, head, 'diff');
}

function isOpen(context: ForgeContext, pull: PullRecord): boolean {
  return issueOf(context, pull).state === 'open';
}
