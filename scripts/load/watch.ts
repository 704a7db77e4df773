/** Looks at the bots' processes from outside, as a supervisor would. */
import { readdirSync, readFileSync } from 'node:fs';

import type { Bot } from './ground.ts';

export interface Sample {
  /** Which of the bots, from 0. */
  readonly bot: number;
  /** Seconds since the watch began. */
  readonly at: number;
  readonly mebibytes: number;
  readonly files: number;
  readonly processes: number;
  /** The oldest job that could run and does not, in seconds. */
  readonly queueAge: number;
  readonly queueReady: number;
  /** The 99th percentile of the event loop's delay, in milliseconds. */
  readonly lag: number;
}

export interface Watch {
  readonly samples: Sample[];
  stop(): Promise<void>;
}

export function watch(bots: readonly Bot[], everyMs: number): Watch {
  const samples: Sample[] = [];
  const began = performance.now();
  const look = async (): Promise<void> => {
    for (const [at, bot] of bots.entries()) {
      const sample = await sampleOf(bot, (performance.now() - began) / 1000).catch(() => null);
      if (sample !== null) samples.push({ ...sample, bot: at });
    }
  };
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, everyMs);
  return {
    samples,
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}

async function sampleOf({ pid, port }: Bot, at: number): Promise<Omit<Sample, 'bot'>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const gauges = (name: string): number[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith(name))
      .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
  return {
    at,
    mebibytes: memoryOf(pid, 'VmRSS'),
    files: readdirSync(`/proc/${pid}/fd`).length,
    processes: readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).length,
    queueAge: Math.max(0, ...gauges('portico_queue_age_seconds{')),
    queueReady: text
      .split('\n')
      .filter((line) => line.startsWith('portico_queue_jobs{') && line.includes('state="ready"'))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0),
    lag: (gauges('nodejs_eventloop_lag_p99_seconds')[0] ?? 0) * 1000,
  };
}

/** `VmRSS` now, `VmHWM` the most that there was; in MiB. */
export function memoryOf(pid: number, what: 'VmRSS' | 'VmHWM'): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${what}:\\s+(\\d+) kB`).exec(text)?.[1] ?? 0) / 1024);
}
