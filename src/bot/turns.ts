/**
 * Strangers are served in turn: whoever has asked for much lately waits behind whoever has asked for little, so that
 * hundreds of proposals of one person keep nobody else waiting behind all of them. Whose proposals took long lately
 * waits where long ones do from the start, so that nobody waits for finding that out once more.
 */
import { keepNewest } from '../reconcile/text/keep-newest.ts';

export interface Turns {
  /** The turn of somebody's next job. */
  next(person: string): Turn;
  /** A job of somebody took longer than its turn. */
  tookLong(person: string): void;
}

export interface Turn {
  /** 0 for the first, and less for each that was asked for lately. */
  readonly priority: number;
  /** The job is to be done where long ones wait. */
  readonly waits: boolean;
}

interface Known {
  readonly asked: number;
  readonly long: number;
  readonly at: number;
}

/** After so long, half of what somebody asked for is forgotten, and half of what took long. */
const HALVED_AFTER_MS = 60_000;
const LONG_HALVED_AFTER_MS = 300_000;
/** People whose work is counted at a time. */
const MAX_PEOPLE = 10_000;
const LOWEST = -1_000;

/** A job that took long counts as so many. */
const LONG_COUNTS = 10;

/** One long proposal is nothing; two within five minutes are a habit. */
const HABIT = 1.5;

export function createTurns(now: () => number): Turns {
  const people = new Map<string, Known>();
  const knownOf = (person: string): Known => {
    const at = now();
    const known = people.get(person);
    if (known === undefined) return { asked: 0, long: 0, at };
    const passed = at - known.at;
    return {
      asked: known.asked * 0.5 ** (passed / HALVED_AFTER_MS),
      long: known.long * 0.5 ** (passed / LONG_HALVED_AFTER_MS),
      at,
    };
  };
  const keep = (person: string, known: Known): void => keepNewest(people, person, known, MAX_PEOPLE);
  return {
    next(person) {
      const known = knownOf(person);
      const { asked, long } = known;
      keep(person, { ...known, asked: asked + 1 });
      return {
        priority: Math.max(LOWEST, 0 - Math.floor(asked + LONG_COUNTS * long)),
        waits: long >= HABIT,
      };
    },
    tookLong(person) {
      const known = knownOf(person);
      keep(person, { ...known, long: known.long + 1 });
    },
  };
}
