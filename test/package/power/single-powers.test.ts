import { describe, expect, test } from 'vitest';

import type { PackageFiles } from '../../../src/package/package.ts';
import { diffPower } from '../../../src/package/power/power-diff.ts';

const one = (text: string): PackageFiles =>
  new Map([['a.yaml', { mode: '100644', bytes: new TextEncoder().encode(text) }]]);

/** What gets wider. */
function wider(before: string, after: string): string[] {
  return diffPower(one(before), one(after))
    .changes.filter(({ direction }) => direction === 'wider')
    .map(({ what }) => what);
}

const pod = (spec: string, security: string, more = ''): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { ${spec}, containers: [{ name: app, securityContext: { ${security} }${more} }] }\n`;
const SAFE = 'securityContext: { runAsNonRoot: true }';
const HOST = 'volumes: [{ name: v, hostPath: { path: /var/log } }]';
const mounted = (more: string): string =>
  pod(HOST, '', `, volumeMounts: [{ name: v, mountPath: /l${more} }]`);
const object = (group: string, kind: string, fields: string): string =>
  `apiVersion: ${group}\nkind: ${kind}\nmetadata: { name: a, namespace: shop }\n${fields}\n`;
const hook = (more: string, kind = 'Validating'): string =>
  object(
    'admissionregistration.k8s.io/v1',
    `${kind}WebhookConfiguration`,
    `webhooks: [{ name: h, ${more} }]`,
  );
const policy = (more: string): string =>
  object(
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicy',
    `spec: { validations: [{ expression: "!object.spec.hostPID" }]${more} }`,
  );
const bound = (spec: string): string =>
  object(
    'admissionregistration.k8s.io/v1',
    'ValidatingAdmissionPolicyBinding',
    `spec: { policyName: p, ${spec} }`,
  );
const crd = (name: string): string =>
  object(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    `spec: { conversion: { strategy: Webhook, webhook: { clientConfig: { service: { namespace: x, name: ${name} } } } } }`,
  );
const network = (spec: string): string =>
  object('networking.k8s.io/v1', 'NetworkPolicy', `spec: { podSelector: {}, ${spec} }`);
const namespace = (version: string): string =>
  `apiVersion: v1\nkind: Namespace\nmetadata: { name: a, labels: { pod-security.kubernetes.io/enforce: restricted${version} } }\n`;
const AS_OF = ', pod-security.kubernetes.io/enforce-version: v1.20';
const constraints = (fields: string): string =>
  object('security.openshift.io/v1', 'SecurityContextConstraints', fields);

describe('a single field', () => {
  test.each([
    [
      'runAsNonRoot false in a container',
      pod(SAFE, ''),
      pod(SAFE, 'runAsNonRoot: false'),
      'container app may run as root',
    ],
    [
      'no user any more',
      pod(SAFE, 'runAsUser: 7'),
      pod(SAFE, ''),
      'no longer: container app runs as another user than root',
    ],
    ['hostUsers', pod('hostUsers: false', ''), pod('hostUsers: true', ''), 'no longer: has users of its own'],
    [
      'another seccomp profile',
      pod(SAFE, 'seccompProfile: { type: RuntimeDefault }'),
      pod(SAFE, 'seccompProfile: { type: Localhost, localhostProfile: any.json }'),
      'no longer: container app has the seccomp profile RuntimeDefault',
    ],
    [
      'a writable host path',
      mounted(', readOnly: true'),
      mounted(''),
      'container app can write to /var/log of the node',
    ],
    [
      'another service of a webhook',
      hook('clientConfig: { service: { namespace: x, name: good } }', 'Mutating'),
      hook('clientConfig: { service: { namespace: x, name: evil } }', 'Mutating'),
      'h sends requests to Service x/evil',
    ],
    [
      'another service that converts',
      crd('good'),
      crd('evil'),
      'converts objects by a webhook, Service x/evil',
    ],
    [
      'a condition of a webhook',
      hook('failurePolicy: Fail'),
      hook('failurePolicy: Fail, matchConditions: [{ name: n, expression: "false" }]'),
      'no longer: h judges all that its rules name',
    ],
    [
      'a webhook that may fail',
      hook('failurePolicy: Fail'),
      hook('failurePolicy: Ignore'),
      'no longer: h refuses what it cannot judge',
    ],
    [
      'a condition of a policy',
      policy(''),
      policy(', matchConditions: [{ name: n, expression: "false" }]'),
      'no longer: the policy judges all that its rules name',
    ],
    [
      'a policy that may fail',
      policy(''),
      policy(', failurePolicy: Ignore'),
      'no longer: refuses what it cannot judge',
    ],
    [
      'a policy that demands less',
      policy(''),
      policy('').replace('!object.spec.hostPID', 'true'),
      'no longer: demands !object.spec.hostPID',
    ],
    [
      'a binding that audits',
      bound('validationActions: [Deny]'),
      bound('validationActions: [Audit]'),
      'no longer: denies what its policy refuses',
    ],
    [
      'a network policy with other rules',
      network('ingress: []'),
      network('ingress: [{ from: [{ podSelector: {} }] }]'),
      'no longer: limits what pods may reach by {"podSelector":{},"ingress":[]}',
    ],
    ['a network policy more that allows all', '', network('ingress: [{}]'), 'allows all ingress'],
    [
      'an older Pod Security Standard',
      namespace(''),
      namespace(AS_OF),
      'no longer: enforces the Pod Security Standard restricted of latest',
    ],
    [
      'a lasting token',
      '',
      `apiVersion: v1\nkind: Secret\nmetadata: { name: t, annotations: { kubernetes.io/service-account.name: root } }\ntype: kubernetes.io/service-account-token\n`,
      'holds a token of ServiceAccount root',
    ],
    [
      'a token to join a node',
      '',
      `apiVersion: v1\nkind: Secret\nmetadata: { name: bootstrap-token-abcdef, namespace: kube-system }\ntype: bootstrap.kubernetes.io/token\n`,
      'holds a bootstrap token',
    ],
    [
      'a binding by the group of OpenShift',
      '',
      `apiVersion: authorization.openshift.io/v1\nkind: ClusterRoleBinding\nmetadata: { name: b }\nsubjects: [{ kind: ServiceAccount, name: web, namespace: shop }]\nroleRef: { kind: ClusterRole, name: cluster-admin }\n`,
      'whatever ClusterRole cluster-admin grants, everywhere (it is not in the package)',
    ],
    [
      'a workload that Kyverno generates',
      '',
      `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: { name: p }\nspec: { rules: [{ name: r, generate: { apiVersion: apps/v1, kind: DaemonSet, name: d, namespace: n, data: { spec: { template: { spec: { hostPID: true, containers: [{ name: c, image: i }] } } } } } }] }\n`,
      'sees all processes of the node',
    ],
    [
      'a pod that Kyverno generates',
      '',
      `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: { name: p }\nspec: { rules: [{ name: r, generate: { apiVersion: v1, kind: Pod, name: d, namespace: n, data: { spec: { hostNetwork: true, containers: [{ name: c, image: i }] } } } }] }\n`,
      'uses the network of the node',
    ],
    [
      'privileged constraints',
      constraints('users: []'),
      constraints('allowPrivilegedContainer: true'),
      'allowPrivilegedContainer is set',
    ],
    [
      'constraints for any user',
      constraints('runAsUser: { type: MustRunAsRange }'),
      constraints('runAsUser: { type: RunAsAny }'),
      'runAsUser may be any',
    ],
    [
      'constraints for others',
      constraints('users: []'),
      constraints('groups: [system:authenticated]'),
      'groups has system:authenticated',
    ],
  ])('%s is wider (145)', (_what, before, after, expected) => {
    expect(wider(before, after)).toEqual([expected]);
    expect(wider(after, after)).toEqual([]);
  });
});

const ADMIN = (name: string): string =>
  `{ apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: { name: b }, subjects: [{ kind: ServiceAccount, name: web, namespace: shop }], roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${name} } }`;
const ROLE = `{ apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: { name: own }, rules: [{ apiGroups: [""], resources: [secrets], verbs: [list] }] }`;
const work = (manifests: string): string =>
  object(
    'work.open-cluster-management.io/v1',
    'ManifestWork',
    `spec: { workload: { manifests: [${manifests}] } }`,
  );

describe('manifests in another resource', () => {
  test.each([
    ['a ManifestWork', work(ADMIN('cluster-admin'))],
    [
      'an Object of Crossplane',
      object(
        'kubernetes.crossplane.io/v1alpha2',
        'Object',
        `spec: { forProvider: { manifest: ${ADMIN('cluster-admin')} } }`,
      ),
    ],
    [
      'values of a HelmRelease',
      object(
        'helm.toolkit.fluxcd.io/v2',
        'HelmRelease',
        `spec: { values: { extraObjects: [${ADMIN('cluster-admin')}] } }`,
      ),
    ],
    [
      'a rule of Kyverno that generates',
      object(
        'kyverno.io/v1',
        'ClusterPolicy',
        `spec: { rules: [{ name: r, generate: { apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, name: b, data: { subjects: [{ kind: ServiceAccount, name: web, namespace: shop }], roleRef: { kind: ClusterRole, name: cluster-admin } } } }] }`,
      ),
    ],
    [
      'a ManifestWork in a List',
      `apiVersion: v1\nkind: List\nitems:\n- ${JSON.stringify({ apiVersion: 'work.open-cluster-management.io/v1', kind: 'ManifestWork', metadata: { name: 'w' } }).slice(0, -1)}, "spec": { "workload": { "manifests": [${ADMIN('cluster-admin')}] } } }\n`,
    ],
  ])('%s counts as what it carries (146)', (_what, text) => {
    expect(wider('', text)).toEqual([
      'whatever ClusterRole cluster-admin grants, everywhere (it is not in the package)',
    ]);
    expect(wider(text, text)).toEqual([]);
  });

  test('webhooks, and a role with its binding, each for itself', () => {
    expect(wider('', work(`${ROLE}, ${ADMIN('own')}`))).toEqual(['list on secrets in every namespace']);
    const evil =
      '{ apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: { name: m }, webhooks: [{ name: h, clientConfig: { url: "https://e.example" } }] }';
    expect(wider('', work(evil))).toContain('h sends requests to https://e.example');
  });

  test('a role that another resource carries does not stand in for the bound one (146)', () => {
    const harmless = work(ROLE.replace('secrets', 'pods'));
    expect(wider(harmless, `${harmless}---\n${ADMIN('own')}\n`)).toContain(
      'whatever ClusterRole own grants, everywhere (the one in the package may be another)',
    );
  });

  test('what only names an object, and patterns of a policy, are none', () => {
    const named =
      'spec: { scaleTargetRef: { apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, name: b } }';
    expect(wider('', object('autoscaling/v2', 'HorizontalPodAutoscaler', named))).toEqual([]);
  });
});
