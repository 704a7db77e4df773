/**
 * Ends the process if its event loop stands still: it answers no one then, and on a shared database it keeps jobs from other processes. Its
 * supervisor starts it again; everything that it does may be repeated.
 */
import { Worker } from 'node:worker_threads';

/** What the thread is given. */
export interface Watch {
  /** Counted up by the event loop. */
  readonly beats: SharedArrayBuffer;
  readonly limitMs: number;
  /** Fields of the line that is logged at the end, or the line itself for a log of text. */
  readonly line: Readonly<Record<string, string>> | string;
}

/** Longer than any stall of a working process; the probes of a supervisor give up later. */
const LIMIT_MS = 30_000;
const BEAT_MS = 500;

/** The watch ends with the process, or when it is disposed. */
export function startWatchdog(line: Watch['line'], limitMs = LIMIT_MS): AsyncDisposable {
  const beats = new SharedArrayBuffer(4);
  const count = new Int32Array(beats);
  const beat = setInterval(() => Atomics.add(count, 0, 1), Math.min(BEAT_MS, limitMs / 10));
  beat.unref();
  const watch: Watch = { beats, limitMs, line };
  const thread = new Worker(new URL('./watchdog-thread.ts', import.meta.url), {
    workerData: watch,
    execArgv: [],
    name: 'watchdog',
  });
  thread.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(beat);
      await thread.terminate();
    },
  };
}
