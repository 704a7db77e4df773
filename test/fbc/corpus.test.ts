/**
 * Golden cases of operator tools, where they lie beside the checkout (`../shared/corpus/catalog`). Each runs through the
 * command line's own verbs. docs/catalog-differences.md says which are meant to differ.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { jsonOf, runVerb } from './run-verb.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/catalog');

interface Case {
  readonly id: string;
  readonly family: string;
  readonly directory: string;
  readonly options: Partial<Options>;
  readonly expected: Partial<Expected>;
}

interface Options {
  readonly minimumEdge: string;
  readonly package: string;
  readonly drawV0Semantics: boolean;
  readonly channels: readonly string[];
  readonly version: string;
  readonly upgradeConstraintPolicy: string;
  readonly installed: string;
}

interface Expected {
  readonly outcome: 'valid' | 'error';
  readonly error_leaves: readonly string[];
  readonly error_text: string;
  readonly packages: Record<string, unknown>;
  readonly counts: { readonly packages: number; readonly bundles: number; readonly deprecations: number };
  readonly files: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly columns: readonly string[];
  readonly resolved: string;
  readonly successors: readonly string[];
}

/** Cases that differ on purpose. */
const DIFFERENT = new Set<string>([]);

const cases = existsSync(CORPUS)
  ? readdirSync(CORPUS).map((name): Case => {
      const directory = join(CORPUS, name);
      const {
        id,
        family,
        options = {},
        expected,
      } = parse(readFileSync(join(directory, 'case.yaml'), 'utf8'));
      return { id, family, directory, options, expected };
    })
  : [];
if (cases.length === 0) {
  process.stderr.write(`SKIPPED: the catalog corpus is not at ${CORPUS}; no golden case is checked.\n`);
}

const input = (one: Case): string => join(one.directory, 'input');
const file = (one: Case, path: string): string => readFileSync(join(one.directory, path), 'utf8');
const sorted = (list: readonly unknown[]): unknown[] => list.map((item) => JSON.stringify(item)).sort();
const documents = (text: string): unknown[] => parseAllDocuments(text).map((document) => document.toJS());

async function validates(one: Case): Promise<void> {
  const { document, exit } = await jsonOf('catalog', 'validate', input(one));
  const { outcome, error_leaves: leaves, packages } = one.expected;
  const messages = document.errors.map(({ message }) => message);
  expect({ passed: document.passed, exit, messages }).toMatchObject({
    passed: outcome === 'valid',
    exit: outcome === 'valid' ? 0 : 1,
  });
  if (leaves !== undefined) expect(sorted([...new Set(messages)])).toEqual(sorted([...new Set(leaves)]));
  if (packages !== undefined) expect(inOrder(document.packages)).toEqual(inOrder(packages));
}

async function loads(one: Case): Promise<void> {
  const ran = await runVerb('catalog', 'render', input(one));
  expect({ exit: ran.exit, stderr: ran.stderr }).toMatchObject({
    exit: one.expected.outcome === 'valid' ? 0 : 65,
  });
  const { counts, files } = one.expected;
  if (counts !== undefined) {
    const schemas = documents(ran.stdout).map((document) => (document as { schema: string }).schema);
    expect(schemas.filter((schema) => schema === 'olm.package')).toHaveLength(counts.packages);
    expect(schemas.filter((schema) => schema === 'olm.bundle')).toHaveLength(counts.bundles);
    expect(schemas.filter((schema) => schema === 'olm.deprecations')).toHaveLength(counts.deprecations);
  }
  for (const path of files ?? []) expect(documents(ran.stdout)).toEqual(documents(file(one, path)));
}

async function lists(one: Case): Promise<void> {
  const subject = one.id.replace('list-index--', '');
  const { document } = await jsonOf('catalog', 'list', subject, input(one));
  expect(document.rows).toEqual(one.expected.rows);
  if (one.expected.columns !== undefined) expect(document.columns).toEqual(one.expected.columns);
}

async function draws(one: Case): Promise<void> {
  const { minimumEdge = '', package: of = '', drawV0Semantics } = one.options;
  const ran = await runVerb(
    'catalog',
    'graph',
    input(one),
    ...(minimumEdge === '' ? [] : ['--minimum-edge', minimumEdge]),
    ...(of === '' ? [] : ['--package', of]),
    ...(drawV0Semantics === true ? ['--v0'] : []),
  );
  const wanted = one.expected.files?.find((path) => !path.includes('upstream')) ?? '';
  expect(ran.stdout).toBe(file(one, wanted));
}

async function rendersBundle(one: Case): Promise<void> {
  const ran = await runVerb('catalog', 'render', input(one));
  const [bundle] = documents(ran.stdout) as [{ properties: { type: string }[] }];
  const [wanted] = documents(file(one, 'expected/bundle.yaml')) as [{ properties: unknown[] }];
  const properties = bundle.properties.filter(
    ({ type }) => !['olm.bundle.object', 'olm.csv.metadata'].includes(type),
  );
  expect({ ...bundle, properties: sorted(properties) }).toEqual({
    ...wanted,
    properties: sorted(wanted.properties),
  });
}

