/**
 * Golden cases of operator tools, where they lie beside the checkout (`../shared/corpus/catalog`). Each runs through the
 * command line's own verbs. docs/catalog-differences.md says where Portico differs.
 */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { casesOf, type Case } from './corpus-case.ts';
import { jsonOf, runVerb } from './run-verb.ts';

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

async function comparesDefinitions(one: Case): Promise<void> {
  const files = ['old.json', 'new.json'].map((name) => join(input(one), name));
  const { exit, stdout } = await jsonOf('crd-safety', ...files);
  const { errors } = JSON.parse(stdout) as { errors: string[] };
  const { outcome, error_contains_each: wanted = [], error_must_not_contain: unwanted = [] } = one.expected;
  expect({ exit, errors: errors.length > 0 }).toEqual(
    outcome === 'valid' ? { exit: 0, errors: false } : { exit: 1, errors: true },
  );
  const text = errors.join('\n');
  for (const part of wanted) expect(text).toContain(part);
  for (const part of unwanted) expect(text).not.toContain(part);
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
  'crd-upgrade': comparesDefinitions,
};

const known = casesOf(Object.keys(RUN));

test.skipIf(known.length === 0).each(known.map((one): [string, Case] => [one.id, one]))('%s', (_id, one) =>
  RUN[one.family]?.(one),
);
