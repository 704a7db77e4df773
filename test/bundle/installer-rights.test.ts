import { expect, test } from 'vitest';

import { installerRights } from '../../src/bundle/installer-rights.ts';
import { kindOf, type Manifest } from '../../src/bundle/manifest.ts';

const INSTALLER = { extension: 'demo', account: 'demo-installer', namespace: 'ops' };
const RBAC = 'rbac.authorization.k8s.io';

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  namespace?: string,
  more: object = {},
): Manifest => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  ...more,
});

/** The rules of each role, one a line: group/resources names: verbs. */
function lines(objects: readonly Manifest[]): Record<string, string[]> {
  const roles = installerRights(objects, INSTALLER).filter((one) => kindOf(one).endsWith('Role'));
  return Object.fromEntries(
    roles.map((role) => {
      const { kind, metadata, rules } = role as unknown as {
        kind: string;
        metadata: { namespace?: string };
        rules: Record<string, string[]>[];
      };
      const texts = rules.map(
        ({ apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs = [] }) =>
          `${apiGroups.join()}/${[...resources, ...nonResourceURLs].join()} ${resourceNames.join()}: ${verbs.join()}`,
      );
      return [`${kind} ${metadata.namespace ?? ''}`.trim(), texts];
    }),
  );
}

test('each kind may be made and watched, and the objects of the bundle be changed by their names', () => {
  const objects = [
    object('apps/v1', 'Deployment', 'b', 'ops'),
    object('apps/v1', 'Deployment', 'a', 'ops'),
    object('networking.k8s.io/v1', 'NetworkPolicy', 'n', 'ops'),
    object('scheduling.k8s.io/v1', 'PriorityClass', 'p'),
    // As operator-controller writes them.
    object('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'm', 'ops'),
  ];
  expect(lines(objects)).toEqual({
    ClusterRole: [
      'olm.operatorframework.io/clusterextensions/finalizers demo: update',
      'admissionregistration.k8s.io/mutatingwebhookconfigurations : create,list,watch',
      'admissionregistration.k8s.io/mutatingwebhookconfigurations m: get,update,patch,delete',
      'scheduling.k8s.io/priorityclasses : create,list,watch',
      'scheduling.k8s.io/priorityclasses p: get,update,patch,delete',
    ],
    'Role ops': [
      'apps/deployments : create,list,watch',
      'apps/deployments a,b: get,update,patch,delete',
      'networking.k8s.io/networkpolicies : create,list,watch',
      'networking.k8s.io/networkpolicies n: get,update,patch,delete',
    ],
  });
});

test('what roles grant is held where they grant it, and roles of others are bound by name', () => {
  const rules = [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }];
  const leases = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] }];
  const ref = (kind: string, name: string): object => ({ roleRef: { apiGroup: RBAC, kind, name } });
  const found = lines([
    object(`${RBAC}/v1`, 'ClusterRole', 'c', undefined, { rules }),
    object(`${RBAC}/v1`, 'ClusterRoleBinding', 'c', undefined, ref('ClusterRole', 'c')),
    object(`${RBAC}/v1`, 'Role', 'r', 'watched', { rules: leases }),
    object(`${RBAC}/v1`, 'RoleBinding', 'r', 'watched', ref('Role', 'r')),
    object(`${RBAC}/v1`, 'ClusterRoleBinding', 'd', undefined, ref('ClusterRole', 'system:auth-delegator')),
  ]);
  expect(found['ClusterRole']).toContain('/nodes : list');
  expect(found['ClusterRole']).toContain(`${RBAC}/clusterroles system:auth-delegator: bind`);
  expect(found['ClusterRole']).not.toContain(`${RBAC}/clusterroles c: bind`);
  expect(found['Role watched']).toContain('coordination.k8s.io/leases : *');
  expect(found['ClusterRole']!.join('\n')).not.toContain('leases');
});

test('resources of kinds that the bundle defines have the names of their definitions', () => {
  const names = { kind: 'Proxy', plural: 'proxies-of-acme' };
  const found = lines([
    object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'x', undefined, {
      spec: { group: 'acme.io', names },
    }),
    object('acme.io/v1', 'Proxy', 'one', 'ops'),
  ]);
  expect(found['Role ops']).toContain('acme.io/proxies-of-acme one: get,update,patch,delete');
});
