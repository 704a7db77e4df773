import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from 'pino';

export interface CatchUpOptions {
  /** Takes again what lies in the inbox; resolves when each was tried. Rejects when the inbox cannot be asked. */
  readonly retake: () => Promise<void>;
  /** Asks for everything to be looked at. Rejects when that cannot be stored. */
  readonly lookAround: () => Promise<void>;
  readonly log: Logger;
  /** Before the first try; 500 when absent. Each further one waits twice as long, up to half a minute. */
  readonly firstMilliseconds?: number;
}

export interface CatchUp extends AsyncDisposable {
  /** A webhook was refused because it could not be stored: what it would have said has to be looked for. */
  readonly refused: () => void;
  /** A stored delivery could not be made into jobs: it has to be taken again. */
  readonly stuck: () => void;
}

const FIRST_MS = 500;
/** Milliseconds between two attempts to store what waits. */
const MAX_MS = 30_000;
/** Looking at everything costs calls of the forge: a database that comes and goes does not make it go on without end. */
const APART_MS = 10_000;

/**
 * Makes up, as soon as that works again, for what a database or a forge that was away kept from being done; the sweep
 * would find it too, but minutes later.
 */
export function createCatchUp(options: CatchUpOptions): CatchUp {
  const { retake, lookAround, log, firstMilliseconds = FIRST_MS } = options;
  const stopping = new AbortController();
  const due = { retake: false, lookAround: false };
  let looked = -Infinity;
  let running: Promise<void> | undefined;

  const start = (): void => {
    running ??= work()
      .catch(() => {})
      .finally(() => (running = undefined));
  };

  async function work(): Promise<void> {
    const { signal } = stopping;
    for (let wait = firstMilliseconds; due.retake || due.lookAround; wait = Math.min(wait * 2, MAX_MS)) {
      const early = due.lookAround ? looked + APART_MS - performance.now() : 0;
      await sleep(Math.max(wait, early), undefined, { signal });
      await attempt('retake', retake);
      if (await attempt('lookAround', lookAround)) looked = performance.now();
    }
  }

  /** Does what is due; true when it was and is done. What comes up meanwhile is due again. */
  async function attempt(what: keyof typeof due, act: () => Promise<void>): Promise<boolean> {
    if (!due[what]) return false;
    due[what] = false;
    try {
      await act();
      log.info({ what }, 'work that could not be stored or queued is being caught up');
      return true;
    } catch (err) {
      due[what] = true;
      log.warn({ err, what }, 'what could not be stored or queued waits for another try');
      return false;
    }
  }

  return {
    refused() {
      due.lookAround = true;
      start();
    },
    stuck() {
      due.retake = true;
      start();
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}
