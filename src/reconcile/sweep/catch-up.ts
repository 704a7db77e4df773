/**
 * What the index of this process lacks is asked for again. During an upgrade, processes of two versions take jobs from one queue while
 * each version has an index of its own: what one of them was asked to read, the other may have read, for itself alone.
 */
import { repositoryJob } from '../jobs.ts';
import type { Ports } from '../ports.ts';
import { sweepPace } from './sweep-pace.ts';

/** Repositories that are asked for without waiting for each other, as a sweep does at the least. */
const BATCH_SIZE = 50;

/**
 * To be called every minute. `readElsewhere` tells the repositories that processes of another version have read since the last call.
 * Those are asked for at once; what was never read, when the sweep that was to read it must have begun everywhere.
 */
export function createCatchUp(
  {
    catalog,
    repositories,
    enqueue,
    now,
    sweepMinutes = 15,
  }: Pick<Ports, 'catalog' | 'repositories' | 'enqueue' | 'now' | 'sweepMinutes'>,
  readElsewhere: () => Promise<readonly number[]>,
): () => Promise<void> {
  let begun = now().getTime();
  // How long a sweep takes, as the last list of repositories told: listing them each minute could use up the budget.
  let roundMs = 0;
  return async () => {
    const elsewhere = new Set(await readElsewhere());
    if (catalog.isComplete() && elsewhere.size === 0) return;
    const at = now().getTime();
    if (elsewhere.size === 0 && at - begun < roundMs) return;
    const present = await repositories();
    const { perMinute } = sweepPace(present.length, sweepMinutes);
    roundMs = Math.ceil(present.length / perMinute) * 60_000;
    const isDue = at - begun >= roundMs;
    if (isDue) {
      begun = at;
      catalog.expect(present.map(({ id }) => id));
    }
    const lacking = present.filter(({ id }) => elsewhere.has(id) || (isDue && !catalog.isSeen(id)));
    await enqueue(
      lacking.map((one, place) => ({
        ...repositoryJob(one),
        startAfterSeconds: Math.floor(place / BATCH_SIZE) * 60,
      })),
    );
  };
}
