/**
 * Processes for work that may never end or use up all memory, because of what it is about. They are kept between
 * pieces of work, and killed where one passes its limits: by the processor time that it used, so that a busy machine
 * makes no work fail, and by its memory.
 */
import type { ChildProcess } from 'node:child_process';

import { holdChild } from './hold-child.ts';
import { exitOf, standBack, startWorker, useOf, type WorkerOptions } from './worker-process.ts';

export interface PoolOptions<State> extends WorkerOptions {
  /** Processes at most; further work waits. */
  readonly processes: number;
  /** Work that takes longer is set aside: another process takes its place, and once it used that much it stands back. */
  readonly asideAfterMs?: number;
  /** After a process was killed, another is kept ready for a while: starting one takes longer than most work. */
  readonly spare?: boolean;
  /** What is remembered of each process, such as what it was sent before. */
  readonly remember: () => State;
}

export interface WorkLimits {
  /** Processor time. */
  readonly cpuMs: number;
  /** Time of the clock, waiting for answers of ours included; generous, because machines may be busy. */
  readonly wallMs: number;
  readonly residentBytes: number;
}

export interface Work<Answer, State> {
  /** Asks a process. What `send` gives is to be awaited between large messages: then they do not pile up here. */
  readonly ask: (state: State, send: Send) => unknown;
  /** Called with each message of the process; anything but undefined ends the work. */
  readonly heard: (message: unknown, process: Conversation) => Answer | undefined;
  /** Looked at again and again: the limits may get narrower as the work goes on. */
  readonly limits: () => WorkLimits;
  /** Work with the same name goes to the same process where that is free. */
  readonly affinity?: string;
}

/** Resolves when the message is on its way, or never will be. */
export type Send = (message: object) => Promise<void>;

export interface Conversation {
  readonly send: Send;
  /** Processor time that the work has taken until now. */
  readonly cpuMs: () => number;
}

export type WorkEnd<Answer> =
  | { readonly kind: 'answer'; readonly answer: Answer; readonly cpuMs: number }
  /** It passed a limit, or broke the process down by itself. */
  | { readonly kind: 'cut'; readonly by: 'cpu' | 'wall' | 'memory' | 'crash'; readonly cpuMs: number }
  /** The process could not be started, or was ended from outside: the work has no part in it. */
  | { readonly kind: 'lost'; readonly cpuMs: number };

export interface WorkerPool<State> extends Disposable {
  /** Throws the signal's reason; the process is then ended, for it may be in the middle of anything. */
  work<Answer>(work: Work<Answer, State>, signal?: AbortSignal): Promise<WorkEnd<Answer>>;
  /** Starts a process for the next work, where there is none that waits for it. */
  warm(): Promise<void>;
  /** Ids of the processes there are. */
  pids(): readonly number[];
}

const IDLE_MS = 60_000;
const LOOK_MS = 50;
const ASIDE_NICE = 15;
/** So long after a process was killed, others are expected to be. */
const SPARE_MS = 60_000;

interface Worker<State> {
  readonly child: ChildProcess;
  readonly state: State;
  affinity: string | undefined;
  idleTimer: NodeJS.Timeout | undefined;
}

interface Running {
  readonly look: () => void;
}

