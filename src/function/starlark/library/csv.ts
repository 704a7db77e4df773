import { asItems, asString, unpack } from '../arguments.ts';
import { SIZE } from '../budget.ts';
import { fault } from '../fault.ts';
import { printValue } from '../print.ts';
import { List } from '../value.ts';
import type { Native, Value } from '../value.ts';

/** `encoding/csv.star`: rows as lists of strings. */
export const CSV: Readonly<Record<string, Native>> = {
  read_all(args, named, budget) {
    const names = [
      'source',
      'comma?',
      'comment?',
      'lazy_quotes?',
      'trim_leading_space?',
      'fields_per_record?',
      'skip?',
    ];
    const [source, comma = ',', , , , , skip = 0n] = unpack('read_all', names, args, named);
    const text = asString('read_all', 1, source);
    budget.work(text.length);
    const lines = text.split('\n').length;
    budget.make(text.length * 8 + lines * SIZE.list);
    const rows = readRows(text, asString('read_all', 'comma', comma));
    return new List(rows.slice(Number(skip)).map((row) => new List(row)));
  },
  write_all(args, named, budget) {
    const [source, comma = ','] = unpack('write_all', ['source', 'comma?'], args, named);
    const separator = asString('write_all', 'comma', comma);
    const lines = asItems('write_all', 1, source, budget).map((row) =>
      asItems('write_all', 1, row, budget)
        .map((cell) => quoteCell(printValue(cell, budget), separator))
        .join(separator),
    );
    const text = lines.map((line) => `${line}\n`).join('');
    budget.write(text.length);
    return text;
  },
};

function readRows(text: string, comma: string): Value[][] {
  if (comma.length !== 1) throw fault('read_all: comma must be one character');
  const rows: Value[][] = [];
  let row: Value[] = [];
  let at = 0;
  while (at < text.length) {
    if (row.length === 0 && (text[at] === '\n' || text.startsWith('\r\n', at))) {
      at += text[at] === '\n' ? 1 : 2;
      continue;
    }
    const cell = readCell(text, at, comma);
    row.push(cell.value);
    at = cell.end;
    if (text[at] === comma) {
      at += 1;
      if (at < text.length && text[at] !== '\n') continue;
      row.push('');
    }
    rows.push(row);
    row = [];
    at += text.startsWith('\r\n', at) ? 2 : 1;
  }
  return rows;
}

function readCell(
  text: string,
  start: number,
  comma: string,
): { readonly value: string; readonly end: number } {
  if (text[start] !== '"') {
    let end = start;
    while (end < text.length && text[end] !== comma && text[end] !== '\n') end += 1;
    const value = text.slice(start, end);
    if (value.includes('"')) throw fault('read_all: bare " in non-quoted field');
    return { value: value.endsWith('\r') ? value.slice(0, -1) : value, end };
  }
  const parts: string[] = [];
  for (let at = start + 1; ;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw fault('read_all: extraneous or missing " in quoted field');
    parts.push(text.slice(at, quote));
    if (text[quote + 1] !== '"') {
      const end = quote + 1;
      const after = text[end];
      if (after !== undefined && after !== comma && after !== '\n' && after !== '\r')
        throw fault('read_all: extraneous or missing " in quoted field');
      return { value: parts.join('"'), end: after === '\r' ? end + 1 : end };
    }
    at = quote + 2;
  }
}

function quoteCell(text: string, comma: string): string {
  const plain =
    text === '' || (!text.includes(comma) && !/["\r\n]/.test(text) && !/^\s/.test(text) && text !== '\\.');
  return plain ? text : `"${text.replaceAll('"', '""')}"`;
}
