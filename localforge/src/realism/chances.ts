import type { ForgeContext } from '../context.ts';
import { seededRandom } from '../seeded-random.ts';
import type { Behaviours, Delay } from './settings.ts';

type Name = keyof Behaviours;
/** The behaviours that are a delay. */
export type DelayName = {
  [Key in Name]: NonNullable<Behaviours[Key]> extends Delay ? Key : never;
}[Name];

/** One row of numbers for each behaviour, so that switching one off changes nothing for the others. */
const rows = new WeakMap<ForgeContext, Map<Name, () => number>>();

function draw(context: ForgeContext, name: Name): number {
  const own = rows.get(context) ?? new Map<Name, () => number>();
  rows.set(context, own);
  const row = own.get(name) ?? seededRandom(() => context.knobs.realism.seed + saltOf(name));
  own.set(name, row);
  return row();
}

/** Milliseconds that this one is late; 0 where it is not, or the behaviour is off. */
export function drawDelay(context: ForgeContext, name: DelayName): number {
  const delay = context.knobs.realism[name];
  if (delay === null || draw(context, name) >= delay.share) return 0;
  return Math.ceil(draw(context, name) * delay.ms);
}

/** Whether it happens this time; never where the behaviour is off. */
export function happens(context: ForgeContext, name: 'movedTimes' | 'nulls' | 'transientMerges'): boolean {
  const chance = context.knobs.realism[name];
  return chance !== null && draw(context, name) < chance.share;
}

/** One of these, for a behaviour that is on. */
export function choose<T>(context: ForgeContext, name: Name, from: readonly [T, ...T[]]): T {
  return from[Math.floor(draw(context, name) * from.length)] ?? from[0];
}

const saltOf = (name: Name): number =>
  Buffer.from(name).reduce((sum, byte) => (Math.imul(sum, 31) + byte) | 0, 7);
