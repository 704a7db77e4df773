import { Document, isScalar, parseDocument, Scalar, visit } from 'yaml';
import type { DocumentOptions, ParseOptions, SchemaOptions, Tags } from 'yaml';

import { asString, unpack } from '../arguments.ts';
import type { Budget } from '../budget.ts';
import { fault } from '../fault.ts';
import { toKrm } from '../krm-values.ts';
import { decodeText, encodeText } from '../text.ts';
import { Dict, List } from '../value.ts';
import type { Native, Value } from '../value.ts';

/** Dates and binary data stay the strings that they are written as. */
const PLAIN_TAGS = (tags: Tags): Tags =>
  tags.filter((tag) => typeof tag === 'string' || !/(?:timestamp|binary|omap|pairs|set)$/.test(tag.tag));
const OPTIONS: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
  customTags: PLAIN_TAGS,
  intAsBigInt: true,
  // The library compares each key with all others; see checkKeys.
  uniqueKeys: false,
};

/** Steps and bytes that reading or writing takes, measured: text becomes a tree before it becomes values. */
const STEPS_PER_BYTE = 10;
const BYTES_PER_BYTE = 128;
const STEPS_PER_SCALAR = 20;
const STEPS_PER_PARSE = 300;

/** `encoding/yaml.star`: `dumps` sorts keys and does not indent lists. */
export const YAML: Readonly<Record<string, Native>> = {
  dumps(args, named, budget) {
    const [value = null] = unpack('dumps', ['obj'], args, named);
    const document = new Document(sorted(toKrm({ value, budget, path: 'dumps' })), OPTIONS);
    visit(document, { Scalar: (_key, scalar) => chooseQuotes(scalar, budget) });
    const text = document.toString({ indentSeq: false, lineWidth: 0, blockQuote: 'literal' });
    budget.write(text.length * 4);
    return encodeText(text);
  },
  loads(args, named, budget) {
    const [source] = unpack('loads', ['source'], args, named);
    const bytes = asString('loads', 1, source);
    budget.work(bytes.length * STEPS_PER_BYTE);
    budget.make(bytes.length * BYTES_PER_BYTE);
    const document = parseDocument(decodeText(bytes), OPTIONS);
    const [problem] = document.errors;
    if (problem !== undefined)
      throw fault(`loads: ${encodeText(problem.message.split('\n')[0] ?? 'not YAML')}`);
    checkKeys(document);
    return fromData(dataOf(document), budget);
  },
};

/** What would be read as something else in double quotes; what only has marks of YAML in single ones. */
function chooseQuotes(scalar: Scalar, budget: Budget): void {
  const { value } = scalar;
  budget.work(STEPS_PER_SCALAR);
  if (typeof value !== 'string' || value.includes('\n')) return;
  budget.work(STEPS_PER_PARSE + value.length * STEPS_PER_BYTE);
  const plain = parseDocument(value, OPTIONS).contents;
  if (value === '' || (isScalar(plain) && typeof plain.value !== 'string')) scalar.type = Scalar.QUOTE_DOUBLE;
  else if (/^[\x20-\x7e]*$/.test(value) && !(isScalar(plain) && plain.value === value))
    scalar.type = Scalar.QUOTE_SINGLE;
}

/** @throws PorticoError for a key that stands twice in a map */
function checkKeys(document: Document.Parsed): void {
  visit(document, {
    Map(_key, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? key.value : key;
        if (seen.has(name)) throw fault('loads: Map keys must be unique');
        seen.add(name);
      }
    },
  });
}

function dataOf(document: Document.Parsed): unknown {
  try {
    return document.toJS({ mapAsMap: true, maxAliasCount: 100 });
  } catch (error) {
    if (error instanceof ReferenceError) throw fault(`loads: ${error.message}`);
    throw error;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const map = value as Record<string, unknown>;
  return new Map(
    Object.keys(map)
      .sort()
      .map((key) => [key, sorted(map[key])]),
  );
}

function fromData(value: unknown, budget: Budget): Value {
  budget.work(1);
  if (typeof value === 'string') return encodeText(value);
  if (Array.isArray(value)) {
    budget.collect(value.length);
    return new List(value.map((item) => fromData(item, budget)));
  }
  if (value instanceof Map) {
    budget.pairs(value.size);
    const dict = new Dict();
    for (const [key, one] of value) dict.set(fromData(key, budget), fromData(one, budget));
    return dict;
  }
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean') return value;
  return null;
}
