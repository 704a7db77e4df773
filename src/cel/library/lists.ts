/** Lists: Kubernetes' list library and cel-go's ext/lists.go; the functions behind macros over two variables. */
import {
  celEnv,
  celFunc,
  celList,
  celMap,
  celMethod,
  isCelError,
  isCelList,
  isCelMap,
  isCelUint,
} from '@bufbuild/cel';
import type { CelFunc, CelInput, CelList, CelUint, CelValue } from '@bufbuild/cel';

import { work } from '../work.ts';
import { BOOL, BYTES, DYN, INT, LIST, MAP, STRING } from './types.ts';

const { funcs } = celEnv();
const [less, add, equals] = [funcs.find('_<_'), funcs.find('_+_'), funcs.find('_==_')];

/** Elements that a list made by a function may have: what a package holds is far below. */
const MAX_LENGTH = 1_000_000;

/** Characters or bytes of one text: doubling a few dozen times must not fill the memory. */
const MAX_TEXT_LENGTH = 16 * 1024 * 1024;

function requireShort(length: number): void {
  work(length >> 6);
  if (length > MAX_TEXT_LENGTH) throw new Error(`texts have ${MAX_TEXT_LENGTH} characters at most`);
}

function joined(a: CelList, b: CelList): CelInput[] {
  work(a.size + b.size);
  if (a.size + b.size > MAX_LENGTH) throw new Error(`lists have ${MAX_LENGTH} elements at most`);
  return [...a, ...b];
}

function applied(group: typeof less, a: CelValue, b: CelValue): CelValue {
  const result = group?.call(0, undefined, [a, b]);
  if (result === undefined) throw new Error('the elements cannot be compared or added');
  if (isCelError(result)) throw result;
  return result;
}

function isLess(a: CelValue, b: CelValue): boolean {
  work(1);
  return applied(less, a, b) === true;
}

function isEqual(a: CelValue, b: CelValue): boolean {
  work(1);
  return applied(equals, a, b) === true;
}

function compare(a: CelValue, b: CelValue): number {
  return isLess(a, b) ? -1 : isLess(b, a) ? 1 : 0;
}

function extreme(list: CelList, wins: (a: CelValue, b: CelValue) => boolean, name: string): CelValue {
  const [first, ...rest] = list;
  if (first === undefined) throw new Error(`${name} called on an empty list`);
  return rest.reduce((best, one) => (wins(one, best) ? one : best), first);
}

function sum(list: CelList): CelValue {
  const [first, ...rest] = list;
  if (first === undefined) return 0n;
  return rest.reduce((total, one) => applied(add, total, one), first);
}

/** As cel-go: below 0 and beyond the end are errors. */
function slice(list: CelList, from: bigint, to: bigint): CelInput[] {
  const [start, end] = [Number(from), Number(to)];
  if (start < 0 || end > list.size || start > end) {
    throw new Error(`cannot slice(${start}, ${end}), the list has ${list.size} elements`);
  }
  return [...list].slice(start, end);
}

function flatten(list: Iterable<CelValue>, depth: number): CelInput[] {
  if (depth < 0) throw new Error('level must be non-negative');
  return [...list].flatMap((one) => (isCelList(one) && depth > 0 ? flatten(one, depth - 1) : [one]));
}

/** Scalars are known by their text, so that long lists do not cost their square. */
function distinct(list: CelList): CelInput[] {
  const seen = new Set<string | boolean>();
  const others: CelValue[] = [];
  return [...list].filter((one) => {
    if (typeof one === 'string' || typeof one === 'boolean') {
      const key = typeof one === 'string' ? `s${one}` : one;
      return !seen.has(key) && seen.add(key);
    }
    return !others.some((other) => isEqual(other, one)) && others.push(one) > 0;
  });
}

function sortedBy(list: CelList, keys: CelList): CelInput[] {
  const ranks = [...keys];
  return [...list]
    .map((one, at) => ({ one, key: ranks[at] ?? null }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ one }) => one);
}