function resolveArguments({ options }: Case, of: string): string[] {
  return [
    '--package',
    of,
    ...(options.channels ?? []).flatMap((channel) => ['--channel', channel]),
    ...(options.version ? [`--version=${options.version}`] : []),
    ...(options.upgradeConstraintPolicy ? ['--policy', options.upgradeConstraintPolicy] : []),
    ...(options.installed ? ['--installed', options.installed] : []),
  ];
}

async function resolves(one: Case): Promise<void> {
  const ran = await jsonOf('catalog', 'resolve', input(one), ...resolveArguments(one, 'pkg'));
  const { resolved = null, error_text: reason } = one.expected;
  expect({ exit: ran.exit, resolved: ran.document.resolved, reason: ran.document.reason }).toEqual({
    exit: resolved === null ? 1 : 0,
    resolved,
    reason,
  });
}

async function succeeds(one: Case): Promise<void> {
  let directory = input(one);
  let of = 'test-package';
  if (existsSync(join(directory, 'channel.yaml'))) {
    // The case has the entries of a channel alone.
    of = 'package1';
    const { entries } = parse(file(one, 'input/channel.yaml')) as { entries: { name: string }[] };
    const bundle = ({ name }: { name: string }): object => ({
      schema: 'olm.bundle',
      name,
      package: of,
      properties: [{ type: 'olm.package', value: { packageName: of, version: name.split('.v')[1] } }],
    });
    const channel = { schema: 'olm.channel', name: 'stable', package: of, entries };
    directory = mkdtempSync(join(tmpdir(), 'portico-successors-'));
    const all = [channel, ...entries.map(bundle)].map((document) => JSON.stringify(document));
    writeFileSync(join(directory, 'catalog.json'), all.join('\n'));
  }
  const ran = await jsonOf('catalog', 'successors', directory, ...resolveArguments(one, of));
  expect(sorted(ran.document.successors)).toEqual(sorted(one.expected.successors ?? []));
}

async function rendersTemplate(one: Case): Promise<void> {
  const template =
    ['template.yaml', 'template.json'].map((name) => join(input(one), name)).find(existsSync) ?? '';
  const bundles = join(input(one), 'bundles');
  const ran = await runVerb(
    'catalog',
    'template',
    template,
    ...(existsSync(bundles) ? ['--bundles', bundles] : []),
  );
  const { outcome, error_leaves: leaves, packages } = one.expected;
  expect({ exit: ran.exit, stderr: ran.stderr }).toMatchObject({ exit: outcome === 'valid' ? 0 : 65 });
  for (const leaf of leaves ?? []) expect(ran.stderr).toContain(leaf);
  if (packages === undefined) return;
  const made = documents(ran.stdout) as { schema: string }[];
  const wanted = documents(file(one, 'expected/channels.yaml')) as { schema: string }[];
  const schemas = new Set(wanted.map(({ schema }) => schema));
  expect(made.filter(({ schema }) => schemas.has(schema))).toEqual(wanted);
  const directory = mkdtempSync(join(tmpdir(), 'portico-template-'));
  writeFileSync(join(directory, 'catalog.yaml'), ran.stdout);
  const { document } = await jsonOf('catalog', 'validate', directory);
  expect(document.errors).toEqual([]);
  expect(inOrder(document.packages)).toEqual(inOrder(packages));
}

/** Edges are compared as sets: cases list them in more than one order. */
function inOrder(packages: Record<string, unknown>): unknown {
  return JSON.parse(JSON.stringify(packages), (key, value: unknown) =>
    key === 'edges' && Array.isArray(value) ? sorted(value) : value,
  );
}

/** Quirks are refused, but for the two rows that the case calls right. */
const RIGHT_QUIRKS = ['>=1.0.0-next.1', '>\t1.0.0'];

async function ranges(one: Case): Promise<void> {
  const { versions } = JSON.parse(file(one, 'input/ranges.json')) as { versions: string[] };
  const rows = JSON.parse(file(one, 'expected/matches.json')) as {
    range: string;
    matches: string[];
    error?: string;
  }[];
  for (const { range, matches, error } of rows) {
    const { document } = await jsonOf('catalog', 'range', range, ...versions);
    const isQuirk = one.id.endsWith('quirks') && !RIGHT_QUIRKS.includes(range);
    const valid = error === undefined && !isQuirk;
    expect({ range, ...document }).toMatchObject({ range, valid, matches: valid ? matches : [] });
  }
}

const RUN: Record<string, (one: Case) => Promise<void>> = {
  'fbc-validate': validates,
  'fbc-graph': validates,
  'fbc-graph-authored': validates,
  'fbc-load': loads,
  'fbc-write': loads,
  'list-index': lists,
  mermaid: draws,
  'render-bundle': rendersBundle,
  resolve: resolves,
  successors: succeeds,
  'template-semver': rendersTemplate,
  'template-substitutes': rendersTemplate,
  versions: ranges,
};

const known = cases.filter(({ family }) => RUN[family] !== undefined);

test.skipIf(known.length === 0).each(known.map((one): [string, Case] => [one.id, one]))(
  '%s',
  async (id, one) => {
    const run = RUN[one.family]!;
    if (DIFFERENT.has(id)) await expect(run(one)).rejects.toThrow();
    else await run(one);
  },
);
