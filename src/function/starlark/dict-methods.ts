import { positional } from './arguments.ts';
import { SIZE, type Budget } from './budget.ts';
import { fault } from './fault.ts';
import type { Method } from './method.ts';
import { weigh } from './operators.ts';
import { quoteValue } from './print.ts';
import { itemsOf, peekItems } from './sequence.ts';
import { Dict, List, Tuple, typeOf, weightOf } from './value.ts';
import type { Value } from './value.ts';

export const DICT_METHODS: ReadonlyMap<string, Method<Dict>> = new Map<string, Method<Dict>>([
  [
    'clear',
    (dict, args, named) => {
      positional({ name: 'clear', args, named, least: 0 });
      dict.clear();
      return null;
    },
  ],
  [
    'get',
    (dict, args, named) => {
      positional({ name: 'get', args, named, least: 1, most: 2 });
      return dict.get(args[0] ?? null) ?? args[1] ?? null;
    },
  ],
  [
    'items',
    (dict, args, named, budget) => {
      positional({ name: 'items', args, named, least: 0 });
      budget.tuples(dict.size, 2);
      return new List(Array.from(dict.pairs(), (pair) => new Tuple([...pair])));
    },
  ],
  [
    'keys',
    (dict, args, named, budget) => {
      positional({ name: 'keys', args, named, least: 0 });
      budget.collect(dict.size);
      return new List(dict.keys());
    },
  ],
  [
    'pop',
    (dict, args, named, budget) => {
      positional({ name: 'pop', args, named, least: 1, most: 2 });
      const key = args[0] ?? null;
      const value = dict.delete(key) ?? args[1];
      if (value === undefined) throw fault(`pop: missing key: ${quoteValue(key, budget)}`);
      return value;
    },
  ],
  [
    'popitem',
    (dict, args, named) => {
      positional({ name: 'popitem', args, named, least: 0 });
      const [first] = dict.pairs();
      if (first === undefined) throw fault('popitem: empty dict');
      dict.delete(first[0]);
      return new Tuple([...first]);
    },
  ],
  [
    'setdefault',
    (dict, args, named, budget) => {
      positional({ name: 'setdefault', args, named, least: 1, most: 2 });
      const present = dict.get(args[0] ?? null);
      if (present !== undefined) return present;
      budget.make(SIZE.entry);
      dict.set(args[0] ?? null, args[1] ?? null);
      return args[1] ?? null;
    },
  ],
  [
    'update',
    (dict, args, named, budget) => {
      if (args.length > 1) throw fault(`update: got ${args.length} arguments, want at most 1`);
      updateDict({ name: 'update', dict, from: args[0], named, budget });
      return null;
    },
  ],
  [
    'values',
    (dict, args, named, budget) => {
      positional({ name: 'values', args, named, least: 0 });
      budget.collect(dict.size);
      return new List(Array.from(dict.pairs(), ([, value]) => value));
    },
  ],
]);

/** Takes over the entries of a dict, or pairs, and of named arguments. */
export function updateDict({
  name,
  dict,
  from,
  named,
  budget,
}: {
  readonly name: string;
  readonly dict: Dict;
  readonly from: Value | undefined;
  readonly named: ReadonlyMap<string, Value>;
  readonly budget: Budget;
}): void {
  if (from instanceof Dict) {
    budget.pairs(from.size);
    weigh(from.keys(), budget);
    for (const [key, value] of from.pairs()) dict.set(key, value);
  } else if (from !== undefined) {
    const pairs = itemsOf(from, budget);
    if (pairs === undefined) throw fault(`${name}: got ${typeOf(from)}, want iterable`);
    for (const [at, pair] of pairs.entries()) {
      const items = peekItems(pair, budget);
      if (items === undefined)
        throw fault(`${name}: dictionary update sequence element #${at} is not iterable (${typeOf(pair)})`);
      if (items.length !== 2)
        throw fault(`${name}: dictionary update sequence element #${at} has length ${items.length}, want 2`);
      budget.make(SIZE.entry);
      budget.work(weightOf(items[0] ?? null));
      dict.set(items[0] ?? null, items[1] ?? null);
    }
  }
  for (const [key, value] of named) dict.set(key, value);
}
