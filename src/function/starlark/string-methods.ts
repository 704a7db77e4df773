import { asItems, asSize, asString, positional, unpack } from './arguments.ts';
import type { Budget } from './budget.ts';
import { CASE_METHODS } from './case-methods.ts';
import { fault } from './fault.ts';
import { formatBraces } from './format.ts';
import { bounds } from './list-methods.ts';
import type { Method } from './method.ts';
import { SPLIT_METHODS } from './split-methods.ts';
import { decodeText, unitsOf } from './text.ts';
import { Elements, Tuple, typeOf } from './value.ts';
import type { Value } from './value.ts';

type Named = ReadonlyMap<string, Value>;

export const STRING_METHODS: ReadonlyMap<string, Method<string>> = new Map<string, Method<string>>([
  ...CASE_METHODS,
  ...SPLIT_METHODS,
  ['codepoint_ords', elements('codepoint_ords', 'string.codepoints', true)],
  ['codepoints', elements('codepoints', 'string.codepoints', false)],
  ['elem_ords', elements('elem_ords', 'string.elems', true)],
  ['elems', elements('elems', 'string.elems', false)],
  [
    'count',
    (text, args, named, budget) => {
      positional({ name: 'count', args, named, least: 1, most: 3 });
      const inner = asString('count', 1, args[0]);
      const [from, to] = bounds('count', args[1], args[2], text.length);
      const part = text.slice(from, Math.max(from, to));
      budget.search(part.length, inner.length);
      if (inner === '') return BigInt(unitsOf(part).length + 1);
      budget.work(part.length >> 2);
      return BigInt(part.split(inner).length - 1);
    },
  ],
  ['endswith', affix('endswith', (text, end) => text.endsWith(end))],
  ['startswith', affix('startswith', (text, start) => text.startsWith(start))],
  ['find', search('find', false, false)],
  ['rfind', search('rfind', true, false)],
  ['index', search('index', false, true)],
  ['rindex', search('rindex', true, true)],
  ['format', formatBraces],
  [
    'join',
    (text, args, named, budget) => {
      positional({ name: 'join', args, named, least: 1 });
      const items = asItems('join', 1, args[0], budget);
      const strings: string[] = [];
      let size = 0;
      for (const [at, item] of items.entries()) {
        if (typeof item !== 'string')
          throw fault(`join: in list, want string, got ${typeOf(item)} (item ${at})`);
        size += item.length + text.length;
        strings.push(item);
      }
      budget.write(size);
      return strings.join(text);
    },
  ],
  [
    'removeprefix',
    cutting('removeprefix', (text, part) => (text.startsWith(part) ? text.slice(part.length) : text)),
  ],
  [
    'removesuffix',
    cutting('removesuffix', (text, part) =>
      part !== '' && text.endsWith(part) ? text.slice(0, -part.length) : text,
    ),
  ],
  [
    'replace',
    (text, args, named, budget) => {
      const [old, now, count] = unpack('replace', ['old', 'new', 'count?'], args, named);
      const [from, to] = [asString('replace', 1, old), asString('replace', 2, now)];
      const most = count === undefined ? -1 : asSize('replace', 3, count);
      budget.search(text.length, from.length);
      budget.work(text.length >> 2);
      const parts = from === '' ? ['', ...unitsOf(text), ''] : text.split(from);
      const turns = most < 0 ? parts.length - 1 : Math.min(most, parts.length - 1);
      budget.write(text.length + turns * to.length);
      const rest = parts.slice(turns).join(from);
      return [...parts.slice(0, turns), rest].join(to);
    },
  ],
]);

function elements(name: string, type: Elements['type'], ordinals: boolean): Method<string> {
  return (text, args, named, budget) => {
    positional({ name, args, named, least: 0 });
    budget.collect(text.length);
    const units = type === 'string.elems' ? Array.from(text) : unitsOf(text);
    const items = ordinals ? units.map(ordinalOf) : units;
    return new Elements(text, type, ordinals, items);
  };
}

/** The code point of one unit; of a byte past ASCII when it stands alone, the byte. */
export function ordinalOf(unit: string): bigint {
  return BigInt(unit.length === 1 ? unit.charCodeAt(0) : (decodeText(unit).codePointAt(0) ?? 0));
}

function affix(name: string, test: (text: string, part: string) => boolean): Method<string> {
  return (text, args, named, budget) => {
    positional({ name, args, named, least: 1, most: 3 });
    const [wanted] = args;
    const [from, to] = bounds(name, args[1], args[2], text.length);
    budget.work(1);
    const part = from === 0 && to === text.length ? text : text.slice(from, Math.max(from, to));
    if (typeof wanted === 'string') return test(part, wanted);
    if (!(wanted instanceof Tuple))
      throw fault(`${name}: for parameter 1: got ${typeOf(wanted ?? null)}, want string or tuple of string`);
    return wanted.items.some((one) => {
      if (typeof one !== 'string')
        throw fault(`${name}: want string, got ${typeOf(one)}, for element of tuple`);
      budget.work(1 + (one.length >> 6));
      return test(part, one);
    });
  };
}

function search(name: string, last: boolean, mustBe: boolean): Method<string> {
  return (text, args, named, budget) => {
    positional({ name, args, named, least: 1, most: 3 });
    const inner = asString(name, 1, args[0]);
    const [from, to] = bounds(name, args[1], args[2], text.length);
    const part = text.slice(from, Math.max(from, to));
    budget.search(part.length, inner.length);
    const at = last ? part.lastIndexOf(inner) : part.indexOf(inner);
    if (at < 0 && mustBe) throw fault(`${name}: substring not found`);
    return BigInt(at < 0 ? -1 : at + from);
  };
}

function cutting(name: string, cut: (text: string, part: string) => string): Method<string> {
  return (text: string, args: Value[], named: Named, budget: Budget) => {
    positional({ name, args, named, least: 1 });
    budget.write(text.length);
    return cut(text, asString(name, 1, args[0]));
  };
}
