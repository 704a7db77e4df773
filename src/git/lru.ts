/** A cache that forgets what was used longest ago once the weights exceed the limit. */
export interface Lru<T> {
  get(key: string): T | undefined;
  set(key: string, value: T, weight: number): void;
}

/** `maxWeight` in whatever unit the weights have; something heavier than an eighth of it is not kept. */
export function createLru<T>(maxWeight: number): Lru<T> {
  const entries = new Map<string, { readonly value: T; readonly weight: number }>();
  let total = 0;
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set: (key, value, weight) => {
      if (weight > maxWeight / 8 || entries.has(key)) return;
      entries.set(key, { value, weight });
      total += weight;
      for (const [oldest, entry] of entries) {
        if (total <= maxWeight) break;
        entries.delete(oldest);
        total -= entry.weight;
      }
    },
  };
}
