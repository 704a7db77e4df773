/** Puts a value into a memory as its newest, and forgets the oldest beyond so many. */
export function keepNewest<Key, Value>(memory: Map<Key, Value>, key: Key, value: Value, most: number): void {
  memory.delete(key);
  memory.set(key, value);
  for (const oldest of memory.keys()) {
    if (memory.size <= most) break;
    memory.delete(oldest);
  }
}
