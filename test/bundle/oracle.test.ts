/**
 * Conversion and verdicts beside those of operator-controller and opm themselves (`oracles/README.md`), over the corpus and bundles
 * out of many pieces. operator-controller 1.2 is older than the rules that are followed: what it has not yet is left out.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { convertRegistry } from '../../src/bundle/convert-registry.ts';
import { readRegistryBundle } from '../../src/bundle/registry-bundle.ts';
import { judgeBundle } from '../../src/bundle/validate-bundle.ts';
import { bundleFiles, CSV } from './bundle-files.ts';

type Files = Readonly<Record<string, string>>;
type Fields = { [field: string]: unknown };

const ORACLES = process.env['PORTICO_BUNDLE_ORACLES'];
const RUNS = Number(process.env['FC_RUNS'] ?? 60);
const oracles =
  ORACLES === undefined ? [] : ['convert', 'validate'].filter((name) => existsSync(join(ORACLES, name)));
const longest = { timeout: 3_600_000 };

function ask(oracle: 'convert' | 'validate', files: Files, ...args: string[]): unknown {
  const directory = mkdtempSync(join(tmpdir(), 'portico-oracle-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const said = execFileSync(join(ORACLES ?? '', oracle), [directory, ...args], { encoding: 'utf8' });
  rmSync(directory, { recursive: true });
  return JSON.parse(said.replaceAll(`${directory}/`, ''));
}

const SEES_NAMESPACES = '{"apiGroups":[""],"resources":["namespaces"],"verbs":["get","list","watch"]}';

/** Without nulls, keys in order: as JSON of two programs can be compared. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, held]) => held !== null);
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, held]) => [key, plain(held)]),
  );
}

/**
 * Objects as they can be compared: by what they are, and lifted roles by what they permit, whose rule upstream loses. What stands
 * twice there stands once here.
 */
function comparable(objects: readonly unknown[], isLifted: boolean): readonly string[] {
  const each = objects
    .map((object) => {
      const { kind, metadata, spec, rules, ...rest } = structuredClone(plain(object)) as Fields;
      if (kind === 'Deployment') {
        const template = (spec as { template: { metadata: { annotations: Fields } } }).template;
        delete (spec as Fields)['revisionHistoryLimit'];
        delete template.metadata.annotations['olm.operatorNamespace'];
      }
      if (isLifted && kind === 'ClusterRoleBinding') return JSON.stringify([kind, rest['subjects']]);
      if (!isLifted || kind !== 'ClusterRole')
        return JSON.stringify({ kind, metadata, spec, rules, ...rest });
      return JSON.stringify([
        kind,
        (rules as object[]).filter((rule) => JSON.stringify(rule) !== SEES_NAMESPACES),
      ]);
    })
    .toSorted();
  return [...new Set(each)];
}

const TARGETS = [[''], ['ops'], ['one'], ['one', 'two'], ['one', 'ops']];

function compare(files: Files, targets: readonly string[]): 'converted' | 'refused' {
  const theirs = ask('convert', files, 'ops', JSON.stringify(targets)) as {
    error?: string;
    objects: Fields[];
  };
  const read = readRegistryBundle(bundleFiles(files));
  const ours =
    'problems' in read
      ? { refused: read.problems.map(({ message }) => message) }
      : convertRegistry(read.value, { installNamespace: 'ops', targetNamespaces: targets });
  if ('refused' in ours) {
    // What operator-controller refuses since then.
    const later =
      /duplicate|invalid cluster|own namespace|package name is empty|two different objects|not found in bundle/;
    if (theirs.error === undefined) expect(ours.refused.join('\n')).toMatch(later);
    return 'refused';
  }
  expect(theirs.error).toBeUndefined();
  const isLifted = targets[0] === '';
  expect(comparable(ours.objects, isLifted)).toEqual(comparable(theirs.objects, isLifted));
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

test.skipIf(oracles.length === 0)(
  'what is converted is what operator-controller converts (PORTICO_BUNDLE_ORACLES)',
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
    for (const files of corpus(/^registryv1-(?:convert|golden)/)) {
      const read = readRegistryBundle(bundleFiles(files));
      // Version 1.2 converts no webhooks.
      if ('value' in read && read.value.csv.webhooks.length > 0) continue;
      for (const targets of TARGETS) seen[compare(files, targets)] += 1;
    }
    expect(seen.converted).toBeGreaterThan(RUNS / 10);
    process.stderr.write(`operator-controller agrees: ${JSON.stringify(seen)}\n`);
  },
  longest.timeout,
);

test.skipIf(oracles.length === 0)(
  'what opm finds in the metadata of a bundle is found (PORTICO_BUNDLE_ORACLES)',
  () => {
    const cases = corpus(/^(?:bundle-validate--(?:deps|format)|registryv1-golden)/);
    for (const files of cases) {
      const theirs = (ask('validate', files) as string[]).filter((message) => !message.startsWith('Error: '));
      const { errors, warnings } = judgeBundle(bundleFiles(files), {
        format: 'registry-v1',
        knownApis: new Set(),
      });
      const ours = [...errors, ...warnings].map(({ message }) => message);
      for (const message of theirs) expect(ours).toContain(message);
    }
    process.stderr.write(`opm agrees on ${cases.length} bundles\n`);
  },
  longest.timeout,
);

/** The bundles of cases, where the corpus lies beside the checkout. */
function corpus(families: RegExp): readonly Files[] {
  const root = join(import.meta.dirname, '../../../shared/corpus/catalog');
  const ids = existsSync(root) ? readdirSync(root).filter((id) => families.test(id)) : [];
  return ids.map((id) => {
    const input = join(root, id, 'input');
    const files = readdirSync(input, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\.ya?ml$/.test(path),
    );
    return Object.fromEntries(
      files.toSorted().map((path) => [path, readFileSync(join(input, path), 'utf8')]),
    );
  });
}
