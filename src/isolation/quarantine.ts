/**
 * Content that ended the process which worked on it is not worked on again until something of it changes, or somebody
 * who may asks for it. It is known by a digest of all that the work depends on.
 */
import type { Refusal } from '../error.ts';
import type { LimitMet } from './limits.ts';

/** What is known of a piece of work. */
export interface Verdict {
  /** Steps that are left out, because they met a limit before. */
  readonly stopped: readonly (readonly [at: number, refused: Refusal])[];
  /** Set where the work is not done at all. */
  readonly limit?: LimitMet;
  /**
   * `fork`: found with the memory that forks get, which says nothing of processes with more. `whole`: somebody who may
   * asked for it, so that it is worked on with the memory that others get, though it comes from a fork.
   */
  readonly memory?: 'fork' | 'whole';
}

/** Where verdicts outlive the process. It may be lost: then the work is tried once more. */
export interface VerdictStore {
  /** The newest, so many at most. */
  load(most: number): Promise<readonly (readonly [key: string, verdict: Verdict])[]>;
  put(key: string, verdict: Verdict): Promise<void>;
  remove(key: string): Promise<void>;
}

export interface Quarantine {
  /** False as long as nothing was ever condemned: then nobody needs a key. */
  readonly isEmpty: () => boolean;
  readonly verdict: (key: string) => Verdict | undefined;
  condemn(key: string, verdict: Verdict): Promise<void>;
  release(key: string): Promise<void>;
}

/** Pieces of work that are remembered for having met a limit. */
const MAX_VERDICTS = 5_000;

/** With what the store knows; without a store, nothing outlives the process. */
export async function openQuarantine(store?: VerdictStore): Promise<Quarantine> {
  const known = new Map<string, Verdict>((await store?.load(MAX_VERDICTS)) ?? []);
  return {
    isEmpty: () => known.size === 0,
    verdict: (key) => known.get(key),
    async condemn(key, verdict) {
      known.delete(key);
      known.set(key, verdict);
      for (const oldest of known.keys()) {
        if (known.size <= MAX_VERDICTS) break;
        known.delete(oldest);
      }
      await store?.put(key, verdict);
    },
    async release(key) {
      if (known.delete(key)) await store?.remove(key);
    },
  };
}
