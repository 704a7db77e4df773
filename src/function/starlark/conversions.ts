/** Functions that make a value of one type from one of another. */
import { shortenValue } from '../../text/cut-text.ts';
import { asItems, asSize, positional, unpack } from './arguments.ts';
import { fault } from './fault.ts';
import { checkSize, readFloat, readInt, toFloat } from './number.ts';
import { printValue } from './print.ts';
import { decodeText, encodeText } from './text.ts';
import { Bytes, isTrue, List, Tuple, typeOf } from './value.ts';
import type { Native, Value } from './value.ts';

export const CONVERSIONS: Readonly<Record<string, Native>> = {
  bool(args, named) {
    positional({ name: 'bool', args, named, least: 0, most: 1 });
    return isTrue(args[0] ?? false);
  },
  bytes(args, named, budget) {
    positional({ name: 'bytes', args, named, least: 1 });
    const [x = null] = args;
    if (x instanceof Bytes) return x;
    if (typeof x === 'string') {
      budget.work(x.length);
      budget.make(x.length * 4);
      return new Bytes(encodeText(decodeText(x)));
    }
    const items = asItems('bytes', 1, x, budget);
    return new Bytes(
      items
        .map((item, at) => {
          if (typeof item !== 'bigint') throw fault(`bytes: at index ${at}, got ${typeOf(item)}, want int`);
          if (item < 0n || item > 255n) throw fault(`bytes: at index ${at}, ${item} out of range`);
          return String.fromCharCode(Number(item));
        })
        .join(''),
    );
  },
  float(args, named) {
    positional({ name: 'float', args, named, least: 0, most: 1 });
    const [x = 0] = args;
    if (typeof x === 'boolean') return Number(x);
    if (typeof x === 'number') return x;
    if (typeof x === 'bigint') return toFloat(x);
    if (typeof x !== 'string') throw fault(`float: got ${typeOf(x)}, want number or string`);
    if (x === '') throw fault('float: empty string');
    const value = readFloat(x);
    if (value === undefined) throw fault(`float: invalid float literal: ${shortenValue(x, 100)}`);
    if (!Number.isFinite(value) && /\d/.test(x)) throw fault('float: floating-point number too large');
    return value;
  },
  int(args, named, budget) {
    const [x = null, base] = unpack('int', ['x', 'base?'], args, named);
    if (typeof x === 'string') budget.work(Math.ceil(x.length + x.length ** 2 / 64));
    if (typeof x === 'string') return intOf(x, base === undefined ? 10 : asSize('int', 2, base));
    if (base !== undefined) throw fault(`int: can't convert non-string with explicit base`);
    if (typeof x === 'boolean') return BigInt(x);
    if (typeof x === 'bigint') return x;
    if (typeof x !== 'number') throw fault(`int: cannot convert ${typeOf(x)} to int`);
    if (!Number.isFinite(x))
      throw fault(`int: cannot convert float ${Number.isNaN(x) ? 'NaN' : 'infinity'} to integer`);
    return BigInt(Math.trunc(x));
  },
  list(args, named, budget) {
    positional({ name: 'list', args, named, least: 0, most: 1 });
    return new List(args[0] === undefined ? [] : asItems('list', 1, args[0], budget));
  },
  str(args, named, budget) {
    positional({ name: 'str', args, named, least: 1 });
    const [x = null] = args;
    if (!(x instanceof Bytes)) return printValue(x, budget);
    budget.work(x.data.length);
    budget.make(x.data.length * 4);
    return encodeText(decodeText(x.data));
  },
  tuple(args, named, budget) {
    positional({ name: 'tuple', args, named, least: 0, most: 1 });
    if (args[0] instanceof Tuple) return args[0];
    return new Tuple(args[0] === undefined ? [] : asItems('tuple', 1, args[0], budget));
  },
};

function intOf(text: string, base: number): Value {
  if (base !== 0 && (base < 2 || base > 36)) throw fault('int: invalid base (must be >= 2 && <= 36)');
  const value = readInt(text, base);
  if (value === undefined)
    throw fault(`int: invalid literal with base ${base === 0 ? 10 : base}: ${shortenValue(text, 100)}`);
  return checkSize(value);
}
