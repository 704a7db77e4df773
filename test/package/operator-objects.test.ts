/** Operators are judged as what the Operator Lifecycle Manager makes of them, at the fields that say it. */
import { describe, expect, test } from 'vitest';

import { convertRegistry } from '../../src/bundle/convert-registry.ts';
import { kindOf } from '../../src/bundle/manifest.ts';
import { objectFiles } from '../../src/bundle/object-files.ts';
import { readRegistryBundle } from '../../src/bundle/registry-bundle.ts';
import { madeObjects } from '../../src/package/operator-objects.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import { diffPower } from '../../src/package/power/power-diff.ts';
import { executedResources } from '../../src/preview/executed.ts';
import { filesOf, found, powers, type Asked } from './judged.ts';

const CSV = `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: demo.v1
  namespace: demo
spec:
  installModes:
  - { type: AllNamespaces, supported: true }
  install:
    strategy: deployment
    spec:
      deployments:
      - name: manager
        spec:
          selector: { matchLabels: { app: demo } }
          template:
            metadata: { labels: { app: demo } }
            spec:
              serviceAccountName: runner
              containers:
              - name: main
                image: demo:1
                securityContext:
                  runAsNonRoot: true
      permissions:
      - serviceAccountName: runner
        rules:
        - { apiGroups: [""], resources: [pods], verbs: [get] }
`;
const POWERFUL = `${CSV}      clusterPermissions:
      - serviceAccountName: runner
        rules:
        - { apiGroups: ["*"], resources: ["*"], verbs: ["*"] }
`;
const inList = (text: string): string =>
  `apiVersion: v1\nkind: List\nmetadata: { name: all }\nitems:\n${text.replaceAll(/^(?=.)/gm, '  ').replace('  ', '- ')}`;

describe('what an operator may do', () => {
  test.each([
    ['alone', (text: string): string => text, 32],
    ['in a list', inList, 36],
  ])('more permissions of an operator are wider: %s', (_name, wrapped, line) => {
    const [before, after] = [CSV, POWERFUL].map((text) => filesOf({ 'manifests/csv.yaml': wrapped(text) }));
    expect(powers(before!, after!)).toEqual([
      `▲ ServiceAccount demo/runner: every verb on every resource of every group in every namespace (manifests/csv.yaml:${line})`,
    ]);
  });

  test('a privileged container of an operator is wider', () => {
    const after = CSV.replace('runAsNonRoot: true', 'runAsNonRoot: true\n                  privileged: true');
    expect(powers(filesOf({ 'csv.yaml': CSV }), filesOf({ 'csv.yaml': after }))).toEqual([
      '▲ Deployment demo/manager: container main is privileged (csv.yaml:25)',
    ]);
  });

  test('permissions of an operator count for an unchanged binding', () => {
    const role = `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: { name: b }\nroleRef: { kind: ClusterRole, name: demo.v1-runner-2 }\nsubjects: [{ kind: User, name: eve }]\n`;
    const before = filesOf({ 'csv.yaml': POWERFUL });
    const after = new Map([...before, ...filesOf({ 'b.yaml': role })]);
    expect(powers(before, after)).toContain(
      '▲ User eve: every verb on every resource of every group in every namespace (csv.yaml:32)',
    );
  });

  const WEBHOOKS = `${POWERFUL}  webhookdefinitions:
  - { type: MutatingAdmissionWebhook, generateName: m.acme.io, deploymentName: manager, containerPort: 443, targetPort: 9443, webhookPath: /m, sideEffects: None, admissionReviewVersions: [v1], failurePolicy: Fail, rules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }] }
`;
  test.each([
    ['all namespaces', WEBHOOKS],
    ['one namespace', WEBHOOKS.replace('AllNamespaces', 'OwnNamespace')],
  ])('an operator may do what its converted bundle may: %s', (_name, text) => {
    const annotations = 'annotations: { operators.operatorframework.io.bundle.package.v1: demo }\n';
    const read = readRegistryBundle(
      filesOf({ 'manifests/csv.yaml': text, 'metadata/annotations.yaml': annotations }),
    );
    if ('problems' in read) throw new Error(read.problems[0]!.message);
    const converted = convertRegistry(read.value, { installNamespace: 'demo' });
    if ('refused' in converted) throw new Error(converted.refused.join());
    const [own, wanted] = [filesOf({ 'csv.yaml': text }), objectFiles(converted.objects)].map((files) =>
      diffPower(new Map(), files).changes.map(({ who, what, danger = '' }) => `${who} ${what} ${danger}`),
    );
    // operator-controller names a namespace for webhooks, which their kind does not have.
    expect(own!.toSorted()).toEqual(
      wanted!.map((one) => one.replace('Configuration demo/', 'Configuration ')).toSorted(),
    );
    const kinds = executedResources(filesOf({ 'csv.yaml': text })).resources.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== 'ClusterServiceVersion').toSorted()).toEqual(
      converted.objects.map(kindOf).toSorted(),
    );
  });

  test('served APIs and conversions of an operator are powers', () => {
    const text = `${CSV}  apiservicedefinitions:
    owned:
    - { name: things, group: acme.io, version: v1, kind: Thing, deploymentName: manager }
  webhookdefinitions:
  - { type: ConversionWebhook, generateName: c.acme.io, deploymentName: manager, conversionCRDs: [things.acme.io] }
`;
    expect(powers(filesOf({ 'csv.yaml': CSV }), filesOf({ 'csv.yaml': text }))).toEqual([
      '▲ APIService v1.acme.io: serves v1 of acme.io by Service demo/manager-service (csv.yaml:31)',
      '▲ ClusterServiceVersion demo/demo.v1: converts objects of things.acme.io by a webhook (csv.yaml:33)',
    ]);
  });

  test('an operator of any shape makes no error', () => {
    const csv = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
    for (const odd of [
      {},
      { metadata: 5, spec: { install: { spec: { deployments: [1, null, { spec: 5 }], permissions: {} } } } },
      { spec: { webhookdefinitions: [{}, 5, { type: 'MutatingAdmissionWebhook' }], installModes: 5 } },
      { spec: { apiservicedefinitions: { owned: [null] } } },
    ]) {
      expect(() => madeObjects({ ...csv, ...odd })).not.toThrow();
    }
    expect(madeObjects({ ...csv, apiVersion: 'acme.io/v1' })).toEqual([]);
  });
});

