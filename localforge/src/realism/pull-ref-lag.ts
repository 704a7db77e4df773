import { runLater } from '../background.ts';
import type { PullRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import type { RepositoryRecord } from '../records.ts';
import { drawDelay } from './chances.ts';

/** Heads that were not written yet, kept so that a forge that was killed writes them at its next start. */
interface LateHead {
  readonly id: number;
  readonly pullId: number;
}

/**
 * Moves `refs/pull/N/head` to the head of a pull request, which GitHub does in a job of its own, after the webhook
 * (rocq-prover/bot#1, kubernetes/test-infra#12276, jquery/jquery-license#23). The commit itself can be fetched by its id.
 */
export async function movePullRef(
  context: ForgeContext,
  repository: RepositoryRecord,
  { id, number }: Pick<PullRecord, 'id' | 'number'>,
  head: string,
): Promise<void> {
  const ms = drawDelay(context, 'pullRefLag');
  if (ms === 0) {
    await write(context, repository, number, head);
    return;
  }
  const { id: lateId } = lateHeads(context).insert({ pullId: id });
  runLater(context, ms, 'moving the head of a pull request', () =>
    catchUp(context, { id: lateId, pullId: id }),
  );
}

/** Writes what a killed forge left. */
export async function writeLateHeads(context: ForgeContext): Promise<void> {
  for (const late of lateHeads(context).all()) await catchUp(context, late);
}

/** By now the head may be another. */
async function catchUp(context: ForgeContext, late: LateHead): Promise<void> {
  const pull = collaborationStore(context.store).pulls.get(late.pullId);
  const repository = context.records.repositories.get(pull?.repositoryId ?? 0);
  if (pull !== undefined && repository !== undefined) {
    await write(context, repository, pull.number, pull.headSha);
  }
  lateHeads(context).remove(late.id);
}

async function write(
  context: ForgeContext,
  repository: RepositoryRecord,
  number: number,
  head: string,
): Promise<void> {
  await context
    .git(repository)
    .updateRefs([{ ref: `refs/pull/${number}/head`, before: undefined, after: head }]);
}

const lateHeads = (context: ForgeContext) => context.store.collection<LateHead>('late_pull_heads');
