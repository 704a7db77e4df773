/** One killable process of a pool: its start, what it uses, and how it ended. */
import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';

import { PERMISSION_FLAG } from './permission-flag.ts';

export interface WorkerOptions {
  /** The module that it runs. */
  readonly file: string;
  /** MiB of its JavaScript heap. */
  readonly heapMebibytes: number;
  /** How much it stands back behind other processes, 0 to 19. */
  readonly nice?: number;
}

/**
 * Why a process ended that nobody here ended: its heap was used up, it broke down by itself, or somebody outside ended
 * it, such as a machine that is short of memory.
 */
export type Exit = 'memory' | 'crash' | 'outside';

/**
 * MiB that what is new in the heap may take, twice. V8 would take up to eight times as much on a large machine: rendering a
 * package of 1,000 resources then needs 280 MiB instead of 180, and as much processor time.
 */
const YOUNG_MEBIBYTES = 4;

/** Under load, a process may take its time to start; that is nobody's fault. */
const START_MS = 30_000;

/** Resolves when it says that it is ready; undefined where it could not be started. */
export function startWorker(
  { file, heapMebibytes, nice = 0 }: WorkerOptions,
  onExit: (child: ChildProcess) => void,
): Promise<ChildProcess | undefined> {
  const { promise, resolve } = Promise.withResolvers<ChildProcess | undefined>();
  const child = fork(file, [], {
    // Nothing of the environment: no secret reaches what runs in there.
    env: {},
    execArgv: [
      PERMISSION_FLAG,
      '--allow-fs-read=*',
      '--disable-proto=delete',
      `--max-old-space-size=${heapMebibytes}`,
      `--max-semi-space-size=${YOUNG_MEBIBYTES}`,
      '--no-warnings',
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  standBack(child, nice);
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  let gone = false;
  const onGone = (): void => {
    clearTimeout(timer);
    resolve(undefined);
    if (!gone) onExit(child);
    gone = true;
  };
  child.once('exit', onGone);
  // One that could not be started has no exit; one that could be ends by the signal.
  child.on('error', () => (child.pid === undefined ? onGone() : child.kill('SIGKILL')));
  child.once('message', () => {
    clearTimeout(timer);
    resolve(child);
  });
  return promise;
}

/** Lets others go first. It cannot be taken back. */
export function standBack({ pid }: ChildProcess, nice: number): void {
  if (pid === undefined || nice === 0) return;
  try {
    setPriority(pid, nice);
  } catch {
    // It has ended already, or this system does not let us.
  }
}

/** How it ended by itself. V8 aborts the process where its heap is used up. */
export function exitOf(code: number | null, signal: NodeJS.Signals | null): Exit {
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || code === 134 || code === 133) return 'memory';
  return signal === 'SIGKILL' || signal === 'SIGTERM' || signal === 'SIGINT' ? 'outside' : 'crash';
}

export interface Use {
  /** Milliseconds of processor time since its start. */
  readonly cpuMs: number;
  readonly residentBytes: number;
}

/** A tick of `/proc/<pid>/stat` and a page of memory, as Linux has them on all platforms that Node runs on. */
const TICK_MS = 10;
const PAGE_BYTES = 4096;

/** What a process has used; undefined where the system does not tell it, or the process is gone. */
export function useOf({ pid }: ChildProcess): Use | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name stands in parentheses and may hold anything; what follows the last one are numbers.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
      residentBytes: Number(fields[21]) * PAGE_BYTES,
    };
  } catch {
    return undefined;
  }
}
