/** Gauges of how this process and its machine are: stalls of the event loop, long waits for locks, space on the disk. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

import { Gauge, type Registry } from 'prom-client';

const STALL_RESOLUTION_MS = 10;

/** A long wait: for the lock `database`, or for a key; `holder` is a process. */
export interface LockWait {
  readonly lock: string;
  readonly holder: string;
  readonly seconds: number;
}

/** The longest stall of the event loop since the last scrape: during a stall, no request is answered. */
export function addStall(registry: Registry): void {
  const delay = monitorEventLoopDelay({ resolution: STALL_RESOLUTION_MS });
  delay.enable();
  const stall = new Gauge({
    name: 'portico_event_loop_stall_seconds',
    help: 'The longest stall of the event loop since the scrape before',
    registers: [registry],
    collect() {
      // The histogram counts the interval between two looks, not only what is beyond it.
      stall.set(Math.max(0, delay.max / 1e9 - STALL_RESOLUTION_MS / 1e3));
      delay.reset();
    },
  });
}

/** Keys are not told: they hold numbers of repositories. */
export function addLockWaits(registry: Registry, read: () => readonly LockWait[]): void {
  const waits = new Gauge({
    name: 'portico_lock_wait_seconds',
    help: 'The longest present wait for a lock, if it is more than ten seconds, by the process that holds the lock',
    labelNames: ['lock', 'holder'],
    registers: [registry],
    collect() {
      waits.reset();
      for (const { lock, holder, seconds } of [...read()].sort((a, b) => a.seconds - b.seconds))
        waits.set({ lock: lock === 'database' ? lock : 'key', holder }, seconds);
    },
  });
}

export function addDisk(
  registry: Registry,
  read: () => Promise<{ readonly free: number; readonly total: number }>,
): void {
  const bytes = new Gauge({
    name: 'portico_data_bytes',
    help: 'Space of the file system that holds PORTICO_DATA: free for this process, and total',
    labelNames: ['space'],
    registers: [registry],
    async collect() {
      const space = await read().catch(() => undefined);
      bytes.reset();
      if (space === undefined) return;
      for (const one of ['free', 'total'] as const) bytes.set({ space: one }, space[one]);
    },
  });
}
