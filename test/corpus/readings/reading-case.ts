/**
 * Golden cases of texts, and what the real readers make of them. Characters that a person cannot see are written `{U+2028}`;
 * readers that agree share a line, and `error` stands for a reader that refuses the rest.
 */
import { z } from 'zod';

import { answer } from './compare.ts';
import type { Answer, Reading } from './compare.ts';

export const readingCase = {
  text: z.string(),
  /** Objects as JSON by the names of the readers. */
  expected: z.record(z.string(), z.string()),
};

export function decodeText(text: string): string {
  return text.replace(/\{U\+([0-9A-F]{4,6})\}/g, (_, code: string) =>
    String.fromCodePoint(parseInt(code, 16)),
  );
}

/** Returns an answer of `scripts/oracles/readings` as a case holds it. */
export function encodeAnswer(line: string): Record<string, string> {
  const readers = new Map<string, string[]>();
  const read = answer.parse(parseExactly(line));
  for (const [reader, reading] of Object.entries(read)) {
    const text = encodeReading(reading);
    readers.set(text, [...(readers.get(text) ?? []), reader]);
  }
  return Object.fromEntries([...readers].map(([text, names]) => [names.join(' '), text]));
}

function encodeReading({ objects, error }: Reading): string {
  const json = JSON.stringify(objects, (_key, value: unknown) =>
    typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value,
  ).replace(/[\x7f-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return error === undefined ? json : objects.length === 0 ? 'error' : `${json} error`;
}

export function decodeAnswer(expected: Readonly<Record<string, string>>): Answer {
  const entries = Object.entries(expected).flatMap(([readers, text]) => {
    const json = text.replace(/ ?error$/, '');
    const reading = {
      objects: json === '' ? [] : parseExactly(json),
      ...(json === text ? {} : { error: 'error' }),
    };
    return readers.split(' ').map((reader) => [reader, reading] as const);
  });
  return answer.parse(Object.fromEntries(entries));
}

/** Reads JSON with integers of 64 bits exactly as they are. Go prints floats like integers, too, where they are greater. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, { source = '' }: { source?: string } = {}) =>
    typeof value === 'number' &&
    /^-?\d+$/.test(source) &&
    BigInt.asIntN(64, BigInt(source)) === BigInt(source)
      ? BigInt(source)
      : value,
  );
}
