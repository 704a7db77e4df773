/** mulberry32: numbers from 0 up to 1 that the seed decides; it starts again when the seed changes. */
export function seededRandom(seed: () => number): () => number {
  let from = seed();
  let state = from;
  return () => {
    if (seed() !== from) {
      from = seed();
      state = from;
    }
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}
