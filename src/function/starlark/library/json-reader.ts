import { SIZE, type Budget } from '../budget.ts';
import { fault } from '../fault.ts';
import { MAX_DEPTH } from '../order.ts';
import { decodeText, encodeText } from '../text.ts';
import { Dict, List } from '../value.ts';
import type { Value } from '../value.ts';

const BLANK = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"/y;

interface Reader {
  readonly text: string;
  readonly budget: Budget;
  readonly name: string;
  at: number;
}

/** JSON → values: numbers without point and exponent are ints of any length, keys stay in their order. */
export function readJson(source: string, budget: Budget, name: string): Value {
  budget.work(source.length >> 2);
  budget.make(source.length * 2);
  const reader: Reader = { text: decodeText(source), budget, name, at: 0 };
  const value = readValue(reader, 0);
  skip(reader);
  if (reader.at < reader.text.length) throw bad(reader);
  return value;
}

function readValue(reader: Reader, depth: number): Value {
  if (depth > MAX_DEPTH) throw fault(`${reader.name}: nested too deeply`);
  skip(reader);
  const char = reader.text[reader.at];
  if (char === '{') return readObject(reader, depth);
  if (char === '[') return readArray(reader, depth);
  if (char === '"') return readText(reader);
  for (const [word, value] of [
    ['true', true],
    ['false', false],
    ['null', null],
  ] as const) {
    if (reader.text.startsWith(word, reader.at)) {
      reader.at += word.length;
      return value;
    }
  }
  const number = take(reader, NUMBER);
  if (number === undefined) throw bad(reader);
  if (/^-?\d+$/.test(number)) {
    if (number.length > 1300) throw fault(`${reader.name}: int is too large`);
    return BigInt(number);
  }
  return Number(number);
}

function readObject(reader: Reader, depth: number): Value {
  const { budget } = reader;
  budget.make(SIZE.dict);
  const dict = new Dict();
  reader.at += 1;
  for (let first = true; !accept(reader, '}'); first = false) {
    if (!first && !accept(reader, ',')) throw bad(reader);
    skip(reader);
    budget.make(SIZE.entry);
    const key = readText(reader);
    if (!accept(reader, ':')) throw bad(reader);
    dict.set(key, readValue(reader, depth + 1));
  }
  return dict;
}

function readArray(reader: Reader, depth: number): Value {
  const { budget } = reader;
  budget.make(SIZE.list);
  const items: Value[] = [];
  reader.at += 1;
  for (let first = true; !accept(reader, ']'); first = false) {
    if (!first && !accept(reader, ',')) throw bad(reader);
    budget.make(SIZE.item);
    items.push(readValue(reader, depth + 1));
  }
  return new List(items);
}

function readText(reader: Reader): string {
  const quoted = take(reader, TEXT);
  if (quoted === undefined) throw bad(reader);
  reader.budget.write(quoted.length);
  try {
    return encodeText(JSON.parse(quoted) as string);
  } catch {
    throw fault(`${reader.name}: at offset ${reader.at - quoted.length}, the string is not valid JSON`);
  }
}

function accept(reader: Reader, char: string): boolean {
  skip(reader);
  if (reader.text[reader.at] !== char) return false;
  reader.at += 1;
  return true;
}

function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  reader.at += found?.length ?? 0;
  return found;
}

function skip(reader: Reader): void {
  take(reader, BLANK);
}

function bad(reader: Reader): Error {
  const char = reader.text[reader.at];
  const what = char === undefined ? 'unexpected end of file' : `unexpected character ${JSON.stringify(char)}`;
  return fault(`${reader.name}: at offset ${reader.at}, ${encodeText(what)}`);
}
