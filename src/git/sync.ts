/**
 * Runs work one at a time, in order. Work under the same key that has not begun yet is shared: whoever asks again
 * before it starts gets its outcome, whoever asks after it started gets a new run, which sees all that came before.
 */
export interface Serial {
  run<T>(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Shared {
  readonly result: Promise<unknown>;
  readonly stop: AbortController;
  waiting: number;
}

export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve();
  const notBegun = new Map<string, Shared>();

  const begin = <T>(key: string, work: (signal: AbortSignal) => Promise<T>): Shared => {
    const stop = new AbortController();
    const before = last;
    const result = (async () => {
      await before;
      notBegun.delete(key);
      stop.signal.throwIfAborted();
      return await work(stop.signal);
    })();
    last = result.catch(() => {});
    const shared = { result, stop, waiting: 0 };
    notBegun.set(key, shared);
    return shared;
  };

  return {
    run: async <T>(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      const shared = notBegun.get(key) ?? begin(key, work);
      shared.waiting += 1;
      const leave = Promise.withResolvers<never>();
      const onAbort = (): void => {
        shared.waiting -= 1;
        // The last one to leave stops the work; the others' wish is not theirs to end.
        if (shared.waiting === 0) {
          notBegun.delete(key);
          shared.stop.abort(signal?.reason);
        }
        leave.reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      try {
        return (await Promise.race([shared.result, leave.promise])) as T;
      } finally {
        signal?.removeEventListener('abort', onAbort);
      }
    },
  };
}
