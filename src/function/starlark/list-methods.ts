import { asItems, asSize, positional } from './arguments.ts';
import { fault } from './fault.ts';
import type { Method } from './method.ts';
import { equals } from './order.ts';
import type { List, Value } from './value.ts';

export const LIST_METHODS: ReadonlyMap<string, Method<List>> = new Map<string, Method<List>>([
  [
    'append',
    (list, args, named, budget) => {
      positional({ name: 'append', args, named, least: 1 });
      checkMutable('append', 'append to', list);
      budget.make(32);
      list.items.push(args[0] ?? null);
      return null;
    },
  ],
  [
    'clear',
    (list, args, named) => {
      positional({ name: 'clear', args, named, least: 0 });
      checkMutable('clear', 'clear', list);
      list.items = [];
      return null;
    },
  ],
  [
    'extend',
    (list, args, named, budget) => {
      positional({ name: 'extend', args, named, least: 1 });
      const items = asItems('extend', 1, args[0], budget);
      checkMutable('extend', 'extend', list);
      for (const item of items) list.items.push(item);
      return null;
    },
  ],
  [
    'index',
    (list, args, named, budget) => {
      positional({ name: 'index', args, named, least: 1, most: 3 });
      const size = list.items.length;
      const [from, to] = bounds('index', args[1], args[2], size);
      for (let at = from; at < to; at += 1) {
        budget.work(1);
        if (equals(list.items[at] ?? null, args[0] ?? null, budget)) return BigInt(at);
      }
      throw fault('index: value not in list');
    },
  ],
  [
    'insert',
    (list, args, named, budget) => {
      positional({ name: 'insert', args, named, least: 2 });
      const index = asSize('insert', 1, args[0]);
      checkMutable('insert', 'insert into', list);
      budget.make(32);
      budget.work(list.items.length >> 4);
      list.items.splice(index, 0, args[1] ?? null);
      return null;
    },
  ],
  [
    'pop',
    (list, args, named, budget) => {
      positional({ name: 'pop', args, named, least: 0, most: 1 });
      const size = list.items.length;
      const index = args[0] === undefined ? size - 1 : asSize('pop', 1, args[0]);
      const at = index < 0 ? index + size : index;
      if (at < 0 || at >= size) {
        throw fault(
          size === 0
            ? `pop: index ${index} out of range: empty list`
            : `pop: list index ${index} out of range [${-size}:${size - 1}]`,
        );
      }
      checkMutable('pop', 'pop from', list);
      budget.work((size - at) >> 4);
      return list.items.splice(at, 1)[0] ?? null;
    },
  ],
  [
    'remove',
    (list, args, named, budget) => {
      positional({ name: 'remove', args, named, least: 1 });
      checkMutable('remove', 'remove from', list);
      budget.work(list.items.length);
      const at = list.items.findIndex((item) => equals(item, args[0] ?? null, budget));
      if (at < 0) throw fault('remove: element not found');
      list.items.splice(at, 1);
      return null;
    },
  ],
]);

function checkMutable(name: string, verb: string, list: List): void {
  if (list.readers > 0) throw fault(`${name}: cannot ${verb} list during iteration`);
}

/** Start and end as slices take them. */
export function bounds(
  name: string,
  start: Value | undefined,
  end: Value | undefined,
  size: number,
): readonly [number, number] {
  const clamp = (value: Value | undefined, at: number, fallback: number): number => {
    if (value === undefined || value === null) return fallback;
    const given = asSize(name, at, value);
    return Math.min(Math.max(given < 0 ? given + size : given, 0), size);
  };
  return [clamp(start, 2, 0), clamp(end, 3, size)];
}
