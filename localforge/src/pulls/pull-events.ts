import { emitFor } from '../acting.ts';
import type { PullRecord, ReviewRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import type { AccountRecord, RepositoryRecord } from '../records.ts';
import { fullPull, simplePull } from '../shapes/pull.ts';
import type { PullStats } from '../shapes/pull.ts';
import { reviewShape } from '../shapes/review.ts';
import type { Shape } from '../shapes/shape.ts';
import { pullStats, verdictOf } from './mergeability.ts';

/** The whole pull request as it stands now. */
export async function presentPull(
  context: ForgeContext,
  repository: RepositoryRecord,
  pullId: number,
): Promise<Shape> {
  const stats = await pullStats(context, repository, pullById(context, pullId));
  return shapeNow(context, repository, pullId, stats);
}

/**
 * Does `change` and emits `pull_request` with `action`, both in one transaction. The payload shows the pull request
 * after the change, and what `extra` adds.
 */
export async function changePull({
  context,
  repository,
  pull,
  sender,
  action,
  change,
  extra = {},
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly sender: AccountRecord;
  readonly action: string;
  readonly change: () => void;
  readonly extra?: Shape | undefined;
}): Promise<void> {
  const stats = await pullStats(context, repository, pull);
  context.store.transaction(() => {
    change();
    const shown = shapeNow(context, repository, pull.id, stats);
    emitFor({
      context,
      repository,
      sender,
      event: 'pull_request',
      action,
      payload: {
        number: pull.number,
        pull_request: shown,
        ...extra,
      },
    });
  });
}

/** Emits `pull_request_review` with `action`. */
export function emitReview({
  context,
  repository,
  pull,
  review,
  sender,
  action,
  extra = {},
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly pull: PullRecord;
  readonly review: ReviewRecord;
  readonly sender: AccountRecord;
  readonly action: string;
  readonly extra?: Shape | undefined;
}): void {
  emitFor({
    context,
    repository,
    sender,
    event: 'pull_request_review',
    action,
    payload: {
      review: reviewShape({ context, repository, pull, review, forWebhook: true }),
      pull_request: simplePull(context, repository, pullById(context, pull.id)),
      ...extra,
    },
  });
}

/** The present record of a pull request. */
export function pullById(context: ForgeContext, id: number): PullRecord {
  const pull = collaborationStore(context.store).pulls.get(id);
  if (pull === undefined) throw new TypeError(`There is no pull request ${id}.`);
  return pull;
}

function shapeNow(
  context: ForgeContext,
  repository: RepositoryRecord,
  pullId: number,
  stats: PullStats,
): Shape {
  const pull = pullById(context, pullId);
  return fullPull({ context, repository, pull, stats, verdict: verdictOf(context, repository, pull) });
}
