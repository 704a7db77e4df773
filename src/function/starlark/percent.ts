import type { Budget } from './budget.ts';
import { fault } from './fault.ts';
import { formatFloat, toFloat } from './number.ts';
import { printValue, quoteValue } from './print.ts';
import { encodeText } from './text.ts';
import { Dict, Tuple, typeOf } from './value.ts';
import type { Value } from './value.ts';

/** `format % args`: %s %r %d %i %o %x %X %e %f %g %E %F %G %c %%, and %(name)s with a dict. */
export function formatPercent(format: string, args: Value, budget: Budget): string {
  const values = args instanceof Tuple ? args.items : [args];
  let used = 0;
  let named = false;
  budget.work(format.length);
  const parts: string[] = [];
  let at = 0;
  while (at < format.length) {
    const percent = format.indexOf('%', at);
    if (percent < 0) break;
    parts.push(format.slice(at, percent));
    at = percent + 1;
    if (format[at] === '%') {
      parts.push('%');
      at += 1;
      continue;
    }
    let value: Value;
    if (format[at] === '(') {
      const end = format.indexOf(')', at);
      if (end < 0) throw fault('incomplete format key');
      if (!(args instanceof Dict)) throw fault('format requires a mapping');
      const key = format.slice(at + 1, end);
      const found = args.get(key);
      if (found === undefined) throw fault(`key not found: ${key}`);
      value = found;
      named = true;
      at = end + 1;
    } else {
      const next = values[used];
      if (next === undefined) throw fault('not enough arguments for format string');
      value = next;
      used += 1;
    }
    const verb = format[at];
    if (verb === undefined) throw fault('incomplete format');
    const text = formatOne(verb, value, budget);
    budget.work(text.length >> 3);
    budget.write(text.length);
    parts.push(text);
    at += 1;
  }
  parts.push(format.slice(at));
  if (used < values.length && !named && !(args instanceof Dict && used === 0))
    throw fault('too many arguments for format string');
  budget.write(format.length);
  return parts.join('');
}

function formatOne(verb: string, value: Value, budget: Budget): string {
  switch (verb) {
    case 's':
      return printValue(value, budget);
    case 'r':
      return quoteValue(value, budget);
    case 'd':
    case 'i':
      return String(asInt(value, verb));
    case 'o':
      return asInt(value, verb).toString(8);
    case 'x':
      return asInt(value, verb).toString(16);
    case 'X':
      return asInt(value, verb).toString(16).toUpperCase();
    case 'e':
    case 'f':
    case 'g':
      return floatText(value, verb, verb);
    case 'E':
    case 'F':
    case 'G':
      return floatText(value, verb, verb.toLowerCase() as 'e' | 'f' | 'g').toUpperCase();
    case 'c':
      return character(value);
    default:
      throw fault(`unknown conversion %${verb}`);
  }
}

function asInt(value: Value, verb: string): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return BigInt(Math.trunc(value));
  throw fault(`%${verb} format requires integer: cannot convert ${typeOf(value)} to int`);
}

function floatText(value: Value, verb: string, as: 'e' | 'f' | 'g'): string {
  if (typeof value !== 'number' && typeof value !== 'bigint')
    throw fault(`%${verb} format requires float, not ${typeOf(value)}`);
  const float = typeof value === 'bigint' ? toFloat(value) : value;
  const text = formatFloat(float, as);
  return as === 'g' && Number.isFinite(float) && !/[.e]/.test(text) ? `${text}.0` : text;
}

function character(value: Value): string {
  if (typeof value === 'bigint') {
    if (value < 0n || value > 0x10ffffn)
      throw fault(`%c format requires a valid Unicode code point, got ${value}`);
    return encodeText(String.fromCodePoint(Number(value)));
  }
  if (typeof value !== 'string')
    throw fault(`%c format requires int or single-character string, not ${typeOf(value)}`);
  return value;
}
