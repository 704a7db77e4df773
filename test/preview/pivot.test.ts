/** What becomes of objects when one state of a package follows another. */
import { describe, expect, test } from 'vitest';

import type { PackageFiles } from '../../src/package/package.ts';
import { pivotFailures, pivotOf } from '../../src/preview/pivot.ts';
import { updateReport, updateReportMarkdown } from '../../src/preview/update-report.ts';

type Resource = Readonly<Record<string, unknown>>;

/** A package with one file for each resource. */
function files(...resources: readonly Resource[]): PackageFiles {
  return new Map(
    resources.map((resource, at) => [
      `r${at}.yaml`,
      { mode: '100644', bytes: new TextEncoder().encode(JSON.stringify(resource)) },
    ]),
  );
}

function object(apiVersion: string, kind: string, name: string, more: Resource = {}): Resource {
  return { apiVersion, kind, metadata: { name, namespace: 'shop' }, ...more };
}

function pivot(before: readonly Resource[], after: readonly Resource[]): ReturnType<typeof pivotOf> {
  return pivotOf([{ path: 'shop', before: files(...before), after: files(...after) }]);
}

const deployment = (labels: Resource, more: Resource = {}): Resource =>
  object('apps/v1', 'Deployment', 'web', { spec: { selector: { matchLabels: labels }, ...more } });
const crd = (scope: string): Resource => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'orders.shop.example.com' },
  spec: { scope, group: 'shop.example.com', names: { kind: 'Order', plural: 'orders' }, versions: [] },
});

test('objects stay, come and go, whichever file and version of the API they have', () => {
  const found = pivot(
    [
      object('extensions/v1beta1', 'Deployment', 'web'),
      object('v1', 'Service', 'old'),
      object('v1', 'ConfigMap', 'c'),
    ],
    [
      object('v1', 'ConfigMap', 'new'),
      object('v1', 'ConfigMap', 'c', { data: { a: 'b' } }),
      object('apps/v1', 'Deployment', 'web'),
    ],
  );
  expect(found).toMatchObject({
    kept: 2,
    added: [{ object: 'ConfigMap shop/new' }],
    removed: [{ object: 'Service shop/old' }],
    recreated: [],
    moved: [],
  });
  expect(pivotFailures(found)).toEqual([]);
});

describe('an object is made anew where a field changes that cannot be changed', () => {
  const claim = (storage: string, more: Resource = {}): Resource =>
    object('v1', 'PersistentVolumeClaim', 'd', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...more },
    });
  const service = (spec: Resource): Resource => object('v1', 'Service', 's', { spec });
  const job = (image: string): Resource =>
    object('batch/v1', 'Job', 'j', { spec: { template: { spec: { image } } } });
  const binding = (name: string): Resource =>
    object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'b', { roleRef: { kind: 'Role', name } });
  const set = (spec: Resource): Resource => object('apps/v1', 'StatefulSet', 'db', { spec });
  const settings = (immutable: boolean, a: string): Resource =>
    object('v1', 'ConfigMap', 'c', { immutable, data: { a } });

  test.each<[string, Resource, Resource, readonly string[]]>([
    ['a selector of a Deployment', deployment({ app: 'a' }), deployment({ app: 'b' }), ['spec.selector']],
    ['not its replicas', deployment({ app: 'a' }), deployment({ app: 'a' }, { replicas: 3 }), []],
    [
      'a claim template',
      set({ volumeClaimTemplates: [] }),
      set({ volumeClaimTemplates: [{ a: 1 }] }),
      ['spec.volumeClaimTemplates'],
    ],
    [
      'not the pods of a StatefulSet',
      set({ serviceName: 'a', template: 1 }),
      set({ serviceName: 'a', template: 2 }),
      [],
    ],
    ['pods of a Job', job('a:1'), job('a:2'), ['spec.template']],
    ['a roleRef', binding('reader'), binding('writer'), ['roleRef']],
    [
      'a cluster address',
      service({ clusterIP: '10.0.0.1' }),
      service({ clusterIP: '10.0.0.2' }),
      ['spec.clusterIP'],
    ],
    ['a service without address', service({}), service({ clusterIP: 'None' }), ['spec.clusterIP']],
    ['not an address that is no longer said', service({ clusterIP: '10.0.0.1' }), service({}), []],
    ['not more room', claim('1Gi'), claim('2Gi'), []],
    [
      'another class of storage',
      claim('1Gi', { storageClassName: 'a' }),
      claim('1Gi', { storageClassName: 'b' }),
      ['spec.storageClassName'],
    ],
    ['data that is immutable', settings(true, '1'), settings(true, '2'), ['data']],
    ['not data that is not', settings(false, '1'), settings(true, '2'), []],
    [
      'the type of a Secret',
      object('v1', 'Secret', 's'),
      object('v1', 'Secret', 's', { type: 'tls' }),
      ['type'],
    ],
  ])('%s', (_what, before, after, fields) => {
    const { recreated, kept } = pivot([before], [after]);
    expect([recreated.flatMap((one) => one.fields), kept]).toEqual([fields, fields.length === 0 ? 1 : 0]);
  });
});

