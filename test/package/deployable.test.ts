import { expect, test } from 'vitest';

import { deployableFiles } from '../../src/package/deployable.ts';
import type { PackageFiles } from '../../src/package/package.ts';

const of = (files: Record<string, string>): PackageFiles =>
  new Map(Object.entries(files).map(([path, text]) => [path, { mode: '100644', bytes: Buffer.from(text) }]));
const resource = (name: string, more = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`;
const local = (name: string, mark = '"true"'): string =>
  resource(name, `  annotations:\n    config.kubernetes.io/local-config: ${mark}\n`);

test('only what is applied stays, as it is written', () => {
  const given = of({
    Kptfile: 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: a\n',
    'sub/Kptfile': 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: b\n',
    'README.md': '# a\n',
    'values.yaml': 'replicas: 1\n',
    'context.yaml': local('kptfile.kpt.dev'),
    'whole.yaml': `# kept\n---\n${resource('one')}---\n# about two\n${resource('two')}`,
    'mixed.yaml': `${resource('one')}---\n${local('fn')}---\n# about three\n${resource('three')}`,
    'not-local.yaml': local('c', '"false"'),
    'empty.yaml': '',
    'sub/a.json': '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}}',
    'chart.json': '{"a":1}',
  });
  const kept = deployableFiles(given);
  expect(
    Object.fromEntries([...kept].map(([path, { bytes }]) => [path, Buffer.from(bytes).toString()])),
  ).toEqual({
    'whole.yaml': `# kept\n---\n${resource('one')}---\n# about two\n${resource('two')}`,
    'mixed.yaml': `${resource('one')}---\n# about three\n${resource('three')}`,
    'not-local.yaml': local('c', '"false"'),
    'sub/a.json': '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}}',
  });
  expect(kept.get('whole.yaml')).toBe(given.get('whole.yaml'));
  expect(deployableFiles(kept)).toEqual(kept);
});

test('a file of which it cannot be said is refused by name', () => {
  expect(() => deployableFiles(of({ 'a.yaml': 'a: [1\n' }))).toThrow(/a\.yaml/);
  expect(() => deployableFiles(of({ 'a.yaml': 'a: \u0000\n' }))).toThrow(/a\.yaml: not UTF-8/);
});

test('what processors read stays out, whatever is in it', () => {
  const given = of({
    'upstream/chart/templates/web.yaml': '{{- if .b }}\na: b\n{{- end }}\n',
    'upstream/chart/crds/a.yaml': resource('twice'),
    'upstream/charts.yaml': resource('beside'),
    'rendered/a.yaml': resource('twice'),
  });
  expect([...deployableFiles(given, ['upstream/chart']).keys()]).toEqual([
    'upstream/charts.yaml',
    'rendered/a.yaml',
  ]);
  expect(() => deployableFiles(given)).toThrow(/upstream\/chart\/templates/);
});
