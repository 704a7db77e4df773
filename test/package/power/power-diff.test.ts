import { describe, expect, test } from 'vitest';

import type { PackageFiles } from '../../../src/package/package.ts';
import { diffPower } from '../../../src/package/power/power-diff.ts';
import { powerMarkdown } from '../../../src/package/power/power-markdown.ts';

function files(texts: Readonly<Record<string, string>>): PackageFiles {
  return new Map(
    Object.entries(texts).map(([path, text]) => [
      path,
      { mode: '100644' as const, bytes: new TextEncoder().encode(text) },
    ]),
  );
}

const one = (text: string): PackageFiles => files({ 'a.yaml': text });

/** `▲ who: what` and `!` where it is dangerous. */
function told(before: string, after: string): string[] {
  return diffPower(one(before), one(after)).changes.map(
    ({ direction, who, what, danger }) =>
      `${direction === 'wider' ? '▲' : '▼'}${danger === undefined ? '' : '!'} ${who}: ${what}`,
  );
}

const role = (rules: string, kind = 'ClusterRole'): string =>
  `apiVersion: rbac.authorization.k8s.io/v1\nkind: ${kind}\nmetadata:\n  name: reader${kind === 'Role' ? '\n  namespace: shop' : ''}\nrules:\n${rules}\n`;
const binding = (kind: string, subject: string, ref = 'ClusterRole', name = 'reader'): string =>
  `---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ${kind}\nmetadata:\n  name: b${kind === 'RoleBinding' ? '\n  namespace: shop' : ''}\nsubjects:\n- ${subject}\nroleRef: { apiGroup: rbac.authorization.k8s.io, kind: ${ref}, name: ${name} }\n`;
const ACCOUNT = '{ kind: ServiceAccount, name: web, namespace: shop }';
const rule = (group: string, resources: string, verbs: string, more = ''): string =>
  `- { apiGroups: ["${group}"], resources: [${resources}], verbs: [${verbs}]${more} }`;

describe('RBAC', () => {
  test('a new verb is wider, one that is gone narrower; a wildcard covers what is below it', () => {
    const bound = binding('ClusterRoleBinding', ACCOUNT);
    expect(
      told(role(rule('', 'pods', 'get, list')) + bound, role(rule('', 'pods', 'get, watch')) + bound),
    ).toEqual([
      '▲ ServiceAccount shop/web: watch on pods in every namespace',
      '▼ ServiceAccount shop/web: list on pods in every namespace',
    ]);
    expect(
      told(
        role(rule('', '"*"', '"*"')) + bound,
        role(rule('', 'pods', 'get') + '\n' + rule('', '"*"', '"*"')) + bound,
      ),
    ).toEqual([]);
    expect(
      told(
        role(rule('', '"*/scale"', 'get')) + bound,
        role(rule('', '"*/scale", pods/scale', 'get')) + bound,
      ),
    ).toEqual([]);
  });

  test('who is bound where makes the difference', () => {
    const pods = role(rule('', 'pods', 'get'));
    expect(
      told(pods + binding('RoleBinding', ACCOUNT), pods + binding('ClusterRoleBinding', ACCOUNT)),
    ).toEqual(['▲ ServiceAccount shop/web: get on pods in every namespace']);
    expect(told(pods, role(rule('', 'pods', 'get, list')))).toEqual([
      '▲ whoever has ClusterRole reader: list on pods in every namespace',
    ]);
    expect(told(pods, `${pods}  \n`)).toEqual([]);
  });

  test.each([
    ['secrets of the whole cluster', rule('', 'secrets', 'list'), 'list on secrets in every namespace'],
    ['exec', rule('', 'pods/exec', 'create'), 'create on pods/exec in every namespace'],
    ['every verb', rule('apps', 'deployments', '"*"'), 'every verb on deployments.apps in every namespace'],
    [
      'escalate',
      rule('rbac.authorization.k8s.io', 'clusterroles', 'escalate'),
      'escalate on clusterroles.rbac.authorization.k8s.io in every namespace',
    ],
    ['impersonate', rule('', 'users', 'impersonate'), 'impersonate on users in every namespace'],
    ['every resource', rule('', '"*"', 'get'), 'get on every resource in every namespace'],
    ['every path', '- { nonResourceURLs: ["*"], verbs: [get] }', 'get on the path *'],
  ])('%s is dangerous', (_name, written, what) => {
    const bound = binding('ClusterRoleBinding', ACCOUNT);
    expect(told(role('[]').replace('\n[]', ' []') + bound, role(written) + bound)).toEqual([
      `▲! ServiceAccount shop/web: ${what}`,
    ]);
  });

  test('named secrets, or those of one namespace, are ordinary', () => {
    const bound = binding('RoleBinding', ACCOUNT, 'Role');
    expect(told('', role(rule('', 'secrets', 'get'), 'Role') + bound)).toEqual([
      '▲ ServiceAccount shop/web: get on secrets in shop',
    ]);
  });

  test('a role that the package does not hold is an unknown grant, cluster-admin a known one', () => {
    expect(told('', binding('ClusterRoleBinding', ACCOUNT, 'ClusterRole', 'cluster-admin'))).toEqual([
      '▲! ServiceAccount shop/web: whatever ClusterRole cluster-admin grants, everywhere (it is not in the package)',
    ]);
    expect(
      told(
        '',
        binding('RoleBinding', '{ kind: Group, name: "system:authenticated" }', 'ClusterRole', 'view'),
      ),
    ).toEqual([
      '▲! Group system:authenticated: whatever ClusterRole view grants, in its namespace (it is not in the package)',
    ]);
  });

  test('aggregation is told both ways', () => {
    const gathers = `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: all }\naggregationRule:\n  clusterRoleSelectors:\n  - matchLabels: { x: z }\n`;
    expect(told('', gathers)).toEqual([
      '▲! ClusterRole all: the rules of every ClusterRole selected by {"matchLabels":{"x":"z"}}',
    ]);
    const given = role(rule('', 'pods', 'get')).replace(
      'name: reader',
      'name: reader\n  labels: { rbac.authorization.k8s.io/aggregate-to-view: "true" }',
    );
    expect(told('', given)).toContain('▲ whoever has ClusterRole view: get on pods in every namespace');
  });

  test('an unchanged role that a changed binding brings into force is read', () => {
    const before = files({ 'role.yaml': role(rule('', 'pods', 'get')) });
    const after = new Map([
      ...before,
      ...files({ 'b.yaml': binding('ClusterRoleBinding', ACCOUNT).slice(4) }),
    ]);
    const { changes } = diffPower(before, after);
    expect(changes).toContainEqual(
      expect.objectContaining({
        direction: 'wider',
        who: 'ServiceAccount shop/web',
        file: 'role.yaml',
        line: 6,
      }),
    );
  });
});

