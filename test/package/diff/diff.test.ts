import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { PackageDiff } from '../../../src/package/diff/diff-types.ts';
import { diffPackages } from '../../../src/package/diff/diff.ts';
import { configMap, packageOf, unreadable } from './package-of.ts';

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 3
  template:
    spec:
      containers:
        - name: web
          image: web:1
          args: [a, b]
        - name: proxy
          image: proxy:1
`;

/** The fields of the only resource that changed, as `change path: before -> after`. */
function fields(a: string, b: string): string[] {
  const { resources } = diffPackages(packageOf({ 'a.yaml': a }), packageOf({ 'a.yaml': b }));
  expect(resources).toHaveLength(1);
  return resources[0]!.fields.map(
    ({ change, path, before, after }) =>
      `${change} ${path}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
  );
}

function kptfile(tag: string): string {
  return `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: x\npipeline:\n  mutators:\n  - image: example.com:5000/set:${tag}\n`;
}

describe('fields', () => {
  test.each<[string, string, string, string[]]>([
    ['a scalar', 'replicas: 3', 'replicas: 5', ['changed spec.replicas: 3 -> 5']],
    ['a number that becomes text', 'replicas: 3', 'replicas: "3"', ['changed spec.replicas: 3 -> "3"']],
    [
      'an item found by its name',
      'image: proxy:1',
      'image: proxy:2',
      ['changed spec.template.spec.containers[name=proxy].image: "proxy:1" -> "proxy:2"'],
    ],
    [
      'a plain list, one more',
      'args: [a, b]',
      'args: [a, x, b]',
      ['added spec.template.spec.containers[name=web].args[1]: undefined -> "x"'],
    ],
    [
      'a plain list, one changed',
      'args: [a, b]',
      'args: [a, c]',
      ['changed spec.template.spec.containers[name=web].args[1]: "b" -> "c"'],
    ],
    [
      'a plain list in another order',
      'args: [a, b]',
      'args: [b, a]',
      ['moved spec.template.spec.containers[name=web].args: ["a","b"] -> ["b","a"]'],
    ],
    ['an absent field', '  replicas: 3\n', '', ['removed spec.replicas: 3 -> undefined']],
  ])('%s', (_, from, to, wanted) => {
    expect(fields(DEPLOYMENT, DEPLOYMENT.replace(from, to))).toEqual(wanted);
  });

  test('a key with dots stands in brackets', () => {
    const labelled = DEPLOYMENT.replace(
      '  namespace',
      '  labels: { app.kubernetes.io/name: web }\n  namespace',
    );
    expect(fields(labelled, labelled.replace('name: web }', 'name: shop }'))).toEqual([
      'changed metadata.labels["app.kubernetes.io/name"]: "web" -> "shop"',
    ]);
  });

  test('containers in another order are told, and are not removed and added', () => {
    const [web, proxy] = DEPLOYMENT.split('containers:\n')[1]!.split(/(?= {8}- name: proxy)/);
    expect(fields(DEPLOYMENT, DEPLOYMENT.split(web!)[0]! + proxy! + web!)).toEqual([
      'moved spec.template.spec.containers: ["web","proxy"] -> ["proxy","web"]',
    ]);
  });

  test('a pipeline function with a newer image is the same function', () => {
    const { resources } = diffPackages(
      packageOf({ Kptfile: kptfile('v1') }),
      packageOf({ Kptfile: kptfile('v2') }),
    );
    expect(resources[0]?.fields.map(({ path }) => path)).toEqual([
      'pipeline.mutators[image=example.com:5000/set].image',
    ]);
  });

  test('lines point into the newer file, for what was removed into the older one', () => {
    const newer = `# one\n# two\n${DEPLOYMENT.replace('replicas: 3', 'paused: true').replace('web:1', 'web:2')}`;
    const { resources } = diffPackages(packageOf({ 'a.yaml': DEPLOYMENT }), packageOf({ 'a.yaml': newer }));
    expect(resources[0]).toMatchObject({ line: 3, comments: true });
    expect(resources[0]?.fields.map(({ path, line }) => [path, line])).toEqual([
      ['spec.paused', 9],
      ['spec.template.spec.containers[name=web].image', 14],
      ['spec.replicas', 7],
    ]);
  });

  test('integers past 2^53, which kustomize rounds, are compared by lines', () => {
    const { resources, files } = diffPackages(
      packageOf({ 'a.yaml': configMap('x', 'm: 9007199254740993') }),
      packageOf({ 'a.yaml': configMap('x', 'm: 9007199254740992') }),
    );
    expect(resources).toEqual([]);
    expect(files).toMatchObject([{ file: 'a.yaml', change: 'changed' }]);
  });
});

