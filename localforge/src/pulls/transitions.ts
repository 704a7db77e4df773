/** The steps in a pull request's life, each with its webhook. */
import type { AutoMergeSettings, PullRecord, ReviewRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import type { AccountRecord, RepositoryRecord } from '../records.ts';
import { issueOf } from '../shapes/pull.ts';
import { closeNamedIssues } from './closing-words.ts';
import { changePull, emitReview } from './pull-events.ts';

/** How a pull request was merged. */
export interface MergeFact {
  /** The commit by which the base got it. */
  readonly sha: string;
  /** The base before that. */
  readonly baseSha: string;
}

/** Closes a pull request; with `merge` it counts as merged. */
export async function closePull({
  context,
  repository,
  pull,
  by,
  merge,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly by: AccountRecord;
  readonly merge?: MergeFact | undefined;
}): Promise<void> {
  const store = collaborationStore(context.store);
  await changePull({
    context,
    repository,
    pull,
    sender: by,
    action: 'closed',
    change: () => {
      const now = context.now();
      store.issues.update(pull.issueId, {
        state: 'closed',
        closedAt: now,
        closedById: by.id,
        updatedAt: now,
      });
      store.pulls.update(pull.id, {
        autoMerge: null,
        pendingMerge: null,
        ...(merge === undefined
          ? {}
          : { mergedAt: now, mergedById: by.id, mergeCommitSha: merge.sha, baseSha: merge.baseSha }),
      });
    },
  });
  if (merge !== undefined && pull.baseRef === repository.defaultBranch) {
    await closeNamedIssues(context, repository, pull, by);
  }
}

/** Opens a closed pull request again, with its sides where they are now. */
export async function reopenPull({
  context,
  repository,
  pull,
  by,
  sides,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly by: AccountRecord;
  readonly sides: { readonly headSha: string; readonly baseSha: string };
}): Promise<void> {
  const store = collaborationStore(context.store);
  await changePull({
    context,
    repository,
    pull: { ...pull, ...sides },
    sender: by,
    action: 'reopened',
    change: () => {
      store.issues.update(pull.issueId, {
        state: 'open',
        closedAt: null,
        closedById: null,
        updatedAt: context.now(),
      });
      store.pulls.update(pull.id, { ...sides, testMerge: null });
    },
  });
}

/** Ready for review, or back to draft. */
export async function setDraft({
  context,
  repository,
  pull,
  by,
  draft,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly by: AccountRecord;
  readonly draft: boolean;
}): Promise<void> {
  const action = draft ? 'converted_to_draft' : 'ready_for_review';
  const store = collaborationStore(context.store);
  await changePull({
    context,
    repository,
    pull,
    sender: by,
    action,
    change: () => {
      store.pulls.update(pull.id, { draft, ...(draft ? { autoMerge: null } : {}) });
      touch(context, pull);
      if (!draft) return;
      const { id: issueId } = issueOf(context, pull);
      const event = { issueId, event: 'convert_to_draft' as const, userId: by.id, createdAt: context.now() };
      store.issueEvents.insert(event);
    },
  });
}

/** Switches auto-merge on or, with null, off. */
export async function setAutoMerge({
  context,
  repository,
  pull,
  by,
  settings,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly by: AccountRecord;
  readonly settings: AutoMergeSettings | null;
}): Promise<void> {
  const action = settings === null ? 'auto_merge_disabled' : 'auto_merge_enabled';
  const store = collaborationStore(context.store);
  await changePull({
    context,
    repository,
    pull,
    sender: by,
    action,
    change: () => {
      store.pulls.update(pull.id, { autoMerge: settings });
      touch(context, pull);
    },
    extra: settings === null ? { reason: 'manually disabled' } : {},
  });
}

/** Turns a review into a dismissed one. */
export function dismissReview({
  context,
  repository,
  pull,
  review,
  by,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly review: ReviewRecord;
  readonly by: AccountRecord;
}): ReviewRecord {
  return context.store.transaction(() => {
    const dismissed = collaborationStore(context.store).reviews.update(review.id, {
      state: 'DISMISSED',
      updatedAt: context.now(),
    });
    emitReview({ context, repository, pull, review: dismissed, sender: by, action: 'dismissed' });
    return dismissed;
  });
}

/** Notes that something about a pull request changed. */
export function touch(context: ForgeContext, pull: PullRecord): void {
  collaborationStore(context.store).issues.update(pull.issueId, { updatedAt: context.now() });
}
