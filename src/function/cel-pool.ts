/** Processes that judge policies, kept between evaluations, killed when one takes too long or too much. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { Policy } from '../cel/policy.ts';
import type { Review } from '../cel/review.ts';
import type { Judgement } from '../package/render/function-runtime.ts';
import type { CelAnswer, CelRequest } from './cel-child.ts';

export interface CelLimits {
  /** Milliseconds for one policy and one package. */
  readonly milliseconds?: number;
  /** Heap of one process. */
  readonly megabytes?: number;
  /** Processes at most; further evaluations wait. */
  readonly processes?: number;
}

export interface CelPool {
  judge(policy: Policy, review: Review, signal?: AbortSignal): Promise<Judgement>;
}

const IDLE_MILLISECONDS = 60_000;

/** Under load, a process may take its time to start; that is not the policy's fault. */
const START_MILLISECONDS = 30_000;

interface Waiting {
  readonly start: (child: ChildProcess | undefined) => void;
}

export function createCelPool({
  milliseconds = 10_000,
  megabytes = 192,
  processes = 2,
}: CelLimits = {}): CelPool {
  const idle: ChildProcess[] = [];
  const waiting: Waiting[] = [];
  let running = 0;

  /** One that is ready; undefined where none could be started. */
  async function child(): Promise<ChildProcess | undefined> {
    const ready = idle.pop();
    if (ready !== undefined) return ready;
    if (running < processes) {
      running += 1;
      return startChild(megabytes, (gone) => {
        running -= 1;
        const at = idle.indexOf(gone);
        if (at !== -1) idle.splice(at, 1);
        // Its place is free: whoever waits gets a new one.
        const next = waiting.shift();
        if (next !== undefined) void child().then(next.start);
      });
    }
    return new Promise((start) => waiting.push({ start }));
  }

  function giveBack(one: ChildProcess): void {
    const next = waiting.shift();
    if (next !== undefined) return next.start(one);
    idle.push(one);
    rest(one);
  }

  return {
    async judge(policy, review, signal) {
      signal?.throwIfAborted();
      const one = await child();
      if (one === undefined) return { refused: NOT_STARTED };
      wake(one);
      if (signal?.aborted === true) {
        giveBack(one);
        signal.throwIfAborted();
      }
      const answer = await ask(one, { policy, review }, milliseconds, signal);
      if (answer === 'time') return { refused: tooLong(milliseconds) };
      if (answer === 'gone') return { refused: tooMuch(megabytes) };
      giveBack(one);
      if ('remarks' in answer) return answer;
      return {
        refused: {
          code: 'CEL_FAILED',
          message: `The policy could not be judged: ${answer.failed}`,
          hint: 'Correct its expressions.',
        },
      };
    },
  };
}

let shared: CelPool | undefined;

/** The pool of this process, started when it is first needed. */
export function sharedCelPool(): CelPool {
  shared ??= createCelPool();
  return shared;
}

function startChild(
  megabytes: number,
  onExit: (child: ChildProcess) => void,
): Promise<ChildProcess | undefined> {
  const file = fileURLToPath(new URL('./cel-child.ts', import.meta.url));
  const { promise, resolve } = Promise.withResolvers<ChildProcess | undefined>();
  const child = fork(file, [], {
    env: {},
    execArgv: [`--max-old-space-size=${megabytes}`, '--no-warnings'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MILLISECONDS);
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

/** An idle process keeps nobody from ending, and ends itself after a while. */
function rest(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  const timer = setTimeout(() => child.kill('SIGKILL'), IDLE_MILLISECONDS);
  timer.unref();
  child.once('wake', () => clearTimeout(timer));
}

function wake(child: ChildProcess): void {
  child.emit('wake');
  child.ref();
  child.channel?.ref();
}

/** Sends one request; the process is dead where it did not answer, was too slow, or nobody waits any more. */
async function ask(
  child: ChildProcess,
  request: CelRequest,
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<CelAnswer | 'time' | 'gone'> {
  const { promise, resolve, reject } = Promise.withResolvers<CelAnswer | 'time' | 'gone'>();
  const kill = (why: () => void): void => {
    why();
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => kill(() => resolve('time')), milliseconds);
  const onAbort = (): void => kill(() => reject(signal?.reason));
  const onMessage = (message: unknown): void => resolve(message as CelAnswer);
  const onGone = (): void => resolve('gone');
  signal?.addEventListener('abort', onAbort, { once: true });
  child.once('message', onMessage);
  child.once('exit', onGone);
  child.send(request, (error) => {
    if (error !== null) kill(() => resolve('gone'));
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    child.off('message', onMessage);
    child.off('exit', onGone);
  }
}

type Refusal = NonNullable<Extract<Judgement, { refused: unknown }>['refused']>;

const NOT_STARTED: Refusal = {
  code: 'CEL_STOPPED',
  message: 'The policy was not judged: the process for it could not be started.',
  hint: 'Try again; if it stays so, whoever runs Portico finds the machine short of memory or processes.',
};

function tooLong(milliseconds: number): Refusal {
  return {
    code: 'CEL_TIMEOUT',
    message: `The policy was stopped after ${milliseconds / 1000} s.`,
    hint: 'Make its expressions cheaper: nested loops over long lists multiply.',
  };
}

function tooMuch(megabytes: number): Refusal {
  return {
    code: 'CEL_STOPPED',
    message: `The policy was stopped: judging it ended its process, which may use ${megabytes} MB.`,
    hint: 'Make its expressions build smaller texts and lists.',
  };
}
