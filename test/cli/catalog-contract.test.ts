/** What others may rely on: a line of the command line each, as a process, with its exit code and its one JSON document. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { documentsOf } from '../fbc/catalog-text.ts';
import { portico, scratch, type Outcome, type Scratch } from './run-portico.ts';

const CHAIN = [
  { name: 'p.v1.0.0' },
  { name: 'p.v1.1.0', replaces: 'p.v1.0.0' },
  { name: 'p.v2.0.0', replaces: 'p.v1.1.0', skips: ['p.v1.0.5'], skipRange: '>=1.1.0 <2.0.0' },
];
const lines = (documents: readonly object[]): string =>
  documents.map((one) => JSON.stringify(one)).join('\n');

const bundle = (version: string): string => `schema: olm.bundle
name: q.v${version}
package: q
image: example.com/q:v${version}
properties:
- {type: olm.package, value: {packageName: q, version: ${version}}}
`;

const definition = (type: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: ${type}}}}}}
`;

let dir: Scratch;

beforeAll(() => {
  dir = scratch();
  dir.write({
    'good/catalog.json': lines(documentsOf({ stable: CHAIN })),
    'bad/p/catalog.json': lines(documentsOf({ stable: [{ name: 'p.v1.0.0' }, { name: 'p.v2.0.0' }] })),
    'next/catalog.json': lines(
      documentsOf({ stable: [...CHAIN.slice(1), { name: 'p.v2.1.0', replaces: 'p.v2.0.0' }] }),
    ),
    'template.yaml':
      'schema: olm.semver\ngenerateMajorChannels: true\nstable: {bundles: [{image: "example.com/q:v1.0.0"}, {image: "example.com/q:v1.1.0"}]}\n',
    'bundles/example.com_q_v1.0.0.yaml': bundle('1.0.0'),
    'bundles/example.com_q_v1.1.0.yaml': bundle('1.1.0'),
    'old.yaml': definition('string'),
    'new.yaml': definition('integer'),
    'bundle/metadata/annotations.yaml': 'annotations: {}\n',
  });
});

afterAll(() => dir[Symbol.dispose]());

const run = (...args: string[]): Promise<Outcome> => portico(args, { cwd: dir.path('.') });

async function json(...args: string[]): Promise<[number | null, unknown]> {
  const { code, stdout } = await run(...args, '--json');
  return [code, JSON.parse(stdout)];
}

test('catalog validate DIR: {passed, errors: [{message, at, file, line}], packages}', async () => {
  const [good, bad] = await Promise.all([
    json('catalog', 'validate', 'good'),
    json('catalog', 'validate', 'bad'),
  ]);
  expect(good).toEqual([
    0,
    {
      passed: true,
      errors: [],
      warnings: [],
      packages: {
        p: {
          defaultChannel: 'stable',
          channels: {
            stable: {
              head: 'p.v2.0.0',
              entries: ['p.v1.0.0', 'p.v1.1.0', 'p.v2.0.0'],
              edges: [
                'p.v1.0.0 -> p.v1.1.0 (replaces)',
                'p.v1.0.5 -> p.v2.0.0 (skips)',
                'p.v1.1.0 -> p.v2.0.0 (replaces)',
                'p.v1.1.0 -> p.v2.0.0 (skipRange)',
              ],
            },
          },
        },
      },
    },
  ]);
  expect(bad).toEqual([
    1,
    {
      passed: false,
      errors: [
        {
          message: 'multiple channel heads found in graph: p.v1.0.0, p.v2.0.0',
          at: ['invalid index', 'invalid package "p"', 'invalid channel "stable"'],
          file: 'p/catalog.json',
          line: 2,
        },
      ],
      warnings: [],
      packages: {},
    },
  ]);
});

test('catalog render DIR [-o yaml|json]: the same documents, the same bytes', async () => {
  const [yaml, text] = await Promise.all([
    run('catalog', 'render', 'good'),
    run('catalog', 'render', 'good', '-o', 'json'),
  ]);
  expect([yaml.code, text.code]).toEqual([0, 0]);
  expect(yaml.stdout).toMatch(/^---\ndefaultChannel: stable\nname: p\nschema: olm.package\n---\nentries:\n/);
  dir.write({ 'again/a.json': text.stdout });
  expect((await run('catalog', 'render', 'again')).stdout).toBe(yaml.stdout);
});

test('catalog list packages|channels|bundles DIR: {columns, rows}', async () => {
  const found = await Promise.all(
    ['packages', 'channels', 'bundles'].map((subject) => json('catalog', 'list', subject, 'good')),
  );
  expect(found).toEqual([
    [0, { columns: ['name', 'displayName', 'defaultChannel'], rows: [['p', '', 'stable']] }],
    [0, { columns: ['package', 'channel', 'head'], rows: [['p', 'stable', 'p.v2.0.0']] }],
    [
      0,
      {
        columns: ['package', 'channel', 'bundle', 'replaces', 'skips', 'skipRange', 'image'],
        rows: [
          ['p', 'stable', 'p.v1.0.0', '', '', '', 'example.com/p:p.v1.0.0'],
          ['p', 'stable', 'p.v1.1.0', 'p.v1.0.0', '', '', 'example.com/p:p.v1.1.0'],
          ['p', 'stable', 'p.v2.0.0', 'p.v1.1.0', 'p.v1.0.5', '>=1.1.0 <2.0.0', 'example.com/p:p.v2.0.0'],
        ],
      },
    ],
  ]);
});

test('catalog graph DIR [--package P] [--minimum-edge B] [--v0]: Mermaid', async () => {
  const [all, above] = await Promise.all([
    run('catalog', 'graph', 'good', '--package', 'p', '--v0'),
    run('catalog', 'graph', 'good', '--minimum-edge', 'p.v1.1.0'),
  ]);
  expect([all.code, all.stdout.split('\n')[0], all.stdout.includes('p.v1.0.0')]).toEqual([
    0,
    'graph LR',
    true,
  ]);
  expect([above.code, above.stdout.includes('p.v1.0.0')]).toEqual([0, false]);
});

test('catalog template FILE [--bundles DIR]: a catalog', async () => {
  const { code, stdout } = await run('catalog', 'template', 'template.yaml', '--bundles', 'bundles');
  expect(code).toBe(0);
  dir.write({ 'made/catalog.yaml': stdout });
  expect(await json('catalog', 'list', 'channels', 'made')).toMatchObject([
    0,
    { rows: [['q', 'stable-v1', 'q.v1.1.0']] },
  ]);
});

const resolve = (...args: string[]): Promise<[number | null, unknown]> =>
  json('catalog', 'resolve', 'good', '--package', 'p', ...args);

test('catalog resolve: {resolved}, or why there is nothing', async () => {
  const found = await Promise.all([
    resolve('--channel', 'stable', '--version', '1.x'),
    resolve('--installed', 'p.v1.0.0', '--version', '>=2.0.0'),
    resolve('--installed', 'p.v2.0.0', '--version', '<2.0.0', '--policy', 'SelfCertified'),
    resolve('--channel', 'nope'),
  ]);
  expect(found).toMatchObject([
    [0, { resolved: 'p.v1.1.0' }],
    [1, { resolved: null, code: 'Unreachable', reason: expect.any(String) }],
    [0, { resolved: 'p.v1.1.0' }],
    [1, { resolved: null, code: 'UnknownChannel', reason: expect.any(String) }],
  ]);
});

test('catalog diff OLD NEW: {changes, upgrades}, and whether what is installed is left behind', async () => {
  const installed = ['p.v2.0.0', 'p.v1.0.0', 'p.v0.1.0'].flatMap((name) => ['--installed', name]);
  const [same, changed, kept, left] = await Promise.all([
    json('catalog', 'diff', 'good', 'good'),
    run('catalog', 'diff', 'good', 'next'),
    json('catalog', 'diff', 'good', 'next', '--installed', 'p.v2.0.0'),
    json('catalog', 'diff', 'good', 'next', ...installed),
  ]);
  expect(same).toEqual([0, { changes: [], upgrades: [] }]);
  expect(changed.stdout).toMatch(/removed +entry +p +stable +p\.v1\.0\.0/);
  expect(kept).toMatchObject([
    0,
    {
      changes: expect.arrayContaining([
        expect.objectContaining({ change: 'changed', what: 'head', after: ['p.v2.1.0'] }),
      ]),
      upgrades: [{ installed: 'p.v2.0.0', before: 'p.v2.0.0', after: 'p.v2.1.0' }],
    },
  ]);
  expect(left).toMatchObject([
    1,
    {
      upgrades: [
        { after: 'p.v2.1.0' },
        { before: 'p.v1.1.0', after: 'p.v1.1.0' },
        { after: null, why: 'neither catalog has this bundle' },
      ],
    },
  ]);
});

test('bundle validate DIR: {passed, errors}; crd-safety OLD NEW: {errors}', async () => {
  const [judged, unsafe, same] = await Promise.all([
    json('bundle', 'validate', 'bundle'),
    json('crd-safety', 'old.yaml', 'new.yaml'),
    json('crd-safety', 'old.yaml', 'old.yaml'),
  ]);
  expect(judged).toMatchObject([1, { passed: false, errors: [{ message: expect.any(String) }] }]);
  expect(unsafe).toMatchObject([1, { errors: [expect.stringContaining('things.example.com')] }]);
  expect(same).toMatchObject([0, { errors: [] }]);
});
