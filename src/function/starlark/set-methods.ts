import { asItems, positional } from './arguments.ts';
import { SIZE, type Budget } from './budget.ts';
import { fault } from './fault.ts';
import type { Method } from './method.ts';
import { setOf, weigh } from './operators.ts';
import { quoteValue } from './print.ts';
import { StarlarkSet } from './value.ts';
import type { Value } from './value.ts';

export const SET_METHODS: ReadonlyMap<string, Method<StarlarkSet>> = new Map<string, Method<StarlarkSet>>([
  [
    'add',
    (set, args, named, budget) => {
      positional({ name: 'add', args, named, least: 1 });
      budget.make(SIZE.member);
      set.add(args[0] ?? null);
      return null;
    },
  ],
  [
    'clear',
    (set, args, named, budget) => {
      positional({ name: 'clear', args, named, least: 0 });
      budget.work(set.size);
      for (const value of set.values()) set.delete(value);
      return null;
    },
  ],
  [
    'discard',
    (set, args, named) => {
      positional({ name: 'discard', args, named, least: 1 });
      set.delete(args[0] ?? null);
      return null;
    },
  ],
  [
    'pop',
    (set, args, named, budget) => {
      positional({ name: 'pop', args, named, least: 0 });
      budget.work(set.size >> 2);
      const [first] = set.values();
      if (first === undefined) throw fault('pop: empty set');
      set.delete(first);
      return first;
    },
  ],
  [
    'remove',
    (set, args, named, budget) => {
      positional({ name: 'remove', args, named, least: 1 });
      const value = args[0] ?? null;
      if (!set.delete(value)) throw fault(`remove: missing key: ${quoteValue(value, budget)}`);
      return null;
    },
  ],
  ['difference', combined('difference', (set, other) => set.values().filter((one) => !other.has(one)))],
  ['intersection', combined('intersection', (set, other) => set.values().filter((one) => other.has(one)))],
  ['union', combined('union', (set, other) => [...set.values(), ...other.values()])],
  [
    'symmetric_difference',
    combined('symmetric_difference', (set, other) => [
      ...set.values().filter((one) => !other.has(one)),
      ...other.values().filter((one) => !set.has(one)),
    ]),
  ],
  [
    'issubset',
    (set, args, named, budget) => {
      const other = otherSet('issubset', args, named, budget);
      budget.collect(set.size);
      weigh(set.values(), budget);
      return set.values().every((one) => other.has(one));
    },
  ],
  [
    'issuperset',
    (set, args, named, budget) => {
      const other = otherSet('issuperset', args, named, budget);
      budget.collect(other.size);
      weigh(other.values(), budget);
      return other.values().every((one) => set.has(one));
    },
  ],
  [
    'update',
    (set, args, named, budget) => {
      if (named.size > 0) throw fault('update: unexpected keyword arguments');
      for (const [at, arg] of args.entries())
        for (const value of asItems('update', at + 1, arg, budget)) set.add(value);
      return null;
    },
  ],
]);

function combined(
  name: string,
  combine: (set: StarlarkSet, other: StarlarkSet) => Iterable<Value>,
): Method<StarlarkSet> {
  return (set, args, named, budget) => {
    budget.collect(set.size);
    const other = otherSet(name, args, named, budget);
    weigh([...set.values(), ...other.values()], budget);
    return setOf(combine(set, other), budget);
  };
}

function otherSet(
  name: string,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  budget: Budget,
): StarlarkSet {
  positional({ name, args, named, least: 1 });
  const [other] = args;
  return other instanceof StarlarkSet ? other : setOf(asItems(name, 1, other, budget), budget);
}