function range(length: bigint): CelInput[] {
  if (length > MAX_LENGTH) throw new Error(`lists have ${MAX_LENGTH} elements at most`);
  work(Number(length));
  return Array.from({ length: Math.max(0, Number(length)) }, (_, at) => BigInt(at));
}

/** Index and element of a list, key and value of a map, as pairs. */
function entries(of: CelValue): CelInput[] {
  if (isCelMap(of)) return [...of.entries()].map(([key, value]) => [key, value]);
  if (isCelList(of)) return [...of].map((value, at) => [BigInt(at), value]);
  throw new Error('only lists and maps can be iterated');
}

function mapOf(pairs: CelList): CelValue {
  const map = new Map<string | bigint | boolean | CelUint, CelInput>();
  const known = new Set<string>();
  for (const pair of pairs) {
    const [key, value] = isCelList(pair) ? [pair.get(0), pair.get(1)] : [];
    if (key === undefined || value === undefined) throw new Error('entries have a key and a value');
    const plain = isCelUint(key) ? key.value : key;
    if (typeof plain !== 'string' && typeof plain !== 'bigint' && typeof plain !== 'boolean') {
      throw new Error('keys are strings, whole numbers, true or false');
    }
    const name = `${typeof plain} ${plain}`;
    if (known.has(name)) throw new Error(`insert failed: key ${plain} already exists`);
    known.add(name);
    map.set(plain, value);
  }
  return celMap(map);
}

function indexIn(list: CelList, wanted: CelValue): bigint {
  return BigInt([...list].findIndex((one) => isEqual(one, wanted)));
}

/** In the place of the evaluator's own, which knows no end. */
export const additions: CelFunc[] = [
  // The evaluator's own answer is a chain of lists, as deep as the list is long.
  celFunc('_+_', [LIST, LIST], LIST, (a, b) => celList(joined(a, b))),
  celFunc('_+_', [BYTES, BYTES], BYTES, (a, b) => {
    requireShort(a.length + b.length);
    const both = new Uint8Array(a.length + b.length);
    both.set(a);
    both.set(b, a.length);
    return both;
  }),
  celFunc('_+_', [STRING, STRING], STRING, (a, b) => {
    requireShort(a.length + b.length);
    return a + b;
  }),
];

export const lists: CelFunc[] = [
  ...additions,
  celMethod('isSorted', LIST, [], BOOL, function () {
    const all = [...this];
    return all.every((one, at) => at === 0 || !isLess(one, all[at - 1] ?? one));
  }),
  celMethod('sum', LIST, [], DYN, function () {
    return sum(this);
  }),
  celMethod('min', LIST, [], DYN, function () {
    return extreme(this, isLess, 'min');
  }),
  celMethod('max', LIST, [], DYN, function () {
    return extreme(this, (a, b) => isLess(b, a), 'max');
  }),
  celMethod('indexOf', LIST, [DYN], INT, function (wanted) {
    return indexIn(this, wanted);
  }),
  celMethod('lastIndexOf', LIST, [DYN], INT, function (wanted) {
    return BigInt([...this].findLastIndex((one) => isEqual(one, wanted)));
  }),
  celMethod('slice', LIST, [INT, INT], LIST, function (from, to) {
    return slice(this, from, to);
  }),
  celMethod('flatten', LIST, [], LIST, function () {
    return flatten(this, 1);
  }),
  celMethod('flatten', LIST, [INT], LIST, function (depth) {
    return flatten(this, Number(depth));
  }),
  celMethod('distinct', LIST, [], LIST, function () {
    return distinct(this);
  }),
  celMethod('reverse', LIST, [], LIST, function () {
    return [...this].reverse();
  }),
  celMethod('sort', LIST, [], LIST, function () {
    return [...this].sort(compare);
  }),
  celFunc('lists.range', [INT], LIST, range),
  celFunc('__sort_by', [LIST, LIST], LIST, sortedBy),
  celFunc('__entries', [LIST], LIST, entries),
  celFunc('__entries', [MAP], LIST, entries),
  celFunc('__map_of', [LIST], DYN, mapOf),
];