export function createWorkerPool<State>(options: PoolOptions<State>): WorkerPool<State> {
  const { processes, asideAfterMs = Infinity, spare = false, remember } = options;
  const all = new Set<ChildProcess>();
  const idle: Worker<State>[] = [];
  const waiting: { readonly affinity: string | undefined; readonly go: () => void }[] = [];
  const running = new Set<Running>();
  let busy = 0;
  let setAside = 0;
  let coming: Promise<void> | undefined;
  let killedAt = -Infinity;
  let watch: NodeJS.Timeout | undefined;
  let disposed = false;

  /** Waits for a turn; throws the signal's reason where it is aborted before. */
  async function turn(affinity: string | undefined, signal: AbortSignal | undefined): Promise<void> {
    if (busy < processes) {
      busy += 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const entry = { affinity, go: () => resolve(undefined) };
    const onAbort = (): void => {
      const at = waiting.indexOf(entry);
      if (at === -1) return;
      waiting.splice(at, 1);
      reject(signal?.reason as Error);
    };
    waiting.push(entry);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Whoever waits longest takes the place that has become free. */
  function passOn(): void {
    const next = waiting.shift();
    if (next === undefined) busy -= 1;
    else next.go();
  }

  async function worker(affinity: string | undefined): Promise<Worker<State> | undefined> {
    const known = idle.findIndex((one) => one.affinity === affinity);
    const [ready] = idle.splice(Math.max(0, known), 1);
    if (ready !== undefined) {
      clearTimeout(ready.idleTimer);
      holdChild(ready.child, true);
      ready.affinity = affinity;
      keepSpare();
      return ready;
    }
    if (coming !== undefined) {
      await coming;
      return worker(affinity);
    }
    const started = await start(affinity);
    keepSpare();
    return started;
  }

  /** Has one more process started than work. */
  function keepSpare(): void {
    const wanted = spare && !disposed && performance.now() - killedAt < SPARE_MS;
    if (!wanted || idle.length > 0 || coming !== undefined || all.size > processes + setAside) return;
    coming = spareOne();
  }

  /** It rests before anybody who waits for it goes on. */
  async function spareOne(): Promise<void> {
    const one = await start(undefined);
    coming = undefined;
    if (one !== undefined) rest(one);
  }

  async function start(affinity: string | undefined): Promise<Worker<State> | undefined> {
    const child = await startWorker(options, (gone) => {
      all.delete(gone);
      const place = idle.findIndex((one) => one.child === gone);
      if (place !== -1) clearTimeout(idle.splice(place, 1)[0]?.idleTimer);
    });
    if (child === undefined) return undefined;
    all.add(child);
    return { child, state: remember(), affinity, idleTimer: undefined };
  }

  function rest(one: Worker<State>): void {
    if (disposed || all.size > processes + setAside + (spare ? 1 : 0)) {
      one.child.kill('SIGKILL');
      return;
    }
    holdChild(one.child, false);
    one.idleTimer = setTimeout(() => one.child.kill('SIGKILL'), IDLE_MS);
    one.idleTimer.unref();
    idle.push(one);
  }

  function watched(run: Running): Disposable {
    running.add(run);
    watch ??= setInterval(() => {
      for (const one of running) one.look();
    }, LOOK_MS);
    return {
      [Symbol.dispose]() {
        running.delete(run);
        if (running.size > 0) return;
        clearInterval(watch);
        watch = undefined;
      },
    };
  }

  async function call<Answer>(
    one: Worker<State>,
    { ask, heard, limits }: Work<Answer, State>,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly end: WorkEnd<Answer>; readonly isAside: boolean; readonly standsBack: boolean }> {
    const { child } = one;
    const { promise, resolve, reject } = Promise.withResolvers<WorkEnd<Answer>>();
    const began = performance.now();
    const before = useOf(child)?.cpuMs;
    let used = 0;
    let isAside = false;
    let standsBack = false;
    const end = (by: WorkEnd<Answer>): void => {
      resolve(by);
      if (by.kind === 'answer') return;
      killedAt = performance.now();
      child.kill('SIGKILL');
    };
    const measure = (): number => {
      const use = useOf(child);
      const wall = performance.now() - began;
      // Where the system does not tell, the clock has to do.
      used = use === undefined || before === undefined ? Math.max(used, wall) : use.cpuMs - before;
      return use?.residentBytes ?? 0;
    };
    const look = (): void => {
      const resident = measure();
      const wall = performance.now() - began;
      const most = limits();
      if (resident > most.residentBytes) end({ kind: 'cut', by: 'memory', cpuMs: used });
      else if (used > most.cpuMs) end({ kind: 'cut', by: 'cpu', cpuMs: used });
      else if (wall > most.wallMs) end({ kind: 'cut', by: 'wall', cpuMs: used });
      else if (!isAside && wall > asideAfterMs && setAside < processes) {
        isAside = true;
        setAside += 1;
        passOn();
      }
      // What only waited, on a busy machine or for an answer, need not wait longer than others.
      if (isAside && !standsBack && used > asideAfterMs) {
        standsBack = true;
        standBack(child, ASIDE_NICE);
      }
    };
    const onMessage = (message: unknown): void => {
      const answer = heard(message, conversation);
      if (answer === undefined) return;
      measure();
      end({ kind: 'answer', answer, cpuMs: used });
    };
    const send: Send = (message) => {
      const sent = Promise.withResolvers<void>();
      // Where it cannot be sent the process is gone, which its end tells.
      child.send(message, () => sent.resolve());
      return sent.promise;
    };
    const cpuMs = (): number => {
      measure();
      return used;
    };
    const conversation: Conversation = { send, cpuMs };
    const onExit = (code: number | null, by: NodeJS.Signals | null): void => {
      const why = exitOf(code, by);
      end(why === 'outside' ? { kind: 'lost', cpuMs: used } : { kind: 'cut', by: why, cpuMs: used });
    };
    const onAbort = (): void => {
      child.kill('SIGKILL');
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    child.on('message', onMessage);
    child.once('exit', onExit);
    using _watched = watched({ look });
    try {
      // One that ended meanwhile does not tell it again.
      if (child.exitCode !== null || child.signalCode !== null) end({ kind: 'lost', cpuMs: used });
      else await Promise.race([promise, ask(one.state, send)]);
      return { end: await promise, isAside, standsBack };
    } catch (error) {
      child.kill('SIGKILL');
      if (isAside) setAside -= 1;
      else passOn();
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      child.off('message', onMessage);
      child.off('exit', onExit);
    }
  }

  return {
    async work(work, signal) {
      signal?.throwIfAborted();
      await turn(work.affinity, signal);
      const one = await worker(work.affinity);
      if (one === undefined) {
        passOn();
        return { kind: 'lost', cpuMs: 0 };
      }
      if (signal?.aborted === true) {
        rest(one);
        passOn();
        signal.throwIfAborted();
      }
      const { end, isAside, standsBack } = await call(one, work, signal);
      if (isAside) setAside -= 1;
      // One that stands back does so for good, so it is of no more use.
      if (standsBack) one.child.kill('SIGKILL');
      else if (end.kind === 'answer') rest(one);
      if (!isAside) passOn();
      return end;
    },
    async warm() {
      if (disposed || idle.length > 0 || all.size >= processes + setAside) return;
      const one = await start(undefined);
      if (one !== undefined) rest(one);
    },
    pids: () => [...all].flatMap(({ pid }) => pid ?? []),
    [Symbol.dispose]() {
      disposed = true;
      for (const child of all) child.kill('SIGKILL');
    },
  };
}