test('an object changes hands, and one in two packages is contested', () => {
  const [a, b] = [object('v1', 'ConfigMap', 'a'), object('v1', 'ConfigMap', 'b')];
  const found = pivotOf([
    { path: 'one', before: files(a, b), after: files(b) },
    { path: 'two', before: files(), after: files(a) },
    { path: 'three', before: null, after: files(b) },
  ]);
  expect(found.moved).toMatchObject([{ object: 'ConfigMap shop/a', from: 'one', package: 'two' }]);
  expect(found.contested).toEqual([{ object: 'ConfigMap shop/b', packages: ['one', 'three'] }]);
  expect([found.added, found.removed]).toEqual([[], []]);
});

test('a report says first what fails: CRDs that go, are made anew, or break what is stored', () => {
  const version = (type: string): Resource => ({
    ...crd('Namespaced'),
    spec: {
      ...(crd('Namespaced')['spec'] as object),
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type } } } },
        },
      ],
    },
  });
  expect(pivotFailures(pivot([crd('Namespaced')], []))).toEqual([
    'CustomResourceDefinition orders.shop.example.com is removed, and every object of its kind goes with it',
  ]);
  expect(pivotFailures(pivot([crd('Namespaced')], [crd('Cluster')]))).toEqual([
    'CustomResourceDefinition orders.shop.example.com must be recreated (spec.scope), and every object of its kind goes with it',
  ]);
  const role = object('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'b', {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'web', namespace: 'shop' }],
  });
  const report = updateReport(
    'shop',
    files(version('string'), deployment({ app: 'a' })),
    files(version('integer'), deployment({ app: 'b' }), role),
  );
  expect(report.failures.join()).toMatch(/CRD orders\.shop\.example\.com: .*type/);
  expect(report.power.grown).toBe(true);
  const text = updateReportMarkdown(report);
  expect(text).toMatch(/^\*\*This fails:\*\*/);
  expect(text).toContain('| recreated | `Deployment shop/web` | `because spec.selector cannot be changed` |');
  expect(text).toContain('cluster-admin');
  expect(updateReport('shop', files(version('string')), files(version('string'))).failures).toEqual([]);
});

test('what goes to another package is neither removed nor added, and no failure', () => {
  const moving = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'carts.example.com', {
    spec: {},
  });
  const staying = object('v1', 'ConfigMap', 'stays');
  const from = { path: 'a', before: files(moving, staying), after: files(staying) };
  const to = { path: 'b', before: files(), after: files(moving) };
  const alone = updateReport('a', from.before, from.after);
  expect([alone.failures.length, alone.pivot.removed.length]).toEqual([1, 1]);
  const { failures, pivot: owners } = updateReport('a', from.before, from.after, [to]);
  expect([failures, owners.removed]).toEqual([[], []]);
  expect(owners.moved).toMatchObject([{ from: 'a', package: 'b' }]);
});

test('what cannot be read is said, and what is for tools alone is nothing', () => {
  const broken: PackageFiles = new Map([
    ['x.yaml', { mode: '100644', bytes: new TextEncoder().encode('a: [') }],
  ]);
  const local = object('v1', 'ConfigMap', 'l', {
    metadata: { name: 'l', annotations: { 'config.kubernetes.io/local-config': 'true' } },
  });
  const found = pivotOf([{ path: '.', before: files(), after: new Map([...broken, ...files(local)]) }]);
  expect([found.added, found.unread]).toEqual([[], ['x.yaml']]);
  const list = { apiVersion: 'v1', kind: 'List', items: [object('v1', 'ConfigMap', 'in')] };
  expect(pivot([], [list]).added).toMatchObject([{ object: 'ConfigMap shop/in' }]);
});
