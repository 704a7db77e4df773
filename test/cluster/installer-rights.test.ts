/** The rights of an installer, as `portico bundle rbac` derives them, on a real API server: they are enough, and not one may be missing. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { CSV } from '../bundle/bundle-files.ts';
import type { Outcome } from '../cli/run-portico.ts';
import { runVerb } from '../fbc/run-verb.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { PROGRAMS } from './programs.ts';

const permission = (rules: readonly object[]): object[] => [{ serviceAccountName: 'demo', rules }];
const BUNDLE = {
  ...CSV(
    {
      permissions: permission([{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] }]),
      clusterPermissions: permission([
        { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
        { nonResourceURLs: ['/metrics'], verbs: ['get'] },
      ]),
    },
    ['OwnNamespace'],
  ),
  'manifests/crd.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.acme.io}
spec:
  group: acme.io
  names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`,
  'manifests/service.yaml':
    'apiVersion: v1\nkind: Service\nmetadata: {name: demo}\nspec: {ports: [{port: 80}]}\n',
  'manifests/delegator.yaml': `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: demo-delegator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: 'system:auth-delegator'}
subjects: [{kind: ServiceAccount, name: demo, namespace: ops}]
`,
};

interface Role {
  readonly kind: string;
  readonly rules?: readonly object[];
}

let plane: ControlPlane;
const started = new AsyncDisposableStack();
const scratch = mkdtempSync(join(tmpdir(), 'portico-rights-'));
const bundle = join(scratch, 'bundle');
const objects = join(scratch, 'objects');
let rights: readonly Role[];

beforeAll(async () => {
  if (PROGRAMS === undefined) return;
  for (const [path, text] of Object.entries(BUNDLE)) {
    mkdirSync(join(bundle, dirname(path)), { recursive: true });
    writeFileSync(join(bundle, path), text);
  }
  const where = ['--install-namespace', 'ops'];
  expect(await runVerb('bundle', 'convert', bundle, ...where, '--output', objects)).toMatchObject({
    exit: 0,
  });
  const { stdout } = await runVerb('bundle', 'rbac', bundle, ...where, '--json');
  rights = (JSON.parse(stdout) as { objects: Role[] }).objects;
  plane = started.use(await startControlPlane(PROGRAMS));
  expect(await plane.kubectl(['create', 'namespace', 'ops'])).toMatchObject({ code: 0 });
}, 600_000);

afterAll(async () => {
  rmSync(scratch, { recursive: true });
  await started.disposeAsync();
}, 120_000);

const grant = (all: readonly Role[]): Promise<Outcome> =>
  plane.kubectl(
    ['apply', '--server-side', '--force-conflicts', '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: all }),
  );

const asInstaller = (...args: string[]): Promise<Outcome> =>
  plane.kubectl(['--as=system:serviceaccount:ops:demo-installer', ...args]);

describe('the derived rights of an installer', { tags: ['cluster'] }, () => {
  test('are enough to install, change, watch and remove the bundle', async () => {
    expect(await grant(rights)).toMatchObject({ code: 0, stderr: '' });
    for (const how of [
      ['create', '-f'],
      ['apply', '--server-side', '--force-conflicts', '-f'],
      ['get', '-f'],
      ['delete', '--wait=false', '-f'],
    ])
      expect([how, await asInstaller(...how, objects)]).toMatchObject([how, { code: 0, stderr: '' }]);
    expect(await asInstaller('get', 'deployments', '--namespace', 'ops')).toMatchObject({ code: 0 });
  });

  test('are no others', async () => {
    for (const question of [
      ['delete', 'deployments/other', '--namespace', 'ops'],
      ['get', 'secrets', '--namespace', 'ops'],
      ['create', 'deployments', '--namespace', 'default'],
      ['update', 'clusterroles/admin'],
    ])
      expect([question, await asInstaller('auth', 'can-i', ...question)]).toMatchObject([
        question,
        { code: 1 },
      ]);
  });

  test('lack nothing without which it cannot be installed: each rule but those for later is needed', async () => {
    const needed: string[] = [];
    for (const [at, role] of rights.entries())
      for (const rule of role.rules ?? []) {
        const less = { ...role, rules: (role.rules ?? []).filter((one) => one !== rule) };
        expect(await grant(rights.with(at, less))).toMatchObject({ code: 0 });
        const all = [];
        for (const how of [
          ['create', '-f'],
          ['apply', '--server-side', '--force-conflicts', '-f'],
          ['delete', '--wait=false', '-f'],
        ])
          all.push((await asInstaller(...how, objects)).code);
        await plane.kubectl(['delete', '--ignore-not-found', '--wait=true', '-f', objects]);
        if (all.some((code) => code !== 0)) needed.push(JSON.stringify(rule));
      }
    const idle = rights
      .flatMap(({ rules = [] }) => rules.map((rule) => JSON.stringify(rule)))
      .filter((rule) => !needed.includes(rule));
    // Only operator-controller itself needs this one.
    expect(idle).toEqual([expect.stringContaining('clusterextensions/finalizers')]);
  }, 600_000);
});
