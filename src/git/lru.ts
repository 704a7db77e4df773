/** What one part of git remembers; it forgets what was used longest ago, its own or others'. */
export interface Lru<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
}

/** All parts together, in bytes as V8 lays them out, roughly. */
export const MAX_REMEMBERED = 32 * 1024 * 1024;
/** An entry of the map, its object, and the heads of key and value. */
const ENTRY = 200;

interface Entry {
  readonly value: unknown;
  readonly weight: number;
}

const entries = new Map<string, Entry>();
let total = 0;
let parts = 0;

/**
 * A part of the one memory that all mirrors of the process share, so that what is asked for most is what is kept.
 * `bytesOf`: how much a value takes; something heavier than an eighth of all is not kept.
 */
export function createLru<T>(bytesOf: (value: T) => number): Lru<T> {
  const part = `${(parts += 1)} `;
  return {
    get: (name) => {
      const key = part + name;
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value as T;
    },
    set: (name, value) => {
      const key = part + name;
      const weight = ENTRY + key.length + bytesOf(value);
      if (weight > MAX_REMEMBERED / 8 || entries.has(key)) return;
      entries.set(key, { value, weight });
      total += weight;
      for (const [oldest, entry] of entries) {
        if (total <= MAX_REMEMBERED) break;
        entries.delete(oldest);
        total -= entry.weight;
      }
    },
  };
}
