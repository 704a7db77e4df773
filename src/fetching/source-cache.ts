/**
 * What sources lead to, remembered for all packages that have them: an address is asked once in an interval, whoever wants to
 * know, and content that a digest names is fetched once.
 */

import { PorticoError } from '../error.ts';

/** What was learned of an address that may lead elsewhere tomorrow. */
export interface Learned<T> {
  readonly value: T;
  /** What the other end calls this state of it. */
  readonly etag?: string;
}

export interface SourceCache {
  /**
   * What an address leads to, as it was learned in this interval or is learned now. `load` is given what was known before, and
   * gives that back where the other end says that it is so still. A failure is told to all who ask shortly after it.
   */
  learn<T>(
    key: string,
    load: (before: Learned<T> | undefined, signal: AbortSignal) => Promise<Learned<T>>,
    signal: AbortSignal,
  ): Promise<T>;
  /** Content that never changes. */
  content<T>(
    key: string,
    load: (signal: AbortSignal) => Promise<T>,
    sizeOf: (value: T) => number,
    signal: AbortSignal,
  ): Promise<T>;
}

export interface SourceCacheOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** How long what was learned is believed. Default: 15 minutes. */
  readonly intervalMs?: number;
  /** How long a failure is, at most; one that passes is for as long as it took, or five seconds. Default: one minute. */
  readonly failureMs?: number;
  /** Bytes of content that are kept. Default: 256 MiB. */
  readonly mostBytes?: number;
}

/** A host that answers badly for a moment is asked again soon; one that lets everybody wait, after as long as it let one wait. */
const PASSING_MS = 5_000;

function isPassing(failure: unknown): boolean {
  return failure instanceof PorticoError && failure.blame === 'forge';
}

interface Known {
  readonly learned: Learned<unknown> | undefined;
  readonly failure?: unknown;
  readonly until: number;
}

const MINUTE = 60_000;
/** Bytes that the cache holds of all sources together. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Addresses that are remembered; what was asked for longest ago is forgotten first. */
const MAX_KNOWN = 10_000;

export function createSourceCache(options: SourceCacheOptions = {}): SourceCache {
  const { now = Date.now, intervalMs = 15 * MINUTE, failureMs = MINUTE, mostBytes = MAX_BYTES } = options;
  const known = new Map<string, Known>();
  const held = new Map<string, { readonly value: unknown; readonly bytes: number }>();
  const running = new Map<string, Promise<unknown>>();
  let total = 0;

  const note = (key: string, one: Known): void => {
    known.delete(key);
    known.set(key, one);
    for (const oldest of known.keys()) {
      if (known.size <= MAX_KNOWN) break;
      known.delete(oldest);
    }
  };

  const keep = (key: string, value: unknown, bytes: number): void => {
    if (bytes > mostBytes / 2) return;
    held.set(key, { value, bytes });
    total += bytes;
    for (const [oldest, one] of held) {
      if (total <= mostBytes) break;
      held.delete(oldest);
      total -= one.bytes;
    }
  };

  /** One at a time for a key. Whoever waits for another's work that was stopped does it himself. */
  const once = async <T>(key: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    for (;;) {
      signal.throwIfAborted();
      const others = running.get(key);
      if (others === undefined) break;
      await others.catch(() => {});
    }
    const mine = work();
    running.set(key, mine);
    try {
      return await mine;
    } finally {
      running.delete(key);
    }
  };

  return {
    learn: <T>(
      key: string,
      load: (before: Learned<T> | undefined, signal: AbortSignal) => Promise<Learned<T>>,
      signal: AbortSignal,
    ) =>
      once(
        `learn ${key}`,
        async () => {
          const before = known.get(key);
          // Keys say what they are about: who learns it is who asks for it.
          const learned = before?.learned as Learned<T> | undefined;
          if (before !== undefined && now() < before.until) {
            if (before.failure !== undefined) throw before.failure;
            if (learned !== undefined) return learned.value;
          }
          const began = now();
          try {
            const fresh = await load(learned, signal);
            note(key, { learned: fresh, until: now() + intervalMs });
            return fresh.value;
          } catch (failure) {
            const lasts = isPassing(failure) ? Math.max(PASSING_MS, now() - began) : failureMs;
            if (!signal.aborted) note(key, { learned, failure, until: now() + Math.min(lasts, failureMs) });
            throw failure;
          }
        },
        signal,
      ),
    content: <T>(
      key: string,
      load: (signal: AbortSignal) => Promise<T>,
      sizeOf: (value: T) => number,
      signal: AbortSignal,
    ) =>
      once(
        `content ${key}`,
        async () => {
          const found = held.get(key);
          if (found !== undefined) {
            held.delete(key);
            held.set(key, found);
            return found.value as T;
          }
          const value = await load(signal);
          keep(key, value, sizeOf(value));
          return value;
        },
        signal,
      ),
  };
}
