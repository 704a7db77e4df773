import type { Budget } from './budget.ts';
import type { Value } from './value.ts';

/** A method of a type: what it is called on comes first. */
export type Method<Receiver> = (
  self: Receiver,
  args: Value[],
  named: ReadonlyMap<string, Value>,
  budget: Budget,
) => Value;
