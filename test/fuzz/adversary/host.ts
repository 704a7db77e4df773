/**
 * The process in which documents are tried: it stands for the server's, and its main loop is what is measured. A document
 * that stops it, fills its memory or ends it does so here, and the test that started it looks on.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { createContentWork } from '../../../src/isolation/content.ts';
import { SUBJECTS } from './attempts.ts';
import { Choices } from './choices.ts';

/** What the host is asked for. */
export interface Order {
  readonly subject: string;
  readonly numbers: readonly number[];
}

/** `begun` when the document is made and the attempt begins; then one of the others. */
export type Report =
  | { readonly kind: 'ready' | 'begun' }
  | { readonly kind: 'crashed'; readonly message: string }
  | {
      readonly kind: 'answered';
      readonly answer: string;
      /** Longest standstill of the loop, in milliseconds. */
      readonly stall: number;
      /** Milliseconds that this thread computed. */
      readonly cpu: number;
      /** Resident memory of this process, in bytes. */
      readonly memory: number;
    };

/** How often the loop is looked at while an attempt runs. */
const RESOLUTION = 5;

/** As the server has them, but that whatever takes long is given up sooner: there are many documents. */
const work = await createContentWork({
  version: 'adversary',
  processes: 1,
  limits: { workCpuMs: 1_500, stepCpuMs: 1_000 },
});
await work.warm();

function tell(report: Report): Promise<void> {
  return new Promise((resolve) => process.send?.(report, () => resolve()));
}

async function attempt({ subject, numbers }: Order): Promise<void> {
  const run = SUBJECTS[subject]!.prepare(new Choices(numbers));
  await tell({ kind: 'begun' });
  await sleep(0);
  const watch = watchLoop();
  const before = process.threadCpuUsage();
  try {
    const answer = await work.within({ class: 'own' }, async () => run(work.content));
    const standstill = watch.end();
    const { user, system } = process.threadCpuUsage(before);
    const cpu = (user + system) / 1_000;
    // On a busy machine others make the loop late: what the thread did not compute it did not stand still for.
    const stall = Math.min(cpu, standstill);
    await tell({ kind: 'answered', answer, stall, cpu, memory: process.memoryUsage.rss() });
  } catch (error) {
    watch.end();
    await tell({
      kind: 'crashed',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
}

/** The longest time between two turns of the loop, from now to its end; the time in which nothing turned included. */
function watchLoop(): { end(): number } {
  let longest = 0;
  let last = performance.now();
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, RESOLUTION);
  return {
    end() {
      clearInterval(timer);
      look();
      return longest;
    },
  };
}

process.on('message', (order) => void attempt(order as Order));
process.on('disconnect', () => process.exit());
void tell({ kind: 'ready' });
