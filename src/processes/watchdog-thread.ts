/** The thread of the watchdog, which works while the event loop of the process does not. */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

import type { Watch } from './watchdog.ts';

/** So often the count is read within the limit. */
const LOOKS = 10;

const { beats, limitMs, line } = workerData as Watch;
const count = new Int32Array(beats);
let last = -1;
/** Looks that this thread made, not time: a process that was stopped and continued has missed none of them. */
let still = 0;

setInterval(() => {
  const now = Atomics.load(count, 0);
  still = now === last ? still + 1 : 0;
  last = now;
  if (still < LOOKS) return;
  writeSync(2, `${textOf(limitMs / 1000)}\n`);
  // No thread but the main one can abort the process, and a core file would hold its keys.
  process.kill(process.pid, 'SIGKILL');
}, limitMs / LOOKS);

function textOf(seconds: number): string {
  const time = new Date().toISOString();
  if (typeof line === 'string') return `${time.slice(11, 19)} FATAL ${line} seconds=${seconds}`;
  const { msg, ...fields } = line;
  return JSON.stringify({ level: 'fatal', time, ...fields, seconds, msg });
}
