import type { Budget } from './budget.ts';
import { fault } from './fault.ts';
import { Dict, Elements, List, Range, StarlarkSet, Tuple, typeOf } from './value.ts';
import type { Value } from './value.ts';

/** All that an iterable gives, as an array of its own; undefined for what is none. */
export function itemsOf(value: Value, budget: Budget): Value[] | undefined {
  const items = peekItems(value, budget);
  if (items === undefined) return undefined;
  budget.collect(items.length);
  return value instanceof List || value instanceof Tuple || value instanceof Elements
    ? [...items]
    : (items as Value[]);
}

/** The same, only to be read: a list's own array where there is one. */
export function peekItems(value: Value, budget: Budget): readonly Value[] | undefined {
  if (value instanceof List || value instanceof Tuple || value instanceof Elements) return value.items;
  if (value instanceof Dict) {
    budget.make(value.size * 8);
    return value.keys();
  }
  if (value instanceof StarlarkSet) {
    budget.make(value.size * 8);
    return value.values();
  }
  if (value instanceof Range) {
    budget.collect(value.length);
    return Array.from({ length: value.length }, (_, at) => value.at(at));
  }
  return undefined;
}

/** Runs `each` for every item of an iterable, which cannot be changed meanwhile; ends where `each` says false. */
export function forEach(value: Value, budget: Budget, each: (item: Value) => boolean): void {
  if (value instanceof Range) {
    for (let at = 0; at < value.length; at += 1) {
      budget.work(1);
      if (!each(value.at(at))) return;
    }
    return;
  }
  const items = peekItems(value, budget);
  if (items === undefined) throw fault(`${typeOf(value)} value is not iterable`);
  const locked =
    value instanceof List || value instanceof Dict || value instanceof StarlarkSet ? value : undefined;
  if (locked !== undefined) locked.readers += 1;
  try {
    for (const item of items) {
      budget.work(1);
      if (!each(item)) return;
    }
  } finally {
    if (locked !== undefined) locked.readers -= 1;
  }
}

/** How many items or bytes a value has; undefined for what has no length. */
export function lengthOf(value: Value): number | undefined {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return undefined;
  if ('items' in value) return value.items.length;
  if ('size' in value) return value.size;
  if ('data' in value) return value.data.length;
  return value instanceof Range ? value.length : undefined;
}
