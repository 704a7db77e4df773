interface Waiters {
  readonly rejections: Set<(reason: unknown) => void>;
  readonly onAbort: () => void;
}

/** One listener for all that wait for a signal: Node reports more than ten as a leak, and each file of a package is read under the same signal. */
const waitersBySignal = new WeakMap<AbortSignal, Waiters>();

/** Returns the promise's outcome, or throws the signal's reason if that comes first. The work itself continues for its other users. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const { rejections, onAbort } = waitersOf(signal);
  rejections.add(aborted.reject);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    rejections.delete(aborted.reject);
    // A listener that stays would keep a signal of AbortSignal.any in memory.
    if (rejections.size === 0) {
      signal.removeEventListener('abort', onAbort);
      waitersBySignal.delete(signal);
    }
  }
}

function waitersOf(signal: AbortSignal): Waiters {
  const known = waitersBySignal.get(signal);
  if (known !== undefined) return known;
  const rejections: Waiters['rejections'] = new Set();
  const onAbort = (): void => {
    for (const reject of rejections) reject(signal.reason);
  };
  const waiters = { rejections, onAbort };
  signal.addEventListener('abort', onAbort, { once: true });
  waitersBySignal.set(signal, waiters);
  return waiters;
}
