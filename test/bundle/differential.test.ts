/** Conversion and verdicts of generated bundles, compared with those of operator-controller and opm. `npm run oracles` builds both. */
import { execFileSync } from 'node:child_process';

import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { buildTool } from '../../scripts/oracles/tools.ts';
import { convertRegistry } from '../../src/bundle/convert-registry.ts';
import { readRegistryBundle } from '../../src/bundle/registry-bundle.ts';
import { judgeBundle } from '../../src/bundle/validate-bundle.ts';
import { bundleCase, filesOfBundle } from '../corpus/bundle-case.ts';
import { readCases } from '../corpus/read-cases.ts';
import { bundleFiles, CSV } from './bundle-files.ts';

type Files = Readonly<Record<string, string>>;
type Fields = { [field: string]: unknown };

const RUNS = Number(process.env['FC_RUNS'] ?? 60);
const HOUR = 3_600_000;

let program: string | undefined;

function ask(name: 'operator-controller-bundles' | 'opm-bundles', question: object): unknown {
  // Both names are of one program.
  program ??= buildTool(name);
  return JSON.parse(execFileSync(program, [name], { input: JSON.stringify(question), encoding: 'utf8' }));
}

/** Without nulls and empty values, keys in order: as JSON of two programs can be compared. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, held]) => held !== null);
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, held]) => [key, plain(held)]),
  );
}

/** Objects as they can be compared: equal ones once, in any order, without the status that Go's types add. */
function comparable(objects: readonly unknown[]): readonly string[] {
  const each = objects.map((object) => JSON.stringify({ ...(plain(object) as Fields), status: undefined }));
  // Upstream writes port 0 of a webhook that gives none; docs/bundles-differences.md.
  return [...new Set(each.map((text) => text.replaceAll('"port":0}', '"port":443}')))].sort();
}

const TARGETS = [[''], ['ops'], ['one'], ['one', 'two'], ['one', 'ops']];

function compare(files: Files, targetNamespaces: readonly string[]): 'converted' | 'refused' {
  const theirs = ask('operator-controller-bundles', {
    files,
    convert: { installNamespace: 'ops', targetNamespaces },
  }) as { errors?: string[]; objects?: Fields[] };
  const read = readRegistryBundle(bundleFiles(files));
  const ours =
    'problems' in read
      ? { refused: read.problems.map(({ message }) => message) }
      : convertRegistry(read.value, { installNamespace: 'ops', targetNamespaces });
  if ('refused' in ours) {
    // Portico alone refuses equal names with different contents, and API services.
    if (theirs.errors === undefined)
      expect(ours.refused.join('\n')).toMatch(/two different objects|apiServiceDefintions/);
    return 'refused';
  }
  // Portico's conversion sets every namespace, and leaves one that is a number to the validation.
  if (theirs.errors?.some((text) => text.includes('metadata.namespace of type string'))) return 'converted';
  expect(theirs.errors ?? []).toEqual([]);
  expect(comparable(ours.objects)).toEqual(comparable(theirs.objects ?? []));
  return 'converted';
}

const rule = fc.record(
  {
    verbs: fc.uniqueArray(fc.constantFrom('get', 'list', '*', 'create'), { minLength: 1 }),
    apiGroups: fc.uniqueArray(fc.constantFrom('', 'apps', '<&>.io', '*')),
    resources: fc.uniqueArray(fc.constantFrom('pods', 'pods/exec', '*')),
    resourceNames: fc.uniqueArray(fc.constantFrom('a', 'é')),
    nonResourceURLs: fc.uniqueArray(fc.constantFrom('/metrics')),
  },
  { requiredKeys: ['verbs'] },
);
const permission = fc.record(
  {
    serviceAccountName: fc.constantFrom(
      '',
      'default',
      'operator',
      'a-very-long-name-of-an-account-that-does-not-fit-at-all',
    ),
    rules: fc.array(rule, { maxLength: 3 }),
  },
  { requiredKeys: ['rules'] },
);
const other = fc.constantFrom(
  'apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: elsewhere}\n',
  'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: p}\n',
  'apiVersion: v1\nkind: Event\nmetadata: {name: e}\n',
  'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n- {apiVersion: v1, kind: Secret, metadata: {name: b}}\n',
);
const bundle = fc
  .record({
    permissions: fc.array(permission, { maxLength: 3 }),
    clusterPermissions: fc.array(permission, { maxLength: 2 }),
    modes: fc.subarray(['AllNamespaces', 'OwnNamespace', 'SingleNamespace', 'MultiNamespace']),
    others: fc.uniqueArray(other, { maxLength: 3 }),
    properties: fc.constantFrom('', 'properties: [{type: olm.gvk, value: {kind: A, b: 1}}]\n'),
  })
  .map(({ permissions, clusterPermissions, modes, others, properties }): Files => ({
    ...CSV({ permissions, clusterPermissions }, modes),
    ...Object.fromEntries(others.map((text, at) => [`manifests/other-${at}.yaml`, text])),
    ...(properties !== '' && { 'metadata/properties.yaml': properties }),
  }));

/** The bundles of the golden cases. */
const golden = (): readonly Files[] =>
  readCases('bundles', bundleCase)
    .filter(({ csv }) => csv !== undefined)
    .map(filesOfBundle);

test(
  'generated bundles are converted as operator-controller converts them',
  { tags: ['differential'], timeout: HOUR },
  () => {
    const seen = { converted: 0, refused: 0 };
    fc.assert(
      fc.property(
        bundle,
        fc.constantFrom(...TARGETS),
        (files, targets) => void (seen[compare(files, targets)] += 1),
      ),
      { numRuns: RUNS },
    );
    expect(seen.converted).toBeGreaterThan(RUNS / 10);
  },
);

test(
  'every golden bundle is converted for every target as operator-controller converts it',
  { tags: ['differential'], timeout: HOUR },
  () => {
    const bundles = golden();
    expect(bundles.length).toBeGreaterThan(10);
    for (const files of bundles) for (const targets of TARGETS) compare(files, targets);
  },
);

test(
  'every message of opm about a golden bundle is reported',
  { tags: ['differential'], timeout: HOUR },
  () => {
    for (const files of golden()) {
      const { errors: theirs } = ask('opm-bundles', { files }) as { errors: string[] };
      const { errors, warnings } = judgeBundle(bundleFiles(files), {
        format: 'registry-v1',
        knownApis: new Set(),
      });
      const ours = [...errors, ...warnings].map(({ message }) => message);
      // Older validators begin with "Error: "; operator-controller has its own words for kinds, and sets the namespace that opm forbids.
      const otherwise = /^Error: |is not supported type|not allowed on this type/;
      for (const message of theirs.filter((text) => !otherwise.test(text))) expect(ours).toContain(message);
    }
  },
);
