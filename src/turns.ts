/**
 * Strangers are served in turn: whoever has asked for much lately waits behind whoever has asked for little, so that
 * hundreds of proposals of one person keep nobody else waiting behind all of them.
 */
export interface Turns {
  /** The priority of somebody's next job: 0 for the first, and less for each that he asked for lately. */
  next(person: string): number;
}

/** After so long, half of what somebody asked for is forgotten. */
const HALVED_AFTER_MS = 60_000;
const MOST_PEOPLE = 10_000;
const LOWEST = -1_000;

export function createTurns(now: () => number): Turns {
  const asked = new Map<string, { readonly times: number; readonly at: number }>();
  return {
    next(person) {
      const at = now();
      const known = asked.get(person);
      const times = known === undefined ? 0 : known.times * 0.5 ** ((at - known.at) / HALVED_AFTER_MS);
      asked.delete(person);
      asked.set(person, { times: times + 1, at });
      for (const oldest of asked.keys()) {
        if (asked.size <= MOST_PEOPLE) break;
        asked.delete(oldest);
      }
      return Math.max(LOWEST, -Math.floor(times));
    },
  };
}
