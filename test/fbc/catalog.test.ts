import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { mermaidGraph } from '../../src/fbc/mermaid.ts';
import { packagesView } from '../../src/fbc/packages-view.ts';
import { readCatalog } from '../../src/fbc/read-catalog.ts';
import { resolve } from '../../src/fbc/resolve.ts';
import { validateCatalog } from '../../src/fbc/validate.ts';
import { verdictText } from '../../src/fbc/verdict-text.ts';
import { catalogJson, catalogYaml } from '../../src/fbc/write-catalog.ts';
import { documentsOf, filesOf, type TestEntry } from './catalog-text.ts';

const CHAIN: TestEntry[] = [
  { name: 'p.v1.0.0' },
  { name: 'p.v1.1.0', replaces: 'p.v1.0.0' },
  { name: 'p.v1.2.0', replaces: 'p.v1.1.0', skipRange: '>=1.0.0 <1.2.0' },
  { name: 'p.v2.0.0', replaces: 'p.v1.2.0', skips: ['p.v1.2.1'] },
];
const catalogOf = (documents: readonly object[]): ReturnType<typeof readCatalog> =>
  readCatalog(filesOf(documents));
const messages = (documents: readonly object[]): string[] =>
  validateCatalog(catalogOf(documents)).errors.map(({ message }) => message);

const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const packageText = (name: string): string => `schema: olm.package\nname: ${name}\n`;

