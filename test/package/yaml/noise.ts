import * as fc from 'fast-check';

import type { YamlValue } from '../../../src/package/yaml/edit.ts';

/** How a generated file is laid out; every choice keeps the data. */
export interface Noise {
  readonly step: 2 | 4;
  readonly wide: boolean;
  readonly crlf: boolean;
  readonly openEnd: boolean;
  /** Decides one by one about quotes, comments, blank lines, flow style. */
  readonly seed: readonly number[];
}

export const noise: fc.Arbitrary<Noise> = fc.record({
  step: fc.constantFrom(2 as const, 4 as const),
  wide: fc.boolean(),
  crlf: fc.boolean(),
  openEnd: fc.boolean(),
  seed: fc.array(fc.nat(99), { minLength: 16, maxLength: 64 }),
});

/** Writes a document by hand, unlike any library: with comments, odd blanks, quotes, flow collections, block scalars. */
export function noisyText(value: YamlValue, how: Noise): string {
  let turn = 0;
  const next = (): number => how.seed[turn++ % how.seed.length]!;
  const some = (percent: number): boolean => next() < percent;
  const lines: string[] = some(30) ? ['# Copyright', '#   the authors', ''] : [];

  const scalar = (item: YamlValue): string => {
    if (typeof item !== 'string') return JSON.stringify(item);
    const plain =
      /^[A-Za-z][A-Za-z0-9./-]*$/.test(item) &&
      !/^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i.test(item);
    if (plain && !some(25)) return item;
    if (!/[\n\\"]/.test(item) && some(50)) return `'${item.replaceAll("'", "''")}'`;
    return JSON.stringify(item);
  };
  const flow = (item: YamlValue): string => {
    if (Array.isArray(item)) return `[${item.map(flow).join(some(50) ? ', ' : ',  ')}]`;
    if (item !== null && typeof item === 'object') {
      const pad = some(50) ? ' ' : '';
      const parts = Object.entries(item).map(([key, inner]) => `${keyText(key)}: ${flow(inner)}`);
      return parts.length === 0 ? '{}' : `{${pad}${parts.join(', ')}${pad}}`;
    }
    return scalar(item);
  };
  const tail = (item: YamlValue, indent: number, prefix: string): void => {
    const comment = some(12) ? `${' '.repeat(1 + (next() % 4))}# note ${next()}` : '';
    const collection = item !== null && typeof item === 'object';
    if (collection && (Object.keys(item).length === 0 || (JSON.stringify(item).length < 40 && some(20)))) {
      lines.push(`${prefix} ${flow(item)}${comment}`);
    } else if (Array.isArray(item)) {
      lines.push(prefix + comment);
      list(item as YamlValue[], indent + (how.wide ? how.step : 0));
    } else if (collection) {
      lines.push(prefix + comment);
      map(item as Record<string, YamlValue>, indent + how.step);
    } else if (
      typeof item === 'string' &&
      /^[^\s].*\n/.test(item) &&
      !item.endsWith('\n\n') &&
      !/[^\S\n](?:\n|$)/.test(item) &&
      some(80)
    ) {
      const chomp = item.endsWith('\n') ? '' : '-';
      lines.push(`${prefix} |${chomp}${comment}`);
      const body = chomp === '-' ? item : item.slice(0, -1);
      for (const line of body.split('\n'))
        lines.push(line === '' ? '' : ' '.repeat(indent + how.step) + line);
    } else lines.push(`${prefix}${some(10) ? '   ' : ' '}${scalar(item)}${comment}`);
  };
  const above = (indent: number): void => {
    if (some(6)) lines.push('');
    if (some(8)) lines.push(`${' '.repeat(indent)}# about ${next()}`);
  };
  const map = (item: Record<string, YamlValue>, indent: number, lead = ''): void => {
    for (const [at, [key, inner]] of Object.entries(item).entries()) {
      if (at > 0 || lead === '') above(indent);
      const text = keyText(key);
      tail(inner, indent, (at === 0 && lead !== '' ? lead : ' '.repeat(indent)) + text + ':');
    }
  };
  const list = (items: readonly YamlValue[], indent: number): void => {
    for (const item of items) {
      above(indent);
      const dash = `${' '.repeat(indent)}-`;
      if (item !== null && typeof item === 'object' && !Array.isArray(item) && Object.keys(item).length > 0) {
        map(item as Record<string, YamlValue>, indent + 2, `${dash} `);
      } else if (Array.isArray(item)) lines.push(`${dash} ${flow(item)}`);
      else tail(item, indent, dash);
    }
  };
  if (value === null || typeof value !== 'object' || Array.isArray(value) || Object.keys(value).length === 0)
    lines.push(flow(value));
  else map(value as Record<string, YamlValue>, 0);
  const text = lines.join('\n') + (how.openEnd && lines.at(-1)?.endsWith('\n') !== true ? '' : '\n');
  return how.crlf ? text.replaceAll('\n', '\r\n') : text;
}

function keyText(key: string): string {
  return /^[A-Za-z][\w./-]*$/.test(key) ? key : JSON.stringify(key);
}

const key = fc.constantFrom(
  'alpha',
  'beta',
  'gamma',
  'app.io/name',
  'delta',
  'zone',
  'mode',
  'x-y',
  'odd key',
  '1',
);
const leaf: fc.Arbitrary<YamlValue> = fc.oneof(
  fc.integer({ min: -5, max: 70_000 }),
  fc.boolean(),
  fc.constantFrom(
    'on',
    'off',
    'y',
    '0777',
    '1e3',
    '~',
    'null',
    '',
    ' padded ',
    'a: b',
    '# no',
    "it's",
    '"q"',
    '- x',
    '*a',
    '&b',
    '{}',
    'é✓',
    '1.10',
    '@x',
    'a#b',
    'a #b',
    'http://x:80/y',
  ),
  fc.string({ maxLength: 12 }),
  fc.constantFrom('line one\nline two', 'first\n\nthird\n', 'kept\n\n', 'key: |\n  nested\n'),
  fc.constantFrom(null),
);

/** Any data, with names that odd YAML is made of. */
export const data: fc.Arbitrary<YamlValue> = fc.letrec<{ node: YamlValue }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(key, tie('node'), { maxKeys: 5 }),
  ),
})).node;

export const mapData: fc.Arbitrary<Record<string, YamlValue>> = fc.dictionary(key, data, {
  minKeys: 1,
  maxKeys: 6,
});

/** How often properties are tried: few in the everyday run, `FC_RUNS` for the long one. */
export const RUNS = Number(process.env['FC_RUNS'] ?? 200);
