/**
 * What one process knows of the world beside its index. A memory is named by the function that makes it and is made once for
 * each `Memories`, so that it lives as long as the ports that it is handed in with.
 */
export interface Memories {
  of<Memory>(create: () => Memory): Memory;
}

export function createMemories(): Memories {
  const made = new Map<() => unknown, unknown>();
  return {
    of<Memory>(create: () => Memory): Memory {
      if (!made.has(create)) made.set(create, create());
      return made.get(create) as Memory;
    },
  };
}
