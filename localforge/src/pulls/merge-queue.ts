/**
 * A branch whose ruleset asks for a merge queue: what waits is merged with the branch's tip, and with what is ahead of it, on a
 * branch of its own, and goes in, in order, when the required checks are green: those of its own commit, or with `HEADGREEN` those of
 * the last commit that goes in with it.
 */
import { emitFor } from '../acting.ts';
import { runInBackground } from '../background.ts';
import { verdictOfCheck } from '../checks-of-commit.ts';
import type { PullRecord, QueueEntryRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { bypasses, rulesetsFor } from '../gate.ts';
import type { ActivityType, RepositoryRecord } from '../records.ts';
import { issueOf } from '../shapes/pull.ts';
import type { Actor } from '../viewer.ts';
import { commitFor } from './merge-commit.ts';
import { changePull, pullById } from './pull-events.ts';
import { requirementsOf } from './requirements.ts';
import { closePull } from './transitions.ts';

type Removed = 'MERGE' | 'CI_FAILURE' | 'MERGE_CONFLICT' | 'MANUAL' | 'INVALIDATED';

const PREFIX = 'refs/heads/gh-readonly-queue/';

/** Whether pull requests into the branch go through a queue; who may bypass its ruleset merges past it (akuity/kargo#5405). */
export function hasQueue(
  context: ForgeContext,
  repository: RepositoryRecord,
  branch: string,
  by?: Actor,
): boolean {
  return rulesetsFor(context, repository, `refs/heads/${branch}`).some(
    (ruleset) =>
      ruleset.rules.some((rule) => rule.type === 'merge_queue') &&
      (by === undefined || !bypasses({ context, repository, ruleset, actor: by, pullRequest: true })),
  );
}

/** The entry of a pull request that waits. */
export function entryOf(context: ForgeContext, pull: PullRecord): QueueEntryRecord | undefined {
  return collaborationStore(context.store).queue.first('pull', [pull.id]);
}

/** Where in its queue an entry stands, from 1. */
export function positionOf(context: ForgeContext, entry: QueueEntryRecord): number {
  return waiting(context, entry.repositoryId, entry.baseRef).findIndex(({ id }) => id === entry.id) + 1;
}

/** Puts a pull request at the end of its queue; one that waits stays where it is. */
export async function enqueue(
  context: ForgeContext,
  repository: RepositoryRecord,
  pull: PullRecord,
  byId: number,
): Promise<QueueEntryRecord> {
  const known = entryOf(context, pull);
  if (known !== undefined) return known;
  const by = context.records.account(byId);
  const { queue } = collaborationStore(context.store);
  await changePull({
    context,
    repository,
    pull,
    sender: by,
    action: 'enqueued',
    change: () => {
      queue.insert({
        repositoryId: repository.id,
        pullId: pull.id,
        baseRef: pull.baseRef,
        headSha: pull.headSha,
        byId,
        enqueuedAt: context.now(),
        group: null,
      });
    },
  });
  advance(context, repository, pull.baseRef);
  const entry = entryOf(context, pull);
  if (entry === undefined) throw new TypeError(`Pull request ${pull.id} did not get into its queue.`);
  return entry;
}

/** Takes an entry out, with its group. */
export async function dequeue(
  context: ForgeContext,
  repository: RepositoryRecord,
  entry: QueueEntryRecord,
  reason: Removed,
): Promise<void> {
  const by = context.records.account(entry.byId);
  const pull = pullById(context, entry.pullId);
  if (reason !== 'MERGE') {
    await changePull({
      context,
      repository,
      pull,
      sender: by,
      action: 'dequeued',
      change: () => collaborationStore(context.store).queue.remove(entry.id),
      extra: { reason },
    });
  } else collaborationStore(context.store).queue.remove(entry.id);
  if (entry.group !== null) {
    emitGroup({
      context,
      repository,
      entry,
      action: 'destroyed',
      extra: {
        reason: reason === 'MERGE' ? 'merged' : reason === 'MANUAL' ? 'dequeued' : 'invalidated',
      },
    });
    await moveRef({ context, repository, entry, ref: entry.group.ref, before: entry.group.sha, after: null });
  }
  advance(context, repository, entry.baseRef);
}

/** Looks again at the queue that a commit with new checks belongs to. */
export function advanceQueueAt(context: ForgeContext, repository: RepositoryRecord, sha: string): void {
  for (const entry of collaborationStore(context.store).queue.find('repository', [repository.id])) {
    if (entry.group?.sha === sha) advance(context, repository, entry.baseRef);
  }
}

/** A base that moved makes the group that was built on it worthless. */
export function followBase(context: ForgeContext, repository: RepositoryRecord, branch: string): void {
  if (waiting(context, repository.id, branch).length > 0) advance(context, repository, branch);
}

/** Drops what waits and is not what it was: closed, of another head, or into another branch. */
export async function dropStale(
  context: ForgeContext,
  repository: RepositoryRecord,
  pull: PullRecord,
): Promise<void> {
  const entry = entryOf(context, pull);
  if (entry === undefined || entry.group?.sha === pull.mergeCommitSha) return;
  const stale = issueOf(context, pull).state === 'closed' || pull.headSha !== entry.headSha;
  if (stale) await dequeue(context, repository, entry, 'INVALIDATED');
}

function waiting(context: ForgeContext, repositoryId: number, baseRef: string): QueueEntryRecord[] {
  return collaborationStore(context.store)
    .queue.find('repository', [repositoryId])
    .filter((entry) => entry.baseRef === baseRef);
}

function advance(context: ForgeContext, repository: RepositoryRecord, baseRef: string): void {
  runInBackground(context, 'merge queue', () =>
    context.refs.exclusive(repository, () => step(context, repository, baseRef)),
  );
}

async function step(context: ForgeContext, repository: RepositoryRecord, baseRef: string): Promise<void> {
  const settings = settingsOf(context, repository, baseRef);
  const entries = waiting(context, repository.id, baseRef).slice(0, settings.built);
  const tip = (await context.git(repository).ref(`refs/heads/${baseRef}`))?.sha;
  if (tip === undefined) return;
  let base = tip;
  for (const entry of entries) {
    if (entry.group?.baseSha !== base) {
      await build(context, repository, entry, base);
      // Whatever became of it, the others are looked at on top of that.
      advance(context, repository, baseRef);
      return;
    }
    base = entry.group.sha;
  }
  const { checks } = requirementsOf(context, repository, baseRef);
  const verdicts = entries.map(({ group }) =>
    checks.map((check) => verdictOfCheck(context, repository.id, group?.sha ?? '', check)),
  );
  const isGreen = (at: number): boolean => verdicts[at]?.every((verdict) => verdict === 'success') === true;
  const last = settings.headGreen ? entries.findLastIndex((_, at) => isGreen(at)) : isGreen(0) ? 0 : -1;
  for (const { group, ...entry } of entries.slice(0, last + 1))
    if (group !== null) await land(context, repository, { ...entry, group }, group);
  const failed = entries.find((_, at) => at > last && verdicts[at]?.includes('failure') === true);
  if (failed !== undefined) await dequeue(context, repository, failed, 'CI_FAILURE');
}

/** How many entries are built at once, and whether those before a green one go in with it. */
function settingsOf(
  context: ForgeContext,
  repository: RepositoryRecord,
  branch: string,
): { readonly built: number; readonly headGreen: boolean } {
  const rules = rulesetsFor(context, repository, `refs/heads/${branch}`).flatMap((ruleset) => ruleset.rules);
  const { parameters } = rules.find(({ type }) => type === 'merge_queue') ?? {};
  const built = parameters?.['max_entries_to_build'];
  return {
    built: typeof built === 'number' && built > 0 ? built : 1,
    headGreen: parameters?.['grouping_strategy'] === 'HEADGREEN',
  };
}

/** Makes the commit that would be merged, and asks for its checks. */
async function build(
  context: ForgeContext,
  repository: RepositoryRecord,
  entry: QueueEntryRecord,
  tip: string,
): Promise<void> {
  const git = context.git(repository);
  const pull = pullById(context, entry.pullId);
  const made = await commitFor({
    context,
    git,
    pull,
    base: tip,
    request: {
      actor: { kind: 'user', user: context.records.account(entry.byId), tokenId: 0 },
      method: methodOf(context, repository, entry.baseRef),
    },
  });
  if (entry.group !== null) {
    emitGroup({ context, repository, entry, action: 'destroyed', extra: { reason: 'invalidated' } });
    await moveRef({ context, repository, entry, ref: entry.group.ref, before: entry.group.sha, after: null });
  }
  if (!made.clean) {
    await dequeue(context, repository, { ...entry, group: null }, 'MERGE_CONFLICT');
    return;
  }
  const group = {
    sha: made.sha,
    baseSha: tip,
    ref: `${PREFIX}${entry.baseRef}/pr-${pull.number}-${tip}`,
  };
  await moveRef({ context, repository, entry, ref: group.ref, before: null, after: group.sha });
  const changed = collaborationStore(context.store).queue.update(entry.id, { group });
  emitGroup({ context, repository, entry: changed, action: 'checks_requested' });
  if (requirementsOf(context, repository, entry.baseRef).checks.length === 0) {
    advance(context, repository, entry.baseRef);
  }
}

async function land(
  context: ForgeContext,
  repository: RepositoryRecord,
  entry: QueueEntryRecord,
  group: NonNullable<QueueEntryRecord['group']>,
): Promise<void> {
  const by = context.records.account(entry.byId);
  const fact = { sha: group.sha, baseSha: group.baseSha };
  collaborationStore(context.store).pulls.update(entry.pullId, {
    pendingMerge: { ...fact, byId: entry.byId },
  });
  const moved = await moveRef({
    context,
    repository,
    entry,
    ref: `refs/heads/${entry.baseRef}`,
    before: group.baseSha,
    after: group.sha,
    activity: 'merge_queue_merge',
  });
  if (!moved) {
    advance(context, repository, entry.baseRef);
    return;
  }
  const pull = pullById(context, entry.pullId);
  if (pull.mergedAt === null) await closePull({ context, repository, pull, by, merge: fact });
  await dequeue(context, repository, entry, 'MERGE');
}

async function moveRef({
  context,
  repository,
  entry: { byId },
  ref,
  before,
  after,
  activity,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly entry: QueueEntryRecord;
  readonly ref: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly activity?: ActivityType | undefined;
}): Promise<boolean> {
  // The forge acts for the person who asked for it; what that person may do was checked then.
  const actor: Actor = { kind: 'user', user: context.records.account(byId), tokenId: 0 };
  const { ok } = await context.refs.update(repository, [{ ref, before, after }], {
    actor,
    enforce: false,
    ...(activity !== undefined && { activity }),
  });
  return ok;
}

function methodOf(
  context: ForgeContext,
  repository: RepositoryRecord,
  branch: string,
): 'merge' | 'squash' | 'rebase' {
  const rules = rulesetsFor(context, repository, `refs/heads/${branch}`).flatMap((ruleset) => ruleset.rules);
  const rule = rules.find(({ type }) => type === 'merge_queue');
  const named = rule?.parameters?.['merge_method'];
  const method = typeof named === 'string' ? named.toLowerCase() : 'merge';
  return method === 'squash' || method === 'rebase' ? method : 'merge';
}

function emitGroup({
  context,
  repository,
  entry,
  action,
  extra = {},
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly entry: QueueEntryRecord;
  readonly action: 'checks_requested' | 'destroyed';
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}): void {
  const { group } = entry;
  if (group === null) return;
  const by = context.records.account(entry.byId);
  const person = { name: by.login, email: `${by.login}@users.noreply.github.com` };
  emitFor({
    context,
    repository,
    sender: by,
    event: 'merge_group',
    action,
    payload: {
      ...extra,
      merge_group: {
        head_sha: group.sha,
        head_ref: group.ref,
        base_sha: group.baseSha,
        base_ref: `refs/heads/${entry.baseRef}`,
        head_commit: {
          id: group.sha,
          tree_id: group.sha,
          message: `Merge pull request #${pullById(context, entry.pullId).number}`,
          timestamp: entry.enqueuedAt,
          author: person,
          committer: person,
        },
      },
    },
  });
}