/** `change kind/name file` of every resource. */
function changes(a: Record<string, string>, b: Record<string, string>): string[] {
  return diffPackages(packageOf(a), packageOf(b)).resources.map(
    ({ change, resource, file, from }) =>
      `${change} ${resource.name} ${from === undefined ? '' : `${from} > `}${file}`,
  );
}

function configMaps(names: readonly string[]): Record<string, string> {
  return { 'a.yaml': names.map((name) => configMap(name)).join('---\n') };
}

describe('resources', () => {
  const two = `${configMap('one')}---\n${configMap('two')}`;

  test.each<[string, Record<string, string>, Record<string, string>, string[]]>([
    ['added', { 'a.yaml': configMap('one') }, { 'a.yaml': two }, ['added two a.yaml']],
    ['removed', { 'a.yaml': two }, { 'a.yaml': configMap('two') }, ['removed one a.yaml']],
    ['removed with its file', { 'a.yaml': two }, {}, ['removed one a.yaml', 'removed two a.yaml']],
    [
      'moved',
      { 'a.yaml': two },
      { 'a.yaml': configMap('one'), 'b.yaml': configMap('two') },
      ['moved two a.yaml > b.yaml'],
    ],
    [
      'moved and changed',
      { 'a.yaml': configMap('one') },
      { 'b.yaml': configMap('one', 'a: "2"') },
      ['changed one a.yaml > b.yaml'],
    ],
    [
      'comments',
      { 'a.yaml': configMap('one') },
      { 'a.yaml': configMap('one', 'a: "1" # why') },
      ['comments one a.yaml'],
    ],
    [
      'key order',
      { 'a.yaml': configMap('one', 'a: "1"\n  b: "2"') },
      { 'a.yaml': configMap('one', 'b: "2"\n  a: "1"') },
      ['order one a.yaml'],
    ],
    [
      'document order',
      { 'a.yaml': two },
      { 'a.yaml': `${configMap('two')}---\n${configMap('one')}` },
      ['order one a.yaml'],
    ],
    [
      'format',
      { 'a.yaml': configMap('one') },
      { 'a.yaml': configMap('one', "a: '1'") },
      ['format one a.yaml'],
    ],
    [
      'a comment in a block scalar is content',
      { 'a.yaml': configMap('one', 'a: |\n    # x') },
      { 'a.yaml': configMap('one', 'a: |\n    # y') },
      ['changed one a.yaml'],
    ],
    [
      'a newer version of the same group is the same resource',
      { 'a.yaml': DEPLOYMENT },
      { 'a.yaml': DEPLOYMENT.replace('apps/v1', 'apps/v2') },
      ['changed web a.yaml'],
    ],
    [
      'resources with one identity stay in their files',
      { 'a.yaml': configMap('one'), 'b.yaml': configMap('one', 'b: "1"') },
      { 'a.yaml': configMap('one', 'a: "2"'), 'b.yaml': configMap('one', 'b: "2"') },
      ['changed one a.yaml', 'changed one b.yaml'],
    ],
    [
      'a package with another name is the same package',
      { Kptfile: 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: a\n' },
      { Kptfile: 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: b\n' },
      ['changed b Kptfile'],
    ],
  ])('%s', (_, a, b, wanted) => expect(changes(a, b)).toEqual(wanted));

  test('two thousand swapped documents are compared in their places', () => {
    const names = Array.from({ length: 2_000 }, (_, at) => `c${at}`);
    expect(changes(configMaps(names), configMaps([...names.slice(1), names[0]!]))).toEqual([
      'order c0 a.yaml',
    ]);
  });
});

describe('other files', () => {
  test('text is compared by lines, with a missing last line feed', () => {
    const { files } = diffPackages(
      packageOf({ 'README.md': 'a\nb\nc\n' }),
      packageOf({ 'README.md': 'a\nB\nc' }),
    );
    expect(files).toMatchObject([
      {
        file: 'README.md',
        change: 'changed',
        added: 2,
        removed: 2,
        hunks: [{ before: { at: 2, lines: ['b\n', 'c\n'] }, after: { at: 2, lines: ['B\n', 'c'] } }],
      },
    ]);
  });

  test.each<[string, Record<string, string>, Record<string, string>, object]>([
    ['no text', { x: 'a\0b' }, { x: 'a\0c' }, { change: 'changed', opaque: true, hunks: [] }],
    ['a mode', { x: 'a' }, { 'x*': 'a' }, { change: 'mode', mode: { before: '100644', after: '100755' } }],
    [
      'a moved file',
      { 'x.txt': 'a' },
      { 'y.txt': 'a' },
      { change: 'moved', from: 'x.txt', file: 'y.txt', hunks: [] },
    ],
    [
      'values that are no resource',
      { 'v.yaml': 'a: 1\n' },
      { 'v.yaml': 'a: 2\n' },
      { change: 'changed', added: 1 },
    ],
    ['an empty file', {}, { 'e.yaml': '' }, { change: 'added', added: 0 }],
    ['a file of comments', {}, { 'c.yaml': '# a\n' }, { change: 'added', added: 1 }],
  ])('%s', (_, a, b, wanted) => {
    const diff = diffPackages(packageOf(a), packageOf(b));
    expect(diff.resources).toEqual([]);
    expect(diff.files).toHaveLength(1);
    expect(diff.files[0]).toMatchObject(wanted);
  });

  test('YAML that cannot be read says why', () => {
    const { files } = diffPackages(
      packageOf({ 'a.yaml': configMap('x') }),
      packageOf({ 'a.yaml': 'a: [\n' }),
    );
    expect(files[0]?.reason).toMatch(/^Line \d+: /);
  });

  test('a change outside of the resources is not lost', () => {
    const { files, resources } = diffPackages(
      packageOf({ 'a.yaml': configMap('x') }),
      packageOf({ 'a.yaml': `${configMap('x')}\n\n` }),
    );
    expect([resources, files.map(({ change }) => change)]).toEqual([[], ['changed']]);
  });
});

const MIRRORED: Readonly<Record<string, string>> = { added: 'removed', removed: 'added' };

/** Kind and path of every changed field, positions in lists apart, sorted. */
function changedFields(diff: PackageDiff, names: Readonly<Record<string, string>>): string[] {
  return diff.resources
    .flatMap(({ fields }) => fields)
    .map(({ path, change }) => `${names[change] ?? change} ${path.replaceAll(/\[\d+\]/g, '[]')}`)
    .sort();
}

describe('laws', () => {
  test('files with equal ids are never read', () => {
    const a = new Map([['a.yaml', unreadable('1')], ...packageOf({ 'b.yaml': configMap('b') })]);
    const b = new Map([['a.yaml', unreadable('1')], ...packageOf({ 'b.yaml': configMap('c') })]);
    expect(diffPackages(a, b).counts).toMatchObject({ added: 1, removed: 1 });
  });

  const scalar = fc.oneof(
    fc.constantFrom('1', '"1"', 'yes', 'null', '~', '0x10', "'a b'", '[]', '{}'),
    fc.integer().map(String),
  );
  const resource = fc
    .tuple(
      fc.constantFrom('a', 'b', 'c', 'd'),
      fc.uniqueArray(fc.tuple(fc.constantFrom('k', 'l', 'm', '__proto__', '"7"'), scalar), {
        selector: ([key]) => key,
        minLength: 1,
      }),
    )
    .map(([name, data]) => configMap(name, data.map(([key, value]) => `${key}: ${value}`).join('\n  ')));
  const files = fc
    .dictionary(
      fc.constantFrom('a.yaml', 'b.yaml', 'x/c.yaml', 'n.txt'),
      fc.array(resource, { maxLength: 3 }).map((all) => all.join('---\n')),
    )
    .map(packageOf);

  test('a package does not differ from itself', () => {
    fc.assert(fc.property(files, (a) => diffPackages(a, new Map(a)).same));
  });

  test('what differs is told, both ways alike, and nothing is made up', () => {
    fc.assert(
      fc.property(files, files, (a, b) => {
        const [there, back] = [diffPackages(a, b), diffPackages(b, a)];
        expect(there.same).toBe(there.resources.length + there.files.length === 0);
        expect([there.counts.added, there.counts.removed]).toEqual([back.counts.removed, back.counts.added]);
        expect(changedFields(back, MIRRORED)).toEqual(changedFields(there, {}));
      }),
      { numRuns: 500 },
    );
  });

  test('any bytes in a YAML file are compared somehow', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ maxLength: 200 }), (a, b) => {
        const diff = diffPackages(
          new Map([['a.yaml', { mode: '100644', bytes: a }]]),
          new Map([['a.yaml', { mode: '100644', bytes: b }]]),
        );
        expect(diff.same).toBe(Buffer.compare(a, b) === 0);
      }),
      { numRuns: 2_000 },
    );
  });
});
