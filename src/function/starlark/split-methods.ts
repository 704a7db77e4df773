/** String methods that cut. */
import { asSize, asString, positional } from './arguments.ts';
import type { Budget } from './budget.ts';
import { fault } from './fault.ts';
import type { Method } from './method.ts';
import { unitsOf } from './text.ts';
import { List, Tuple, typeOf } from './value.ts';
import type { Value } from './value.ts';

const BLANKS = ' \t\n\r\v\f';

export const SPLIT_METHODS: readonly (readonly [string, Method<string>])[] = [
  ['lstrip', stripping('lstrip', true, false)],
  ['rstrip', stripping('rstrip', false, true)],
  ['strip', stripping('strip', true, true)],
  ['partition', partition('partition', false)],
  ['rpartition', partition('rpartition', true)],
  ['split', splitting('split', false)],
  ['rsplit', splitting('rsplit', true)],
  [
    'splitlines',
    (text, args, named, budget) => {
      positional({ name: 'splitlines', args, named, least: 0, most: 1 });
      const [keep] = args;
      const lines = keep === true ? (text.match(/[^\n]*\n|[^\n]+$/g) ?? []) : text.split('\n');
      if (keep !== true && lines.at(-1) === '') lines.pop();
      return made(lines, text, budget);
    },
  ],
];

function stripping(name: string, left: boolean, right: boolean): Method<string> {
  return (text, args, named, budget) => {
    positional({ name, args, named, least: 0, most: 1 });
    const given = args[0] === undefined || args[0] === null ? BLANKS : asString(name, 1, args[0]);
    const cut = new Set(unitsOf(given));
    budget.work(text.length);
    budget.write(text.length);
    const plain = [...cut].every((unit) => unit.length === 1);
    const units: ArrayLike<string> = plain ? text : unitsOf(text);
    let from = 0;
    let to = units.length;
    if (left) while (from < to && cut.has(units[from] ?? '')) from += 1;
    if (right) while (to > from && cut.has(units[to - 1] ?? '')) to -= 1;
    return typeof units === 'string' ? units.slice(from, to) : Array.from(units).slice(from, to).join('');
  };
}

function partition(name: string, last: boolean): Method<string> {
  return (text, args, named, budget) => {
    positional({ name, args, named, least: 1 });
    const separator = asString(name, 1, args[0]);
    if (separator === '') throw fault(`${name}: empty separator`);
    budget.search(text.length, separator.length);
    budget.write(text.length);
    const at = last ? text.lastIndexOf(separator) : text.indexOf(separator);
    if (at < 0) return new Tuple(last ? ['', '', text] : [text, '', '']);
    return new Tuple([text.slice(0, at), separator, text.slice(at + separator.length)]);
  };
}

function splitting(name: string, fromRight: boolean): Method<string> {
  return (text, args, named, budget) => {
    positional({ name, args, named, least: 0, most: 2 });
    const [separator, count] = args;
    const most = count === undefined || count === null ? -1 : asSize(name, 2, count);
    if (separator === undefined || separator === null)
      return made(splitBlanks(text, most, fromRight), text, budget);
    if (typeof separator !== 'string')
      throw fault(`${name}: got ${typeOf(separator)} for separator, want string`);
    if (separator === '') throw fault(`${name}: empty separator`);
    budget.search(text.length, separator.length);
    const parts = text.split(separator);
    if (most < 0 || parts.length - 1 <= most) return made(parts, text, budget);
    const edge = fromRight ? parts.length - most : most;
    const [before, after] = [parts.slice(0, edge), parts.slice(edge)];
    return made(
      fromRight ? [before.join(separator), ...after] : [...before, after.join(separator)],
      text,
      budget,
    );
  };
}

function splitBlanks(text: string, most: number, fromRight: boolean): string[] {
  const words = [...text.matchAll(/[^ \t\n\r\v\f]+/g)];
  if (most < 0 || words.length - 1 <= most) return words.map(([word]) => word);
  if (fromRight) {
    const kept = most === 0 ? [] : words.slice(-most);
    const last = words[words.length - most - 1];
    const head = last === undefined ? '' : text.slice(0, last.index + last[0].length);
    return [head.replace(/^[ \t\n\r\v\f]+/, ''), ...kept.map(([word]) => word)];
  }
  const tail = text.slice(words[most]?.index ?? 0);
  let end = tail.length;
  while (end > 0 && BLANKS.includes(tail[end - 1] ?? '')) end -= 1;
  return [...words.slice(0, most).map(([word]) => word), tail.slice(0, end)];
}

function made(parts: string[], text: string, budget: Budget): Value {
  budget.work(text.length);
  budget.collect(parts.length);
  budget.write(text.length);
  return new List(parts);
}