/** A package whose processor converts the bundle. */
const SOURCES = `apiVersion: config.portico.dev/v1alpha1
kind: Sources
metadata: { name: sources }
sources: [{ id: bundle, oci: { ref: "oci://registry.example/demo:v1" }, destination: upstream/bundle }]
processors: [{ registryV1: { bundle: upstream/bundle, installNamespace: demo }, out: rendered }]
`;

const withSources = (path: string): PackageFiles =>
  filesOf({ 'portico-sources.yaml': SOURCES, [path]: POWERFUL });

test.each([
  ['upstream/bundle/manifests/csv.yaml', false],
  ['upstream/bundle/other/csv.yaml', true],
  ['manifests/csv.yaml', true],
])('an operator that a processor converts counts as what the processor made of it: %s', (path, isMade) => {
  expect(executedResources(withSources(path)).resources).toHaveLength(isMade ? 7 : 1);
  const power = powers(filesOf({ 'portico-sources.yaml': SOURCES }), withSources(path));
  expect(power.length > 0).toBe(isMade);
});

const spare = (kind: string): Asked => ({
  exemptions: [{ name: 'e', until: '2099-01-01', why: 'w', resources: [{ kind }] }],
});

const errors = async (policy: string, text: string, exempt: string): Promise<number> =>
  (await found(policy, { 'csv.yaml': text }, spare(exempt))).filter((line) => line.includes(' error '))
    .length;

describe('policies judge what is made of operators', () => {
  const PRIVILEGED = CSV.replace('runAsNonRoot: true', 'privileged: true');

  test.each<[string, string, readonly string[], Asked?]>([
    [
      'no-privileged-pods',
      PRIVILEGED,
      ['csv.yaml:24 error the container main is privileged (Deployment manager)'],
    ],
    [
      'run-as-non-root',
      PRIVILEGED,
      ['csv.yaml:23 error the container main may run as root (Deployment manager)'],
    ],
    [
      'allowed-registries',
      CSV,
      [
        'csv.yaml:22 error the image demo:1 is from none of the allowed registries: ghcr.io (Deployment manager)',
      ],
      { params: { registries: ['ghcr.io'] } },
    ],
    [
      'no-wildcard-roles',
      POWERFUL,
      ['verbs', 'resources', 'apiGroups'].map(
        (field) => `csv.yaml:32 error the rule grants all ${field} (ClusterRole demo.v1-runner-2)`,
      ),
    ],
    ['no-wildcard-roles', CSV, []],
  ])('%s points at the field of the operator', async (policy, text, wanted, asked) => {
    expect(await found(policy, { 'csv.yaml': text }, asked)).toEqual(wanted);
    const lines = wanted.map((line) => line.replace(/:(\d+)/, (_all, at) => `:${Number(at) + 4}`));
    expect(await found(policy, { 'csv.yaml': inList(text) }, asked)).toEqual(lines);
  });

  test('policies in Rego and those over the whole package see what is made of an operator', async () => {
    expect(await found({ validations: [] }, { 'csv.yaml': CSV }, { rego: true })).toEqual(
      ['ClusterServiceVersion', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Deployment'].map(
        (kind) => expect.stringContaining(` info ${kind}`),
      ),
    );
    const whole = {
      wholePackage: true,
      validations: [{ expression: 'resources.size() != 5', message: 'no' }],
    };
    expect(await found(whole, { 'csv.yaml': CSV })).toHaveLength(1);
  });

  test('what was made of the operator in the base is the old object', async () => {
    const rule = {
      validations: [{ expression: 'oldObject != null && object == oldObject', message: 'it differs' }],
    };
    expect(await found(rule, { 'csv.yaml': CSV }, { base: { 'csv.yaml': CSV } })).toEqual([]);
    expect(await found(rule, { 'csv.yaml': PRIVILEGED }, { base: { 'csv.yaml': CSV } })).toHaveLength(2);
  });

  test('labels of an operator count for what is made of it', async () => {
    const labelled = CSV.replace('namespace: demo', 'namespace: demo\n  labels: { team: a }');
    const asked = { params: { labels: ['team'] } };
    expect(await found('required-labels', { 'csv.yaml': labelled }, asked)).toEqual([]);
    expect(await found('required-labels', { 'csv.yaml': CSV }, asked)).toHaveLength(5);
  });

  test('an exemption names what is made, and does not cover the rest of the operator', async () => {
    expect(await errors('no-privileged-pods', PRIVILEGED, 'Deployment')).toBe(0);
    expect(await errors('no-privileged-pods', PRIVILEGED, 'ClusterServiceVersion')).toBe(1);
  });
});
