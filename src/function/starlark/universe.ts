/** The names that every script knows. */
import { asItems, asSize, asString, positional, unpack, wrongType } from './arguments.ts';
import { SIZE } from './budget.ts';
import { callValue } from './call.ts';
import { CONVERSIONS } from './conversions.ts';
import { updateDict } from './dict-methods.ts';
import { fault } from './fault.ts';
import { fieldNames, findField, getField } from './fields.ts';
import { setOf } from './operators.ts';
import { compare } from './order.ts';
import { printValue, quoteValue } from './print.ts';
import { forEach, itemsOf, lengthOf } from './sequence.ts';
import { ordinalOf } from './string-methods.ts';
import { decodeText, encodeText, unitsOf } from './text.ts';
import { Builtin, Bytes, Callable, Dict, isTrue, List, Range, Tuple, typeOf } from './value.ts';
import type { Native, Value } from './value.ts';

/** Bytes of output that a script may print. */
const MAX_OUTPUT = 64 * 1024;

const FUNCTIONS: Readonly<Record<string, Native>> = {
  ...CONVERSIONS,
  abs(args, named) {
    positional({ name: 'abs', args, named, least: 1 });
    const [x = null] = args;
    if (typeof x === 'bigint') return x < 0n ? -x : x;
    if (typeof x === 'number') return Math.abs(x);
    throw fault(`abs: got ${typeOf(x)}, want int or float`);
  },
  all(args, named, budget) {
    positional({ name: 'all', args, named, least: 1 });
    return asItems('all', 1, args[0], budget).every(isTrue);
  },
  any(args, named, budget) {
    positional({ name: 'any', args, named, least: 1 });
    return asItems('any', 1, args[0], budget).some(isTrue);
  },
  chr(args, named) {
    positional({ name: 'chr', args, named, least: 1 });
    const code = asSize('chr', 1, args[0]);
    if (code < 0 || code > 0x10ffff) {
      throw fault(
        code < 0
          ? `chr: Unicode code point ${code} out of range (<0)`
          : `chr: Unicode code point U+${code.toString(16).toUpperCase()} out of range (>0x10FFFF)`,
      );
    }
    return encodeText(String.fromCodePoint(code));
  },
  dict(args, named, budget) {
    if (args.length > 1) throw fault(`dict: got ${args.length} arguments, want at most 1`);
    budget.make(SIZE.dict);
    const dict = new Dict();
    updateDict({ name: 'dict', dict, from: args[0], named, budget });
    return dict;
  },
  dir(args, named) {
    positional({ name: 'dir', args, named, least: 1 });
    return new List(fieldNames(args[0] ?? null));
  },
  enumerate(args, named, budget) {
    const [iterable, start] = unpack('enumerate', ['iterable', 'start?'], args, named);
    const items = asItems('enumerate', 1, iterable, budget);
    const first = start === undefined ? 0n : BigInt(asSize('enumerate', 2, start));
    budget.tuples(items.length, 2);
    return new List(items.map((item, at) => new Tuple([first + BigInt(at), item])));
  },
  fail(args, named, budget) {
    const separator = named.get('sep');
    const between = separator === undefined ? ' ' : asString('fail', 'sep', separator);
    throw fault(`fail: ${args.map((arg) => printValue(arg, budget)).join(between)}`);
  },
  getattr(args, named, budget) {
    positional({ name: 'getattr', args, named, least: 2, most: 3 });
    const name = asString('getattr', 2, args[1]);
    const [object = null, , fallback] = args;
    return fallback === undefined ? getField(object, name, budget) : (findField(object, name) ?? fallback);
  },
  hasattr(args, named) {
    positional({ name: 'hasattr', args, named, least: 2 });
    return fieldNames(args[0] ?? null).includes(asString('hasattr', 2, args[1]));
  },
  hash(args, named, budget) {
    positional({ name: 'hash', args, named, least: 1 });
    const [x] = args;
    if (typeof x !== 'string' && !(x instanceof Bytes))
      throw fault(`hash: got ${typeOf(x ?? null)}, want string or bytes`);
    const text = typeof x === 'string' ? x : x.data;
    budget.work(text.length >> 2);
    return typeof x === 'string' ? javaHash(text) : fnvHash(text);
  },
  len(args, named) {
    positional({ name: 'len', args, named, least: 1 });
    const length = lengthOf(args[0] ?? null);
    if (length === undefined) throw fault(`len: value of type ${typeOf(args[0] ?? null)} has no len`);
    return BigInt(length);
  },
  max: extreme('max', (order) => order > 0),
  min: extreme('min', (order) => order < 0),
  ord(args, named) {
    positional({ name: 'ord', args, named, least: 1 });
    const [x] = args;
    if (x instanceof Bytes) {
      if (x.data.length === 1) return BigInt(x.data.charCodeAt(0));
      throw fault(`ord: bytes has length ${x.data.length}, want 1`);
    }
    if (typeof x !== 'string') throw fault(`ord: got ${typeOf(x ?? null)}, want string or bytes`);
    const units = unitsOf(x);
    if (units.length !== 1) throw fault(`ord: string encodes ${units.length} Unicode code points, want 1`);
    return ordinalOf(units[0] ?? '');
  },
  print(args, named, budget) {
    const separator = named.get('sep');
    const between = separator === undefined ? ' ' : asString('print', 'sep', separator);
    const line = `${decodeText(args.map((arg) => printValue(arg, budget)).join(between))}\n`;
    if (budget.output.length + line.length <= MAX_OUTPUT) budget.output += line;
    else if (!budget.output.endsWith('…\n')) budget.output += '…\n';
    return null;
  },
  range(args, named, budget) {
    positional({ name: 'range', args, named, least: 1, most: 3 });
    budget.make(SIZE.range);
    const [first = 0, second, step = 1] = args.map((arg, at) => asSize('range', at + 1, arg));
    if (step === 0) throw fault('range: step argument must not be zero');
    return second === undefined ? new Range(0, first, 1) : new Range(first, second, step);
  },
  repr(args, named, budget) {
    positional({ name: 'repr', args, named, least: 1 });
    return quoteValue(args[0] ?? null, budget);
  },
  reversed(args, named, budget) {
    positional({ name: 'reversed', args, named, least: 1 });
    return new List(asItems('reversed', 1, args[0], budget).reverse());
  },
  set(args, named, budget) {
    positional({ name: 'set', args, named, least: 0, most: 1 });
    return setOf(args[0] === undefined ? [] : asItems('set', 1, args[0], budget), budget);
  },
  sorted(args, named, budget) {
    const [iterable, key, reverse] = unpack('sorted', ['iterable', 'key?', 'reverse?'], args, named);
    const items = asItems('sorted', 1, iterable, budget);
    if (key !== undefined && key !== null && !(key instanceof Callable || key instanceof Builtin))
      throw wrongType('sorted', 2, key, 'callable');
    if (reverse !== undefined && typeof reverse !== 'boolean') throw wrongType('sorted', 3, reverse, 'bool');
    const keyed = items.map((item) => ({ item, by: key ? callValue(key, [item], budget) : item }));
    const sign = reverse === true ? -1 : 1;
    keyed.sort((x, y) => {
      budget.work(1);
      return sign * compare({ x: x.by, y: y.by, operator: '<', budget });
    });
    return new List(keyed.map(({ item }) => item));
  },
  type(args, named) {
    positional({ name: 'type', args, named, least: 1 });
    return typeOf(args[0] ?? null);
  },
  zip(args, named, budget) {
    if (named.size > 0) throw fault('zip: unexpected keyword arguments');
    const columns = args.map((arg, at) => {
      const items = itemsOf(arg, budget);
      if (items === undefined) throw fault(`zip: argument #${at + 1} is not iterable: ${typeOf(arg)}`);
      return items;
    });
    const rows = columns.length === 0 ? 0 : Math.min(...columns.map(({ length }) => length));
    budget.tuples(rows, columns.length);
    return new List(
      Array.from({ length: rows }, (_, at) => new Tuple(columns.map((items) => items[at] ?? null))),
    );
  },
};