describe('reading', () => {
  test('every file counts but those that .indexignore names, in its own directory and below', () => {
    const files = Object.entries({
      'a/package.yaml': packageText('a'),
      'a/notes.md': 'no: [catalog',
      'b/deep/package.json': '{"schema": "olm.package", "name": "b"}\n{"schema": "x.y", "name": "kept"}',
      'b/deep/skip.yaml': 'no: [catalog',
      '.indexignore': '*.md\n',
      'b/.indexignore': 'deep/skip.yaml\n',
    });
    const catalog = readCatalog(
      new Map(files.map(([path, content]) => [path, { mode: '100644', bytes: text(content) }])),
    );
    expect(catalog.packages.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(catalog.others).toMatchObject([{ schema: 'x.y', name: 'kept', place: { line: 2 } }]);
  });

  test.each([
    ['name: x', /missing root schema field/],
    ['schema: olm.package\nSchema: olm.package', /duplicate keys for key "schema": \[Schema schema\]/],
    ['schema: olm.package\nname: {}', /expected value for key "name" to be a string, got map\[\]: map\[\]/],
    [
      'schema: olm.channel\nentries: {}',
      /parse channel: json: cannot unmarshal object into Go struct field Channel.entries/,
    ],
    ['[1]', /cannot unmarshal array/],
    ['{"schema": "olm.package", "name": "x"', /c.yaml/],
    [
      'schema: olm.bundle\nproperties: [{type: olm.package, value: {version: 1}}]',
      /Package.version of type string/,
    ],
    [
      'schema: olm.bundle\nproperties: [{type: olm.bundle.object, value: {ref: ../../x}}]',
      /leads out of the catalog/,
    ],
    [`schema: x\ndeep: ${'['.repeat(2000)}`, /nested/],
    [`{"schema": "x", "deep": ${'['.repeat(2000)}`, /nested/],
  ])('%j is refused with its file', (content, why) => {
    expect(() => readCatalog(new Map([['c.yaml', { mode: '100644', bytes: text(content) }]]))).toThrow(why);
  });

  test('a file may hold more documents than one of a package, and each knows its line', () => {
    const many = Array.from({ length: 12_000 }, (_, at) => `---\nschema: x.y\nname: n${at}\n`).join('');
    const { others } = readCatalog(new Map([['c.yaml', { mode: '100644', bytes: text(many) }]]));
    expect(others).toHaveLength(12_000);
    expect(others.at(-1)).toMatchObject({ name: 'n11999', place: { line: 35_999 } });
    const broken = `${many}---\nschema: [\n`;
    const read = (): unknown => readCatalog(new Map([['c.yaml', { mode: '100644', bytes: text(broken) }]]));
    expect(read).toThrow(/^c\.yaml:3600\d: /);
  });

  test('writing what was written gives the same bytes, and keeps fields and schemas that nobody knows', () => {
    const odd = {
      schema: 'x.y',
      package: 'p',
      big: 0,
      words: ['yes', '0x1', '1.0', ' a', 'a: b', '>=1', 'two\nlines\n', "it's", ''],
    };
    const documents = [
      ...documentsOf({ stable: CHAIN }),
      odd,
      { schema: 'olm.package', name: 'q', ours: { b: 1, a: [] } },
    ];
    const yaml = catalogYaml(catalogOf(documents)).replace('big: 0', 'big: 12345678901234567890');
    const again = readCatalog(new Map([['c.yaml', { mode: '100644', bytes: text(yaml) }]]));
    expect(catalogYaml(again)).toBe(yaml);
    const fromJson = readCatalog(new Map([['c.json', { mode: '100644', bytes: text(catalogJson(again)) }]]));
    expect(catalogYaml(fromJson)).toBe(yaml);
    expect(yaml).toContain('12345678901234567890');
    expect(yaml).toContain('ours:');
    expect(again.others[0]?.fields['words']).toEqual(odd.words);
  });
});

/** A catalog with one more property of a bundle, as it is written. */
function withProperty(property: object): string {
  const documents = documentsOf({ stable: [{ name: 'p.v1.0.0' }] });
  const own = { type: 'olm.package', value: { packageName: 'p', version: '1.0.0' } };
  return catalogYaml(catalogOf([...documents.slice(0, 2), { ...documents[2], properties: [own, property] }]));
}

describe('judging', () => {
  test('an entry without a bundle is told in whichever channel it stands', () => {
    const documents = documentsOf({ alpha: [{ name: 'p.v1.0.0' }], stable: [{ name: 'p.v2.0.0' }] });
    const without = documents.filter((one) => !('image' in one && 'name' in one && one.name === 'p.v1.0.0'));
    expect(messages(without)).toEqual([
      'no olm.bundle blobs found in package "p" for olm.channel entries [p.v1.0.0]',
    ]);
  });

  test('every mistake of one kind is told, with its place', () => {
    const { errors } = validateCatalog(
      catalogOf([
        { schema: 'olm.package', name: '' },
        { schema: 'olm.package', name: 'A.b' },
      ]),
    );
    expect(errors.map(({ message }) => message.slice(0, 30))).toEqual([
      'config contains package with n',
      'invalid package name "A.b": [a',
    ]);
    expect(errors.map(({ place }) => place?.line)).toEqual([1, 2]);
  });

  test.each([
    [
      'cycle of replaces and skips',
      [
        { name: 'p.v1.0.0', skips: ['p.v1.1.0'] },
        { name: 'p.v1.1.0', skips: ['p.v1.0.0'] },
        { name: 'p.v2.0.0', skips: ['p.v1.0.0', 'p.v1.1.0'] },
      ],
    ],
    ['replaces the higher version', [{ name: 'p.v2.0.0' }, { name: 'p.v1.0.0', replaces: 'p.v2.0.0' }]],
    [
      'skips "p.v1.0.0" more than once',
      [{ name: 'p.v1.0.0' }, { name: 'p.v2.0.0', skips: ['p.v1.0.0', 'p.v1.0.0'] }],
    ],
  ])('warns of a %s, which opm passes by', (words, entries) => {
    const { errors, warnings } = validateCatalog(catalogOf(documentsOf({ stable: entries })));
    expect(errors).toEqual([]);
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
  });

  test.each([
    [
      'no channel head found in graph',
      [
        { name: 'p.v1.0.0', replaces: 'p.v1.1.0' },
        { name: 'p.v1.1.0', replaces: 'p.v1.0.0' },
      ],
    ],
    [
      'detected cycle in replaces chain of upgrade graph: p.v1.1.0 -> p.v1.0.0 -> p.v1.1.0',
      [
        { name: 'p.v2.0.0', replaces: 'p.v1.1.0' },
        { name: 'p.v1.1.0', replaces: 'p.v1.0.0' },
        { name: 'p.v1.0.0', replaces: 'p.v1.1.0' },
      ],
    ],
    [
      'channel contains one or more stranded bundles: p.v1.0.0',
      [
        { name: 'p.v1.0.0' },
        { name: 'p.v1.1.0', replaces: 'p.v1.0.0' },
        { name: 'p.v2.0.0', replaces: 'p.v1.1.0', skips: ['p.v1.1.0'] },
      ],
    ],
  ])('%s', (message, entries) => expect(messages(documentsOf({ stable: entries }))).toEqual([message]));

  test('a property may have the value null, and not none', () => {
    expect(withProperty({ type: 'x', value: null })).toContain('- type: x\n  value: null\n');
    expect(() => withProperty({ type: 'x' })).toThrow('unexpected end of JSON input');
  });

  test('prints the tree that opm prints', () => {
    const { errors } = validateCatalog(
      catalogOf(
        documentsOf({
          stable: [
            { name: 'p.v1.0.0', skips: [''] },
            { name: 'p.v2.0.0', skipRange: '^1' },
          ],
        }),
      ),
    );
    expect(verdictText(errors)).toBe(`invalid index:
└── invalid package "p":
    └── invalid channel "stable":
        ├── multiple channel heads found in graph: p.v1.0.0, p.v2.0.0
        ├── invalid bundle "p.v1.0.0":
        │   └── skip[0] is empty
        └── invalid bundle "p.v2.0.0":
            └── invalid skipRange "^1": Could not parse Range "^1": Could not parse comparator "^" in "^1"`);
  });
});

test('verdict, graph and text are those of the set: no order of documents, entries and files changes them', () => {
  const documents = documentsOf({ stable: CHAIN, fast: CHAIN.slice(2) });
  const wanted = catalogOf(documents);
  const view = packagesView(validateCatalog(wanted).packages);
  expect(Object.keys(view)).toEqual(['p']);
  const [drawn, yaml] = [mermaidGraph(wanted), catalogYaml(wanted)];
  fc.assert(
    fc.property(
      fc.shuffledSubarray(documents, { minLength: documents.length }),
      fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
      fc.integer({ min: 0, max: documents.length }),
      (shuffled, order, cut) => {
        const files = new Map([
          ...filesOf(shuffled.slice(cut), 'z.json'),
          ...filesOf(shuffled.slice(0, cut), 'a/b.json'),
        ]);
        const catalog = readCatalog(files);
        expect(catalogYaml(catalog)).toBe(yaml);
        const reordered = {
          ...catalog,
          channels: catalog.channels.map((channel) => ({
            ...channel,
            entries: order.flatMap((at) => channel.entries[at] ?? []),
          })),
        };
        expect(packagesView(validateCatalog(reordered).packages)).toEqual(view);
        expect(mermaidGraph(reordered)).toBe(drawn);
        // A part of the documents has the same mistakes in any order.
        const [half, turned] = [shuffled.slice(cut), shuffled.slice(cut).reverse()];
        expect(messages(turned)).toEqual(messages(half));
      },
    ),
    { numRuns: 60 },
  );
});

test('names that would end a node or a label of Mermaid are harmless', () => {
  const evil = 'x"]; click x href "https://x.test"\n%%{init: {}}%%';
  const entries = [{ name: 'p.v1.0.0', skips: [evil], skipRange: '<1.0.0" --> b' }];
  const drawn = mermaidGraph(catalogOf(documentsOf({ [evil]: entries })));
  expect(drawn).not.toMatch(/^.*href "http/m);
  expect(
    drawn
      .split('\n')
      .filter((line) => line.includes('init'))
      .every((line) => !line.includes('{')),
  ).toBe(true);
});

describe('resolving', () => {
  const catalog = catalogOf(
    documentsOf({ stable: CHAIN, fast: [{ name: 'p.v3.0.0', replaces: 'p.v2.0.0' }] }),
  );
  const ask = (request: object): unknown => resolve(catalog, { package: 'p', ...request });

  test.each([
    [{}, { resolved: 'p.v3.0.0' }],
    [{ channels: ['stable'], installed: 'p.v1.0.0' }, { resolved: 'p.v1.2.0' }],
    [
      { channels: ['stable'], version: '2.x', installed: 'p.v1.0.0' },
      { code: 'Unreachable', path: ['p.v1.0.0', 'p.v1.2.0', 'p.v2.0.0'] },
    ],
    [
      { channels: ['stable'], version: '2.x', installed: 'p.v1.0.0', policy: 'SelfCertified' },
      { resolved: 'p.v2.0.0' },
    ],
    [
      { version: '<1.1', installed: 'p.v1.1.0' },
      { code: 'Unreachable', nearest: 'p.v3.0.0' },
    ],
    [{ version: '9.x' }, { code: 'NoVersion' }],
    [{ channels: ['beta'] }, { code: 'UnknownChannel', detail: expect.stringContaining('"fast", "stable"') }],
    [{ version: 'newest' }, { code: 'InvalidRange' }],
    [{ package: 'q' }, { code: 'UnknownPackage' }],
    [{ installed: 'other' }, { code: 'UnknownInstalled' }],
    [{ installed: 'other', installedVersion: '1.1.5', channels: ['stable'] }, { resolved: 'p.v1.2.0' }],
    [{ installed: 'p.v1.0.5', channels: ['stable'] }, { resolved: 'p.v1.2.0' }],
  ])('%j', (request, outcome) => expect(ask(request)).toMatchObject(outcome));
});
