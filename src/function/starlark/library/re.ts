import { linearRegExp } from '../../linear-regexp.ts';
import { asSize, asString, unpack } from '../arguments.ts';
import type { Budget } from '../budget.ts';
import { fault } from '../fault.ts';
import { decodeText, encodeText } from '../text.ts';
import { List, Tuple } from '../value.ts';
import type { Native, Value } from '../value.ts';

/** Characters of a regular expression. */
const MAX_PATTERN = 1000;

/** `re.star`: regular expressions, run in linear time. */
export const RE: Readonly<Record<string, Native>> = {
  findall(args, named, budget) {
    const [pattern, text] = unpack('findall', ['pattern', 'text', 'flags?'], args, named);
    const found = matches('findall', pattern, text, budget);
    return new Tuple(found.map((match) => encodeText(match[0])));
  },
  match(args, named, budget) {
    const [pattern, text] = unpack('match', ['pattern', 'text', 'flags?'], args, named);
    const found = matches('match', pattern, text, budget);
    return new List(found.map((match) => new Tuple(Array.from(match, (group) => encodeText(group ?? '')))));
  },
  search(args, named, budget) {
    const [pattern, text] = unpack('search', ['pattern', 'text', 'flags?'], args, named);
    const [first] = matches('search', pattern, text, budget);
    if (first === undefined) return null;
    const before = encodeText(first.input.slice(0, first.index)).length;
    return new List([BigInt(before), BigInt(before + encodeText(first[0]).length)]);
  },
  split(args, named, budget) {
    const names = ['pattern', 'text', 'maxsplit?', 'flags?'];
    const [pattern, text, most] = unpack('split', names, args, named);
    const limit = most === undefined ? 0 : asSize('split', 3, most);
    const found = matches('split', pattern, text, budget).filter(({ 0: whole }) => whole !== '');
    const source = decodeText(asString('split', 2, text));
    const parts: Value[] = [];
    let at = 0;
    for (const match of limit > 0 ? found.slice(0, limit) : found) {
      parts.push(encodeText(source.slice(at, match.index)));
      at = match.index + match[0].length;
    }
    parts.push(encodeText(source.slice(at)));
    return new Tuple(parts);
  },
  sub(args, named, budget) {
    const names = ['pattern', 'repl', 'text', 'count?', 'flags?'];
    const [pattern, replacement, text, most] = unpack('sub', names, args, named);
    const limit = most === undefined ? 0 : asSize('sub', 4, most);
    const by = decodeText(asString('sub', 2, replacement));
    const source = decodeText(asString('sub', 3, text));
    const found = matches('sub', pattern, text, budget);
    let result = '';
    let at = 0;
    for (const match of limit > 0 ? found.slice(0, limit) : found) {
      const inserted = expand(by, match);
      budget.write(inserted.length);
      result += source.slice(at, match.index) + inserted;
      at = match.index + match[0].length;
    }
    return encodeText(result + source.slice(at));
  },
};

/** `$1`, `${1}` and `${name}` stand for groups, as in Go. */
function expand(template: string, match: RegExpExecArray): string {
  return template.replaceAll(/\$(?:\$|\{(\w+)\}|(\w+))/g, (whole, braced?: string, plain?: string) => {
    const name = braced ?? plain;
    if (name === undefined) return whole === '$$' ? '$' : whole;
    const group = /^\d+$/.test(name) ? match[Number(name)] : match.groups?.[name];
    return group ?? '';
  });
}

function matches(
  name: string,
  pattern: Value | undefined,
  text: Value | undefined,
  budget: Budget,
): RegExpExecArray[] {
  const source = decodeText(asString(name, 1, pattern));
  if (source.length > MAX_PATTERN) throw fault(`${name}: the expression is longer than ${MAX_PATTERN}`);
  const input = decodeText(asString(name, 2, text));
  const expression = linearRegExp(source);
  const found: RegExpExecArray[] = [];
  // The engine follows up to as many threads as the expression has instructions; few of them are alive at once.
  for (const match of expression.matchAll(input, (steps) => budget.work(1 + Math.ceil(steps / 6)))) {
    budget.work(1 + match[0].length);
    budget.make(128 + match.length * 32);
    found.push(match);
  }
  return found;
}
