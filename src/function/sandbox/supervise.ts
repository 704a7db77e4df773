/** A process that is held to its limits: it ends by itself, or it is ended with all that it started. */

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

import type { Refusal } from '../../error.ts';
import type { Limits } from './limits.ts';
import { STDERR_KEPT } from './limits.ts';
import { useOf } from './process-tree.ts';

export interface Supervised {
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin: string | Uint8Array;
  /** What the limits and the messages speak of. */
  readonly name: string;
  readonly limits: Limits;
  /** False where somebody else counts memory and processes. */
  readonly watch?: boolean;
}

export interface Ended {
  /** 128 and the signal's number where a signal ended it, as shells say it. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What it wrote to file descriptor 3, which only our own children know of. */
  readonly status: string;
  readonly cut?: Refusal;
}

const WATCH_MS = 50;
const STATUS_KEPT = 64 * 1024;
const SIGNALS: Readonly<Record<string, number>> = {
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGILL: 4,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGSYS: 31,
  SIGTERM: 15,
  SIGTRAP: 5,
  SIGXCPU: 24,
  SIGXFSZ: 25,
};

/** Runs it to its end. Never throws for what the program does; an abort ends it too, the caller then throws. */
export function supervise(what: Supervised, signal?: AbortSignal): Promise<Ended> {
  const { limits, name } = what;
  const { promise, resolve } = Promise.withResolvers<Ended>();
  // Its own process group, so that what the program started ends with it.
  const child = spawn(what.program, [...what.args], {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
    env: { ...what.env },
    ...(what.cwd === undefined ? {} : { cwd: what.cwd }),
  });
  const status = child.stdio[3] as Readable;
  let cut: Refusal | undefined;
  const stop = (reason?: Refusal): void => {
    cut ??= reason;
    killGroup(child);
    // What left the group may still hold the pipes.
    for (const pipe of [child.stdout, child.stderr, status]) pipe.destroy();
  };
  const abort = (): void => stop();
  const timer = setTimeout(() => stop(tookTooLong(name, limits)), limits.timeoutMs);
  const watch =
    what.watch === false ? undefined : setInterval(() => stopIf(overdraft(child, what), stop), WATCH_MS);
  signal?.addEventListener('abort', abort, { once: true });
  const settle = (exitCode: number): void => {
    clearTimeout(timer);
    clearInterval(watch);
    signal?.removeEventListener('abort', abort);
    resolve({
      exitCode,
      stdout: out.text(),
      stderr: err.text(),
      status: statusText.text(),
      ...(cut === undefined ? {} : { cut }),
    });
  };

  const flood = (stream: string) => (): void => stop(printedTooMuch(name, limits, stream));
  const out = collect(child.stdout, limits.outputBytes, limits.outputBytes, flood('stdout'));
  const err = collect(child.stderr, STDERR_KEPT, limits.outputBytes, flood('stderr'));
  const statusText = collect(status, STATUS_KEPT, STATUS_KEPT, flood('its status'));
  child.stdin.on('error', () => undefined);
  child.on('error', (error) => {
    cut ??= {
      code: 'EXEC_FAILED',
      message: `${name} cannot be started: ${error.message}`,
      hint: 'Install the program, or fix its path.',
    };
    settle(1);
  });
  child.on('close', (code, by) => settle(code ?? 128 + (SIGNALS[by ?? ''] ?? 0)));
  if (signal?.aborted === true) abort();
  child.stdin.end(what.stdin);
  return promise;
}

function stopIf(reason: Refusal | undefined, stop: (reason: Refusal) => void): void {
  if (reason !== undefined) stop(reason);
}

/** Which limit the processes are past, as far as /proc tells: every 50 ms, so that a moment's excess is possible. */
function overdraft({ pid }: ChildProcess, { limits, name }: Supervised): Refusal | undefined {
  if (pid === undefined) return undefined;
  const { processes, memoryBytes } = useOf(pid, limits.processes);
  if (processes > limits.processes) {
    return {
      code: 'FUNCTION_PROCESS_LIMIT',
      message: `${name} had more than ${limits.processes} processes and was ended.`,
      hint: 'Let the function start fewer processes.',
    };
  }
  return memoryBytes > limits.memoryBytes ? heldTooMuch(name, limits) : undefined;
}

/** The words for a function that was ended at its memory limit. */
export function heldTooMuch(name: string, { memoryBytes }: Limits): Refusal {
  return {
    code: 'FUNCTION_MEMORY_LIMIT',
    message: `${name} needed more than ${Math.round(memoryBytes / 1024 / 1024)} MiB of memory and was ended.`,
    hint: 'Let the function hold less, or give it fewer resources with selectors.',
  };
}

/** The words for a function that was ended at its time limit. */
export function tookTooLong(name: string, { timeoutMs }: Limits): Refusal {
  return {
    code: 'FUNCTION_TIMEOUT',
    message: `${name} took longer than ${Number((timeoutMs / 1000).toFixed(1))} s and was ended.`,
    hint: 'Make the function faster, or give it fewer resources with selectors.',
  };
}

/** The words for a function that was ended at its limit of output. */
export function printedTooMuch(name: string, { outputBytes }: Limits, stream: string): Refusal {
  return {
    code: 'FUNCTION_OUTPUT_LIMIT',
    message: `${name} printed more than ${Math.round(outputBytes / 1024)} KiB to ${stream} and was ended.`,
    hint: 'Let the function print one ResourceList and nothing else.',
  };
}

function collect(stream: Readable, kept: number, most: number, flood: () => void): { text(): string } {
  const first = keepFirst(kept, most, flood);
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => first.add(chunk));
  return first;
}

/** Keeps the first `kept` bytes of what is added, and says when it has been given more than `most`. */
export function keepFirst(
  kept: number,
  most: number,
  flood: () => void,
): { add(chunk: Buffer): void; text(): string } {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add(chunk) {
      if (size < kept) chunks.push(chunk.subarray(0, kept - size));
      size += chunk.length;
      if (size > most) flood();
    },
    text() {
      const text = Buffer.concat(chunks).toString('utf8');
      return size > kept ? `${text}\n… (cut: there was more)\n` : text;
    },
  };
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
