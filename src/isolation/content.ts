/**
 * Work on foreign content, each piece in a process that is killed where it passes a limit. What is asked for comes back
 * as if it had been done here; a limit that was met is told with its place.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { fileURLToPath } from 'node:url';

import { createWorkerPool, type WorkerPool } from '../processes/worker-pool.ts';
import { createContentCalls, type ContentCalls } from './content-calls.ts';
import { CONTENT_LIMITS, memoryOf, type ContentLimits } from './limits.ts';
import { createPerformer, type ProcessState } from './perform.ts';
import { openQuarantine, type Quarantine } from './quarantine.ts';
import type { JobShare } from './share.ts';
import type { Class, Share } from './share.ts';
import { nothingSent } from './wire-files.ts';

/** The processes, of each class. */
export interface ContentPools extends Disposable {
  readonly of: Readonly<Record<Class, WorkerPool<ProcessState>>>;
}

export interface ContentOptions {
  readonly limits?: Partial<ContentLimits>;
  /** Processes of each class. */
  readonly processes?: number;
  /** In the place of processes of its own; they outlive it. */
  readonly pools?: ContentPools;
  readonly quarantine?: Quarantine;
  /** Of the program: with another, what met a limit is tried again. */
  readonly version: string;
  readonly ended?: (class_: Class, outcome: string, cpuSeconds: number) => void;
}

export interface ContentWork extends Disposable {
  /** Outside of `within`, each call is a job of its own. */
  readonly content: ContentCalls;
  /** What is called meanwhile belongs to one job, which has one allowance of time. */
  within<Result>(share: Share, work: () => Promise<Result>): Promise<Result>;
  /** Starts processes, so that the first work finds them. */
  warm(): Promise<void>;
  /** Ids of the processes there are. */
  pids(): readonly number[];
}

/**
 * What strangers propose and what takes long stands behind everything. Their short work does not: on a busy machine it
 * would never be done, and it has so few processes and so little time that it holds nobody up.
 */
const LONG_STRANGERS_NICE = 5;
const ASIDE_AFTER_MS = 1_000;

const PROCESSES = 2;

/** Nothing is started before there is work. */
export function createContentPools(
  processes = PROCESSES,
  limits: ContentLimits = CONTENT_LIMITS,
): ContentPools {
  const poolOf = (
    class_: Class,
    most: number,
    more: { readonly nice?: number; readonly spare?: boolean; readonly asideAfterMs?: number },
  ): WorkerPool<ProcessState> =>
    createWorkerPool({
      file: fileURLToPath(new URL('./worker.ts', import.meta.url)),
      heapMebibytes: memoryOf(class_, limits).heapMebibytes,
      processes: most,
      ...more,
      remember: () => ({ sent: nothingSent(), definitions: new Set() }),
    });
  const pools = {
    own: poolOf('own', processes, { asideAfterMs: ASIDE_AFTER_MS }),
    strangers: poolOf('strangers', Math.max(1, Math.floor(processes / 2)), {
      asideAfterMs: ASIDE_AFTER_MS,
      spare: true,
    }),
    'long-strangers': poolOf('long-strangers', 1, { nice: LONG_STRANGERS_NICE }),
    'asked-strangers': poolOf('asked-strangers', 1, {
      nice: LONG_STRANGERS_NICE,
      asideAfterMs: ASIDE_AFTER_MS,
    }),
  };
  return {
    of: pools,
    [Symbol.dispose]() {
      for (const pool of Object.values(pools)) pool[Symbol.dispose]();
    },
  };
}

/** Work on foreign content, in pools of processes that are ended at their limits. */
export async function createContentWork(options: ContentOptions): Promise<ContentWork> {
  const { version, ended } = options;
  const limits = { ...CONTENT_LIMITS, ...options.limits };
  const quarantine = options.quarantine ?? (await openQuarantine());
  const held = options.pools ?? createContentPools(options.processes, limits);
  const pools = held.of;
  const jobs = new AsyncLocalStorage<JobShare>();
  const jobOf = (share: Share): JobShare => ({ share, allowance: { cpuMs: limits.jobCpuMs } });
  const perform = createPerformer({ pools, limits, quarantine, version, ...(ended && { ended }) });
  return {
    content: createContentCalls(perform, () => jobs.getStore() ?? jobOf({ class: 'own' })),
    within: (share, work) => jobs.run(jobOf(share), work),
    warm: () => pools.own.warm(),
    pids: () => Object.values(pools).flatMap((pool) => pool.pids()),
    [Symbol.dispose]() {
      if (options.pools === undefined) held[Symbol.dispose]();
    },
  };
}
