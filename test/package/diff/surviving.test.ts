import { expect, test } from 'vitest';

import { survivingChanges } from '../../../src/package/diff/surviving.ts';
import { packageOf } from './package-of.ts';

const kptfile = (ref: string, name = 'web'): string =>
  `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: ${name}\nupstream:\n  git:\n    ref: ${ref}\n`;
const map = (name: string, namespace: string, data: Record<string, string>, marker = ''): string =>
  [
    'apiVersion: v1',
    'kind: ConfigMap',
    `metadata:${marker === '' ? '' : ` # kpt-merge: ${marker}`}`,
    `  name: ${name}`,
    `  namespace: ${namespace}`,
    ...(marker === ''
      ? []
      : [
          '  annotations:',
          `    internal.kpt.dev/upstream-identifier: '|ConfigMap|${marker.replace('/', '|')}'`,
        ]),
    'data:',
    ...Object.entries(data).map(([key, value]) => `  ${key}: ${value}`),
    '',
  ].join('\n');

const base = packageOf({
  Kptfile: kptfile('main'),
  'a.yaml': map('a', 'example', { size: 'small', color: 'blue', shape: 'round' }),
  'b.yaml': map('b', 'example', { size: 'small' }),
  'c.yaml': map('c', 'example', { size: 'small' }),
});
const upstream = packageOf({
  Kptfile: kptfile('main'),
  'a.yaml': map('a', 'example', { size: 'small', color: 'red', shape: 'square' }),
  'b.yaml': map('b', 'example', { size: 'small', mood: 'good' }),
  'c.yaml': map('c', 'example', { size: 'small' }),
});
const local = packageOf({
  Kptfile: kptfile('web/v1', 'shop'),
  'a.yaml': map('a', 'prod', { size: 'large', color: 'blue', shape: 'oval' }),
  'b.yaml': map('shop-b', 'prod', { size: 'small' }, 'example/b'),
  'own.yaml': map('own', 'prod', { mine: 'all' }),
  'notes.md': 'ours\n',
});
const result = packageOf({
  Kptfile: kptfile('web/v2', 'shop'),
  'a.yaml': map('a', 'prod', { size: 'large', color: 'red', shape: 'square' }),
  'b.yaml': map('shop-b', 'prod', { size: 'small', mood: 'good' }, 'example/b'),
  'own.yaml': map('own', 'prod', { mine: 'all' }),
  'notes.md': 'ours\n',
});

test('the local changes that an update leaves in place, and no other', () => {
  expect(survivingChanges({ base, upstream, local, result })).toEqual([
    '2 resources: `metadata.namespace: prod` (upstream: `example`)',
    '`ConfigMap prod/a`: `data.size: large` (upstream: `small`)',
    '`ConfigMap prod/shop-b`: `metadata.name: shop-b` (upstream: `b`)',
    '`ConfigMap example/c` stays removed',
    '`ConfigMap prod/own` is only here',
    '`notes.md` is only here',
  ]);
  expect(survivingChanges({ base, upstream, local: base, result: upstream })).toEqual([]);
});

test('a list that is long ends in a number', () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`key${at}`, 'own']));
  const own = packageOf({ 'b.yaml': map('b', 'example', { size: 'small', ...many }) });
  const b = (files: typeof base): typeof base => new Map([...files].filter(([path]) => path === 'b.yaml'));
  const lines = survivingChanges({ base: b(base), upstream: b(base), local: own, result: own });
  expect(lines).toHaveLength(13);
  expect(lines.at(-1)).toBe('… and 8 more');
});