const pod = (security: string, more = ''): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: web }\nspec:\n  template:\n    spec:\n      containers:\n      - name: app\n        securityContext: ${security}\n${more}`;

test('what a list holds counts like what stands alone, and an equal file is read only where RBAC changes', () => {
  const list = `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleList\nitems:\n- metadata: { name: reader }\n  rules:\n  - { apiGroups: [""], resources: [secrets], verbs: [list] }\n`;
  expect(told('', list)).toEqual(['▲! whoever has ClusterRole reader: list on secrets in every namespace']);
  const nested = `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: PodList\n  items:\n  - metadata: { name: p }\n    spec: { hostPID: true, containers: [] }\n`;
  expect(told('', nested)).toEqual(['▲! Pod p: sees all processes of the node']);
  const equal = { mode: '100644' as const, id: 'a', bytes: new Uint8Array() };
  const unread = Object.defineProperty({ ...equal }, 'bytes', {
    get: () => {
      throw new Error('nobody needs this');
    },
  });
  expect(diffPower(new Map([['x.yaml', unread]]), new Map([['x.yaml', unread]])).changes).toEqual([]);
});

describe('workloads', () => {
  test.each([
    ['{ privileged: true }', 'container app is privileged', true],
    ['{ capabilities: { add: [NET_ADMIN] } }', 'container app has the capability NET_ADMIN', true],
    ['{ capabilities: { add: [CHOWN] } }', 'container app has the capability CHOWN', false],
    ['{ runAsUser: 0 }', 'container app runs as root', true],
    ['{ allowPrivilegeEscalation: true }', 'container app may gain privileges', false],
    ['{ seccompProfile: { type: Unconfined } }', 'container app may make every system call', true],
    ['{ procMount: Unmasked }', 'container app sees all of /proc', true],
    ['{ windowsOptions: { hostProcess: true } }', 'container app is a process of the node', true],
    ['{ appArmorProfile: { type: Unconfined } }', 'container app has no AppArmor profile', true],
    ['{ seLinuxOptions: { type: spc_t } }', 'container app has the SELinux type spc_t', true],
    ['{ seLinuxOptions: { user: root } }', 'container app has the SELinux user root', true],
  ])('%s widens, and is narrower the other way', (security, what, danger) => {
    expect(told(pod('{}'), pod(security))).toEqual([`▲${danger ? '!' : ''} Deployment web: ${what}`]);
    expect(told(pod(security), pod('{}'))).toEqual([`▼${danger ? '!' : ''} Deployment web: ${what}`]);
  });

  test.each([
    ['hostNetwork: true', 'uses the network of the node'],
    ['hostPID: true', 'sees all processes of the node'],
    ['volumes: [{ name: v, hostPath: { path: /etc } }]', 'mounts /etc of the node'],
    [
      'initContainers: [{ name: i, startupProbe: { httpGet: { host: 10.0.0.1, port: 1 } } }]',
      'container i has its node call 10.0.0.1',
    ],
    [
      'initContainers: [{ name: i, lifecycle: { preStop: { tcpSocket: { host: a.example, port: 1 } } } }]',
      'container i has its node call a.example',
    ],
  ])('%s of the pod', (field, what) => {
    expect(told(pod('{}'), pod('{}', `      ${field}\n`))).toEqual([`▲! Deployment web: ${what}`]);
  });

  test('a protection that is lost is wider; a workload that comes with one is not narrower', () => {
    const safe = '{ runAsNonRoot: true, allowPrivilegeEscalation: false }';
    expect(told(pod(safe), pod('{}'))).toEqual([
      '▲ Deployment web: no longer: container app may not gain privileges',
      '▲ Deployment web: no longer: container app may not run as root',
    ]);
    expect(told('', pod(safe))).toEqual([]);
    expect(told(pod(safe), '')).toEqual([]);
  });

  test('stand on their line and column', () => {
    expect(diffPower(one(pod('{}')), one(pod('\n          privileged: true'))).changes[0]).toMatchObject({
      file: 'a.yaml',
      line: 10,
      column: 11,
    });
  });
});

const hook = (more: string): string =>
  `apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: { name: m }\nwebhooks:\n- name: h.example.com\n  failurePolicy: Ignore\n  rules:\n  - { operations: [CREATE], apiGroups: [""], resources: [pods] }\n${more}`;

describe('the cluster', () => {
  test.each([
    [
      'a webhook',
      hook(''),
      '▲! MutatingWebhookConfiguration m: h.example.com may change CREATE of pods of core',
    ],
    [
      'an API service',
      'apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: { name: v1.x }\nspec: { group: x, version: v1, service: { name: s, namespace: ns } }\n',
      '▲! APIService v1.x: serves v1 of x by Service ns/s',
    ],
    [
      'an identity',
      'apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: a, annotations: { eks.amazonaws.com/role-arn: "arn:x" } }\n',
      '▲! ServiceAccount a: acts as the AWS role arn:x',
    ],
    [
      'cloud rights',
      'apiVersion: iam.cnrm.cloud.google.com/v1beta1\nkind: IAMPolicyMember\nmetadata: { name: a }\nspec: { role: roles/owner }\n',
      '▲! IAMPolicyMember a: spec.role: roles/owner',
    ],
    ...['hostPath', 'local'].map((type): [string, string, string] => [
      `a volume by ${type}`,
      `apiVersion: v1\nkind: PersistentVolume\nmetadata: { name: a }\nspec: { ${type}: { path: /etc } }\n`,
      '▲! PersistentVolume a: offers /etc of the node',
    ]),
    [
      'AppArmor switched off',
      'apiVersion: v1\nkind: Pod\nmetadata: { name: a, annotations: { container.apparmor.security.beta.kubernetes.io/c: unconfined } }\nspec: { containers: [] }\n',
      '▲! Pod a: container c has no AppArmor profile',
    ],
    [
      'a namespace without standard',
      'apiVersion: v1\nkind: Namespace\nmetadata: { name: a, labels: { pod-security.kubernetes.io/enforce: privileged } }\n',
      '▲! Namespace a: lets every pod run',
    ],
  ])('%s', (_name, text, expected) => {
    expect(told('', text)).toEqual([expected]);
    expect(told(text, text.replace('name:', ' name:').replace(':  name', ': name'))).toEqual([]);
  });

  test('a selector that is gone, and a network policy that is gone, are wider', () => {
    expect(told(hook('  namespaceSelector: { matchLabels: { a: b } }\n'), hook(''))).toEqual([
      '▲ MutatingWebhookConfiguration m: no longer: h.example.com is limited by {"matchLabels":{"a":"b"}}',
    ]);
    const policy = 'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: p }\nspec: {}\n';
    expect(told(policy, '')).toEqual(['▲ NetworkPolicy p: no longer: limits what pods may reach by {}']);
  });
});

const list = (prefix: string, n: number): string =>
  Array.from({ length: n }, (_, at) => `${prefix}${at}`).join(', ');

describe('hostile input', () => {
  test('is no error, and what cannot be read is named', () => {
    const found = diffPower(
      files({}),
      files({
        'bad.yaml': '{[',
        'odd.yaml':
          role('- 5\n- { verbs: 3, apiGroups: [1], resources: {} }') + binding('ClusterRoleBinding', '7'),
        'pod.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: 5\nspec: { containers: [1, null], volumes: x }\n',
        'big.yaml': 'kind: ServiceAccount\nspec: { a: 99999999999999999999 }\n',
      }),
    );
    expect(found.unread).toEqual(['bad.yaml']);
  });

  test('many rights are told as too many, at once', () => {
    const huge = role(
      `- { apiGroups: [${list('g', 60)}], resources: [${list('r', 60)}], verbs: [${list('v', 60)}] }`,
    );
    expect(told('', huge + binding('ClusterRoleBinding', ACCOUNT))[0]).toContain(
      'more than 50000 single rights',
    );
  });

  test('its text stands in code', () => {
    const bad = role(rule('', '"a|b`@acme/all <!-- x"', 'get'));
    const text = powerMarkdown(diffPower(one(''), one(bad)));
    expect(text.split('\n')).toHaveLength(3);
    expect(text).not.toContain('<!--');
    expect(text.split('\n')[2]).toContain('\\|');
  });
});
