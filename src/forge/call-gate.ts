import { AsyncLocalStorage } from 'node:async_hooks';

import { PorticoError } from '../error.ts';
import { LIMIT_HINT } from './forge-error.ts';

/**
 * What GitHub allows the calls of one installation: 900 points in a minute for REST and 2,000 for GraphQL, where a read
 * costs one and a write five, and 100 calls at once
 * (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api, "About secondary rate limits").
 */
export interface CallLimits {
  /** Points in a minute of REST calls. */
  readonly perMinute: number;
  readonly graphqlPerMinute: number;
  readonly atOnce: number;
  /** How long a minute is, in milliseconds. Tests have no time for more. */
  readonly minuteMs: number;
}

export const GITHUB_LIMITS: CallLimits = {
  perMinute: 900,
  graphqlPerMinute: 2_000,
  atOnce: 100,
  minuteMs: 60_000,
};

export type CallKind = 'rest' | 'graphql';

/** What is left of a minute to the work that people wait for: eight commands, each of about 25 points. */
const ROOM = 1 / 4;

const background = new AsyncLocalStorage<true>();

/** Does work in the background, such as that of a sweep: its calls go behind all others, and leave them a share of each minute. */
export function leavingRoom<Result>(work: () => Promise<Result>): Promise<Result> {
  return background.run(true, work);
}

/** The way that all calls of one installation take, in the order in which they came; those of work in the background behind the others. */
export interface CallGate {
  /**
   * Waits until the call may be made, and answers what to do when it has ended. Throws RATE_LIMITED at once while the forge wants
   * the installation to pause: the job is tried again later, and others have its place.
   */
  enter(kind: CallKind, points: number, signal?: AbortSignal): Promise<() => void>;
  /** The forge asked for a pause of so many seconds: of calls of one kind, or of all. */
  pause(seconds: number, kind?: CallKind): void;
}

/** A pause of so few milliseconds is waited out. */
const SHORT_PAUSE_MS = 2_000;
/** Into so many parts is a minute divided, for counting. */
const PARTS = 60;

interface Call {
  readonly kind: CallKind;
  readonly points: number;
  readonly isBackground: boolean;
}

interface Waiting extends Call {
  readonly go: () => void;
  readonly fail: (error: PorticoError) => void;
}

/** Makes no call and no timer while there is room. `now` in milliseconds, and so until when calls of a kind are told to pause. */
export function createCallGate(
  limits: CallLimits,
  now: () => number = Date.now,
  paused: (kind: CallKind, until: number) => void = () => {},
): CallGate {
  const most = { rest: limits.perMinute, graphql: limits.graphqlPerMinute };
  const spent = {
    rest: createWindow(most.rest, limits.minuteMs),
    graphql: createWindow(most.graphql, limits.minuteMs),
  };
  const pausedUntil = { rest: 0, graphql: 0 };
  const queue: Waiting[] = [];
  let running = 0;
  let timer: NodeJS.Timeout | undefined;

  /** Milliseconds until the call may be made; null where another call has to end first. */
  const untilFree = ({ kind, points, isBackground }: Call, at: number): number | null => {
    const left = isBackground ? Math.floor(most[kind] * ROOM) : 0;
    const needed = Math.min(most[kind], points + left);
    const room = Math.max(spent[kind].untilFree(needed, at), pausedUntil[kind] - at);
    return running >= limits.atOnce ? null : Math.max(0, room);
  };
  const leave = (): void => {
    running -= 1;
    advance();
  };
  const start = ({ kind, points }: Call, at: number): (() => void) => {
    running += 1;
    spent[kind].spend(points, at);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      leave();
    };
  };
  const advance = (): void => {
    clearTimeout(timer);
    timer = undefined;
    for (let first = queue[0]; first !== undefined; first = queue[0]) {
      const wait = untilFree(first, now());
      if (wait === null) return;
      if (wait > 0) {
        timer = setTimeout(advance, wait);
        return;
      }
      queue.shift();
      first.go();
    }
  };

  return {
    enter: async (kind, points, signal) => {
      signal?.throwIfAborted();
      const at = now();
      const paused = pausedUntil[kind] - at;
      if (paused > SHORT_PAUSE_MS) throw pausing(paused);
      const isBackground = background.getStore() === true;
      const call = { kind, points: Math.min(points, limits.perMinute), isBackground };
      const others = queue.findIndex((one) => one.isBackground && !isBackground);
      const place = others < 0 ? queue.length : others;
      if (place === 0 && untilFree(call, at) === 0) return start(call, at);
      return await new Promise<() => void>((resolve, reject) => {
        const giveUp = (): void => {
          queue.splice(queue.indexOf(waiting), 1);
          reject(signal?.reason as Error);
          advance();
        };
        const waiting: Waiting = {
          ...call,
          go: () => {
            signal?.removeEventListener('abort', giveUp);
            resolve(start(call, now()));
          },
          fail: (error) => {
            signal?.removeEventListener('abort', giveUp);
            reject(error);
          },
        };
        signal?.addEventListener('abort', giveUp, { once: true });
        queue.splice(place, 0, waiting);
        advance();
      });
    },
    pause: (seconds, only) => {
      const until = now() + seconds * 1_000;
      for (const kind of ['rest', 'graphql'] as const) {
        if (only !== undefined && only !== kind) continue;
        if (until <= pausedUntil[kind]) continue;
        pausedUntil[kind] = until;
        paused(kind, until);
      }
      for (const waiting of queue.splice(0)) {
        const left = pausedUntil[waiting.kind] - now();
        if (left > SHORT_PAUSE_MS) waiting.fail(pausing(left));
        else queue.push(waiting);
      }
      advance();
    },
  };
}

function pausing(milliseconds: number): PorticoError {
  const retryAfter = Math.ceil(milliseconds / 1_000);
  return new PorticoError('RATE_LIMITED', `the forge asked this installation to wait ${retryAfter} s more`, {
    blame: 'forge',
    retryAfter,
    hint: LIMIT_HINT,
  });
}

interface PointWindow {
  /** Milliseconds until so many points may be spent. */
  untilFree(points: number, at: number): number;
  spend(points: number, at: number): void;
}

/** The points of the last minute, wherever it begins: one part more than a minute is counted. */
function createWindow(most: number, minuteMs: number): PointWindow {
  const partMs = minuteMs / PARTS;
  const parts: { readonly part: number; points: number }[] = [];
  let sum = 0;
  const forget = (at: number): void => {
    for (let [oldest] = parts; oldest !== undefined; [oldest] = parts) {
      if (endOf(oldest.part) > at) return;
      sum -= oldest.points;
      parts.shift();
    }
  };
  const endOf = (part: number): number => (part + 1) * partMs + minuteMs;
  return {
    untilFree: (points, at) => {
      forget(at);
      let left = sum + points - most;
      if (left <= 0) return 0;
      for (const { part, points: held } of parts) {
        left -= held;
        if (left <= 0) return Math.ceil(endOf(part) - at);
      }
      return 0;
    },
    spend: (points, at) => {
      const part = Math.floor(at / partMs);
      const last = parts.at(-1);
      if (last?.part === part) last.points += points;
      else parts.push({ part, points });
      sum += points;
    },
  };
}