export const UNIVERSE: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['None', null],
  ['True', true],
  ['False', false],
  ...Object.entries(FUNCTIONS).map(([name, invoke]) => [name, new Builtin(name, invoke)] as const),
]);

function extreme(name: string, better: (order: number) => boolean): Native {
  return (args, named, budget) => {
    if (args.length === 0) throw fault(`${name} requires at least one positional argument`);
    for (const one of named.keys())
      if (one !== 'key') throw fault(`${name}: unexpected keyword argument "${one}"`);
    const key = named.get('key') ?? null;
    const list: Value = args.length === 1 ? (args[0] ?? null) : new Tuple(args);
    if (lengthOf(list) === undefined || typeof list === 'string')
      throw fault(`${name}: ${typeOf(list)} value is not iterable`);
    let best: { readonly item: Value; readonly by: Value } | undefined;
    forEach(list, budget, (item) => {
      const by = key === null ? item : callValue(key, [item], budget);
      if (
        best === undefined ||
        better(compare({ x: by, y: best.by, operator: name === 'max' ? '>' : '<', budget }))
      )
        best = { item, by };
      return true;
    });
    if (best === undefined) throw fault(`${name}: argument is an empty sequence`);
    return best.item;
  };
}

/** Java's String.hashCode over UTF-16, as the language wants it. */
function javaHash(bytes: string): bigint {
  const text = decodeText(bytes);
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return BigInt(hash);
}

/** FNV-1a in 32 bits. */
function fnvHash(bytes: string): bigint {
  let hash = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at += 1) hash = Math.imul(hash ^ bytes.charCodeAt(at), 0x01000193);
  return BigInt(hash >>> 0);
}
