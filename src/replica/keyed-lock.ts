/** Runs work with the same key one after the other, in the order it came; work with other keys is not held up. */
export interface KeyedLock {
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

export function createKeyedLock(): KeyedLock {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async run(key, work) {
      const before = tails.get(key) ?? Promise.resolve();
      const turn = before.then(work, work);
      const tail = turn.then(
        () => undefined,
        () => undefined,
      );
      tails.set(key, tail);
      try {
        return await turn;
      } finally {
        if (tails.get(key) === tail) tails.delete(key);
      }
    },
  };
}
