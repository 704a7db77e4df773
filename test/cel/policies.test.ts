import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { withGeneratedPart } from '../../scripts/generated-part.ts';
import { judge } from '../../src/cel/judge.ts';
import { policyList } from '../../src/cel/policies/reference.ts';
import { READY_POLICIES, readyPolicy } from '../../src/cel/policies/table.ts';
import { compilePolicy } from '../../src/cel/policy.ts';
import type { Change, Data } from '../../src/cel/review.ts';
import { parseRepositoryConfig } from '../../src/config/parse-repository-config.ts';
import { filledParams, paramProblems } from '../../src/config/policy-params.ts';

type Params = Readonly<Record<string, unknown>>;

const pod = (spec: Data, metadata: Data = {}): Data => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', ...metadata },
  spec,
});
const inPod = (container: Data, rest: Data = {}): Data =>
  pod({ ...rest, containers: [{ name: 'c', ...container }] });
const deployment = (spec: Data, rest: Data = {}): Data => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: { ...rest, template: { spec } },
});
const cron = (spec: Data): Data => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'a' },
  spec: { jobTemplate: { spec: { template: { spec } } } },
});
const persistentVolume = (spec: Data): Data => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'a' },
  spec,
});
const clusterRole = (fields: Data): Data => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'a' },
  ...fields,
});
const gathering = (...clusterRoleSelectors: Data[]): Data =>
  clusterRole({ aggregationRule: { clusterRoleSelectors } });
const configMap: Data = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

/** What a policy says of one resource: the fields, and the first message. */
function said(
  name: string,
  object: Data | null,
  params: Params = {},
  oldObject: Data | null = null,
): string[] {
  const ready = readyPolicy(name)!;
  expect(paramProblems(ready, params)).toEqual([]);
  const compiled = compilePolicy(ready.policy);
  if (!compiled.ok) throw new Error(compiled.problems[0]!.message);
  const changes: Change[] = [{ object, oldObject }];
  const facts = { name: 'web', path: 'shop/eu/web', repository: '', labels: {}, annotations: {} };
  const review = { changes, package: facts, params: filledParams(ready, params), namespaces: {} };
  return judge(compiled.compiled, review).map(({ kind, field, message }) =>
    kind === 'violation' ? `${field ?? '-'}: ${message}` : `${kind}: ${message}`,
  );
}

const claiming = (storage: string): Data => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db' },
  spec: {
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { resources: { requests: { storage } } } }],
  },
});

const CASES: Readonly<Record<string, readonly [string, Data | null, string[], Params?, Data?][]>> = {
  'no-latest-images': [
    ['a version', inPod({ image: 'nginx:1.27' }), []],
    ['a digest', inPod({ image: 'nginx@sha256:0123' }), []],
    ['a registry with a port and a version', inPod({ image: 'localhost:5000/nginx:v1' }), []],
    ['no pods', configMap, []],
    [
      'a workload of another kind',
      { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { template: 'x' } },
      ['error'],
    ],
    [
      'latest',
      inPod({ image: 'nginx:latest' }),
      ['spec.containers[0].image: the image nginx:latest is whatever'],
    ],
    [
      'no tag',
      inPod({ image: 'localhost:5000/nginx' }),
      ['spec.containers[0].image: the image localhost:5000/nginx has no tag'],
    ],
    [
      'init containers',
      pod({ initContainers: [{ image: 'a:1' }, { image: 'b' }] }),
      ['spec.initContainers[1].image'],
    ],
    [
      'jobs by the clock',
      cron({ containers: [{ image: 'b' }] }),
      ['spec.jobTemplate.spec.template.spec.containers[0].image'],
    ],
    [
      'pod templates',
      {
        apiVersion: 'v1',
        kind: 'PodTemplate',
        metadata: { name: 'a' },
        template: { spec: { containers: [{ image: 'b' }] } },
      },
      ['template.spec.containers[0].image'],
    ],
    ['containers that are no list', pod({ containers: 'x' }), ['error']],
    [
      'a volume',
      pod({ volumes: [{ name: 'v', image: { reference: 'a:latest' } }] }),
      ['spec.volumes[0].image.reference: the image a:latest is whatever'],
    ],
  ],
  'allowed-registries': [
    ['the registry', inPod({ image: 'ghcr.io/acme/a:v1' }), [], { registries: ['ghcr.io/acme'] }],
    [
      'another with the same beginning',
      inPod({ image: 'ghcr.io/acme-evil/a' }),
      ['spec.containers[0].image'],
      { registries: ['ghcr.io/acme'] },
    ],
    ['the default registry', inPod({ image: 'nginx' }), [], { registries: ['docker.io'] }],
    [
      'of the library only',
      inPod({ image: 'someone/nginx' }),
      ['spec.containers[0].image'],
      { registries: ['docker.io/library/'] },
    ],
    [
      'a host in capitals, which Docker does not read as a user of its own registry',
      inPod({ image: 'EVIL/a' }),
      ['spec.containers[0].image'],
      { registries: ['docker.io'] },
    ],
    [
      'a local registry',
      inPod({ image: 'localhost:5000/a' }),
      ['spec.containers[0].image'],
      { registries: ['docker.io'] },
    ],
    [
      'a registry in capitals',
      inPod({ image: 'EVIL/a' }),
      ['spec.containers[0].image'],
      { registries: ['docker.io'] },
    ],
    [
      'an image that is a volume',
      deployment({
        volumes: [
          { emptyDir: {} },
          { image: { reference: 'evil.example/a:v1' } },
          { image: { reference: 'ghcr.io/a:v1' } },
        ],
      }),
      ['spec.template.spec.volumes[1].image.reference: the image evil.example/a:v1 is from none'],
      { registries: ['ghcr.io'] },
    ],
  ],
  'required-labels': [
    ['all there', { ...configMap, metadata: { name: 'a', labels: { team: 'x' } } }, [], { labels: ['team'] }],
    ['no labels', configMap, ['metadata.labels.team: the label team is missing'], { labels: ['team'] }],
    [
      'an empty one',
      { ...configMap, metadata: { name: 'a', labels: { team: '' } } },
      ['metadata.labels.team'],
      { labels: ['team'] },
    ],
    [
      'a wrong value',
      { ...configMap, metadata: { name: 'a', labels: { team: 'xy' } } },
      ['metadata.labels.team: the label team must match x'],
      { labels: ['team'], values: { team: 'x' } },
    ],
    [
      'a template',
      deployment({ containers: [] }),
      ['metadata.labels.a/b', 'spec.template.metadata.labels.a/b'],
      { labels: ['a/b'], pods: true },
    ],
  ],
  'namespace-by-path': [
    ['the first part', { ...configMap, metadata: { name: 'a', namespace: 'shop' } }, []],
    ['none', configMap, []],
    [
      'another',
      { ...configMap, metadata: { name: 'a', namespace: 'x' } },
      ['metadata.namespace: the namespace of the package shop/eu/web is shop, not x'],
    ],
    ['one that is allowed', { ...configMap, metadata: { name: 'a', namespace: 'x' } }, [], { allow: ['x'] }],
    [
      'by another rule',
      { ...configMap, metadata: { name: 'a', namespace: 'p-shop-eu-web-web' } },
      [],
      { namespace: 'p-{path}-{name}' },
    ],
    ['a Namespace', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } }, ['metadata.name']],
  ],
  'resource-limits': [
    [
      'all said',
      inPod({ resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '1Gi' } } }),
      [],
    ],
    [
      'limits are requests too',
      inPod({ resources: { requests: { cpu: 1 }, limits: { memory: '1Gi' } } }),
      [],
    ],
    [
      'nothing said',
      inPod({}),
      [
        'spec.containers[0].resources.requests.cpu: the container c has no request for cpu',
        'spec.containers[0].resources.requests.memory',
        'spec.containers[0].resources.limits.memory',
      ],
    ],
    [
      'too much',
      inPod({ resources: { limits: { memory: '5Gi' } } }),
      ['spec.containers[0].resources.limits.memory: the container c may use more than 4Gi'],
      { requests: [], maxMemory: '4Gi' },
    ],
  ],
  probes: [
    ['both', deployment({ containers: [{ livenessProbe: {}, readinessProbe: {} }] }), []],
    [
      'one',
      deployment({ containers: [{ name: 'c', livenessProbe: {} }] }),
      ['spec.template.spec.containers[0].readinessProbe: the container c has no readinessProbe'],
    ],
    ['init containers need none', deployment({ initContainers: [{}] }), []],
    ['jobs need none', cron({ containers: [{}] }), []],
  ],
  'replica-bounds': [
    ['within', deployment({}, { replicas: 3 }), []],
    ['too many', deployment({}, { replicas: 21 }), ['spec.replicas: 21 replicas: there must be 1 to 20']],
    ['too few', deployment({}, { replicas: 1 }), ['spec.replicas'], { min: 2 }],
    ['one where none is said', deployment({}), ['spec.replicas'], { min: 2 }],
    [
      'an autoscaler',
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'a' },
        spec: { maxReplicas: 99 },
      },
      ['spec.maxReplicas'],
    ],
  ],
  'no-privileged-pods': [
    ['a plain pod', inPod({ securityContext: { capabilities: { add: ['NET_BIND_SERVICE'] } } }), []],
    ['the network of the node', inPod({}, { hostNetwork: true }), ['spec.hostNetwork']],
    ['its processes', inPod({}, { hostPID: true, hostIPC: true }), ['spec.hostPID', 'spec.hostIPC']],
    [
      'its folders',
      inPod(
        {},
        {
          volumes: [
            { name: 'v', emptyDir: {} },
            { name: 'w', hostPath: { path: '/etc' } },
          ],
        },
      ),
      ['spec.volumes[1].hostPath: the volume w is a folder of the node'],
    ],
    [
      'a folder that is allowed',
      inPod({}, { volumes: [{ name: 'w', hostPath: { path: '/var/log/x' } }] }),
      [],
      { hostPaths: ['/var/log'] },
    ],
    [
      'one beside it',
      inPod({}, { volumes: [{ name: 'w', hostPath: { path: '/var/logs' } }] }),
      ['spec.volumes[0].hostPath'],
      { hostPaths: ['/var/log'] },
    ],
    [
      'privileged',
      inPod({ securityContext: { privileged: true } }),
      ['spec.containers[0].securityContext.privileged'],
    ],
    [
      'an init container',
      pod({ initContainers: [{ securityContext: { privileged: true } }] }),
      ['spec.initContainers[0].securityContext.privileged'],
    ],
    [
      'more privileges later',
      inPod({ securityContext: { allowPrivilegeEscalation: true } }),
      ['spec.containers[0].securityContext.allowPrivilegeEscalation'],
    ],
    [
      'capabilities',
      inPod({ securityContext: { capabilities: { add: ['NET_BIND_SERVICE', 'SYS_ADMIN'] } } }),
      ['spec.containers[0].securityContext.capabilities.add[1]'],
    ],
    [
      'ports',
      inPod({ ports: [{ containerPort: 1, hostPort: 80 }] }),
      ['spec.containers[0].ports[0].hostPort'],
    ],
    [
      'a process of the node, by the pod',
      inPod({}, { securityContext: { windowsOptions: { hostProcess: true } } }),
      ['spec.securityContext.windowsOptions.hostProcess'],
    ],
    [
      'a process of the node, by an ephemeral container of a cron job',
      cron({ ephemeralContainers: [{ securityContext: { windowsOptions: { hostProcess: true } } }] }),
      [
        'spec.jobTemplate.spec.template.spec.ephemeralContainers[0].securityContext.windowsOptions.hostProcess',
      ],
    ],
    [
      'all of /proc',
      inPod({ securityContext: { procMount: 'Unmasked' } }),
      ['spec.containers[0].securityContext.procMount: the container c sees all of /proc'],
    ],
    [
      'a PersistentVolume that is a folder of the node',
      persistentVolume({ hostPath: { path: '/' } }),
      ['spec.hostPath: the volume a is a folder of the node'],
    ],
    ['a local PersistentVolume', persistentVolume({ local: { path: '/mnt/a' } }), ['spec.local']],
    [
      'one that is allowed',
      persistentVolume({ hostPath: { path: '/data/a' } }),
      [],
      { hostPaths: ['/data'] },
    ],
    ['another PersistentVolume', persistentVolume({ nfs: { server: 'a', path: '/' } }), []],
    [
      'AppArmor switched off in a template',
      {
        ...deployment({ containers: [] }),
        spec: {
          template: {
            metadata: {
              annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' },
            },
            spec: { containers: [] },
          },
        },
      },
      ['spec.template.metadata.annotations: the annotation container.apparmor'],
    ],
    ['what only the restricted standard demands', inPod({}, { volumes: [{ name: 'n', nfs: {} }] }), []],
    [
      'the restricted standard',
      inPod({}, { volumes: [{ name: 'n', nfs: {} }] }),
      [
        'spec.containers[0].securityContext.allowPrivilegeEscalation',
        'spec.containers[0].securityContext.capabilities.drop',
        'spec.containers[0].securityContext.seccompProfile',
        'spec.volumes[0]',
      ],
      { level: 'restricted' },
    ],
    ['what runs no pods, by the restricted standard', configMap, [], { level: 'restricted' }],
  ],
  'run-as-non-root': [
    ['of the pod', inPod({}, { securityContext: { runAsNonRoot: true } }), []],
    ['of the container', inPod({ securityContext: { runAsNonRoot: true } }), []],
    [
      'the container takes it back',
      inPod({ securityContext: { runAsNonRoot: false } }, { securityContext: { runAsNonRoot: true } }),
      ['spec.containers[0].securityContext.runAsNonRoot'],
    ],
    ['not said', inPod({}), ['spec.containers[0].securityContext.runAsNonRoot']],
    [
      'as root',
      inPod({ securityContext: { runAsNonRoot: true, runAsUser: 0 } }),
      ['spec.containers[0].securityContext.runAsUser'],
    ],
    [
      'as root by the pod',
      inPod({}, { securityContext: { runAsNonRoot: true, runAsUser: 0 } }),
      ['spec.securityContext.runAsUser: the pod runs as root'],
    ],
  ],
  'read-only-root': [
    ['said', inPod({ securityContext: { readOnlyRootFilesystem: true } }), []],
    ['not said', inPod({}), ['spec.containers[0].securityContext.readOnlyRootFilesystem']],
  ],
  'no-default-service-account': [
    ['one of its own', inPod({}, { serviceAccountName: 'web' }), []],
    ['no token', inPod({}, { automountServiceAccountToken: false }), []],
    [
      'a token by a volume',
      pod({
        automountServiceAccountToken: false,
        volumes: [{ projected: { sources: [{ serviceAccountToken: { path: 'a' } }] } }],
      }),
      ['spec.serviceAccountName'],
    ],
    ['none', inPod({}), ['spec.serviceAccountName']],
    [
      'the default one',
      deployment({ serviceAccountName: 'default' }),
      ['spec.template.spec.serviceAccountName'],
    ],
    ['no pods', configMap, []],
  ],
  'no-wildcard-roles': [
    [
      'named',
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'a' },
        rules: [{ verbs: ['get'], resources: ['pods'], apiGroups: [''] }],
      },
      [],
    ],
    [
      'all',
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'a' },
        rules: [{ verbs: ['*'], resources: ['*'] }],
      },
      ['rules[0].verbs', 'rules[0].resources'],
    ],
    [
      'cluster-admin',
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'a' },
        roleRef: { name: 'cluster-admin' },
      },
      ['roleRef.name'],
    ],
    [
      'every path',
      clusterRole({
        rules: [
          { verbs: ['get'], nonResourceURLs: ['*'] },
          { verbs: ['get'], nonResourceURLs: ['/*'] },
        ],
      }),
      ['rules[0].nonResourceURLs', 'rules[1].nonResourceURLs'],
    ],
    [
      'verbs that take more',
      clusterRole({ rules: [{ verbs: ['get', 'bind', 'escalate'] }, { verbs: ['impersonate'] }] }),
      ['rules[0].verbs[1]', 'rules[0].verbs[2]', 'rules[1].verbs[0]'],
    ],
    ['verbs that are allowed', clusterRole({ rules: [{ verbs: ['bind'] }] }), [], { verbs: [] }],
    [
      'roles that gather all others',
      gathering(
        {},
        { matchLabels: {} },
        { matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] },
        { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] },
      ),
      [0, 1, 2, 3].map((at) => `aggregationRule.clusterRoleSelectors[${at}]`),
    ],
    [
      'roles that gather cluster-admin',
      gathering(
        { matchLabels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' } },
        { matchExpressions: [{ key: 'kubernetes.io/bootstrapping', operator: 'Exists' }] },
      ),
      [0, 1].map((at) => `aggregationRule.clusterRoleSelectors[${at}]`),
    ],
    [
      'roles that gather some',
      gathering(
        { matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
        { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
      ),
      [],
    ],
    ['roles that gather none', gathering(), []],
  ],
  'no-plain-secrets': [
    [
      'a sealed one',
      {
        apiVersion: 'bitnami.com/v1alpha1',
        kind: 'SealedSecret',
        metadata: { name: 'a' },
        spec: { encryptedData: { a: 'x' } },
      },
      [],
    ],
    ['an empty one', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: {} }, []],
    [
      'one with data',
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'a' },
        data: { k: 'eA==' },
        stringData: { l: 'x' },
      },
      ['data.k', 'stringData.l'],
    ],
    [
      'one that is allowed',
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { k: 'eA==' } },
      [],
      { allow: ['a'] },
    ],
    [
      'a variable',
      inPod({
        env: [
          { name: 'LEVEL', value: 'x' },
          { name: 'DB_PASSWORD', value: 'x' },
        ],
      }),
      ['spec.containers[0].env[1].value'],
    ],
    ['a variable from a Secret', inPod({ env: [{ name: 'DB_PASSWORD', valueFrom: {} }] }), []],
  ],
  'no-exposed-services': [
    ['inside', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: {} }, []],
    [
      'outside',
      { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { type: 'NodePort' } },
      ['spec.type'],
    ],
    [
      'by addresses',
      { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { externalIPs: ['192.0.2.1'] } },
      ['spec.externalIPs'],
    ],
  ],
  'kept-resources': [
    ['there', configMap, []],
    [
      'a Namespace that goes',
      null,
      ['-: Namespace x is removed'],
      {},
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x' } },
    ],
    ['a ConfigMap that goes', null, [], {}, configMap],
  ],
  'steady-selectors': [
    ['new', deployment({}, { selector: { a: 'b' } }), []],
    [
      'the same',
      deployment({}, { selector: { a: 'b' } }),
      [],
      {},
      deployment({}, { selector: { a: 'b' }, replicas: 2 }),
    ],
    [
      'another',
      deployment({}, { selector: { a: 'b' } }),
      ['spec.selector'],
      {},
      deployment({}, { selector: { a: 'c' } }),
    ],
    ['a larger volume claim', claiming('50Gi'), ['spec.volumeClaimTemplates'], {}, claiming('10Gi')],
  ],
};

test('every policy has its cases, good ones and bad ones', () => {
  expect(Object.keys(CASES)).toEqual(READY_POLICIES.map(({ name }) => name));
  for (const cases of Object.values(CASES)) {
    expect(cases.some(([, , wanted]) => wanted.length === 0)).toBe(true);
    expect(cases.some(([, , wanted]) => wanted.length > 0)).toBe(true);
  }
});

describe.each(Object.entries(CASES))('%s', (name, cases) => {
  test.each(cases)('%s', (_what, object, wanted, params, oldObject) => {
    const got = said(name, object, params, oldObject);
    expect(got.map((line, at) => (line.startsWith(wanted[at] ?? '-') ? wanted[at] : line))).toEqual(wanted);
  });
});

/** Both policies that are the restricted standard. */
const restrictedly = (object: Data): string[] => [
  ...said('no-privileged-pods', object, { level: 'restricted' }),
  ...said('run-as-non-root', object),
];

describe('the Pod Security Standards', () => {
  type Recorded = Readonly<Record<string, { readonly spec: Data; readonly annotations?: Data }>>;
  type Level = Readonly<Record<'pass' | 'fail', Recorded>>;
  const url = new URL('./pod-security.json', import.meta.url);
  const { baseline, restricted } = JSON.parse(readFileSync(url, 'utf8')) as Record<
    'baseline' | 'restricted',
    Level
  >;
  const podsOf = (recorded: Recorded): [string, Data][] =>
    Object.entries(recorded).map(([name, { spec, annotations }]) => [
      name,
      pod(spec, annotations && { annotations }),
    ]);
  const capabilities = baseline.pass['capabilities_baseline0']!.spec['containers'] as {
    securityContext: { capabilities: { add: string[] } };
  }[];
  const allowed = { capabilities: capabilities[0]!.securityContext.capabilities.add };

  test.each(podsOf(baseline.fail))('%s fails baseline', (_name, object) => {
    expect(said('no-privileged-pods', object, allowed)).not.toEqual([]);
  });
  // Where pods have users of their own, Kubernetes 1.35 and later allow this, and older ones do not.
  test.each(podsOf(baseline.pass).filter(([name]) => name !== 'procmount1'))(
    '%s passes baseline',
    (_name, object) => {
      expect(said('no-privileged-pods', object, allowed)).toEqual([]);
    },
  );
  test.each(podsOf({ ...baseline.fail, ...restricted.fail }))('%s fails restricted', (_name, object) => {
    expect(restrictedly(object)).not.toEqual([]);
  });
  test.each(podsOf(restricted.pass))('%s passes restricted', (_name, object) => {
    expect(restrictedly(object)).toEqual([]);
  });
});

test.each<[string, Params, object[]]>([
  ['required-labels', {}, [{ message: 'needs the param labels' }]],
  ['required-labels', { labels: 'team' }, [{ param: 'labels', message: 'must be a list of strings' }]],
  [
    'required-labels',
    { labels: [], vlues: {} },
    [{ param: 'vlues', message: 'is not a param of required-labels; did you mean values' }],
  ],
  ['replica-bounds', { max: 1.5 }, [{ param: 'max', message: 'must be a whole number' }]],
  [
    'no-latest-images',
    { a: 1 },
    [{ param: 'a', message: 'is not a param of no-latest-images; params here: none' }],
  ],
])('params of %s: %j', (name, params, problems) => {
  expect(paramProblems(readyPolicy(name)!, params)).toEqual(problems);
});

test('docs/policies.md lists them as they are', () => {
  const page = readFileSync(new URL('../../docs/policies.md', import.meta.url), 'utf8');
  expect(withGeneratedPart(page, policyList()), 'run: npm exec -- node scripts/generate-docs.ts').toBe(page);
});

test('the set to start with in docs/policies.md is valid and only warns', () => {
  const page = readFileSync(new URL('../../docs/policies.md', import.meta.url), 'utf8');
  const [, spec = ''] = /A set to start with[^]*?```yaml\n([^]*?)```/.exec(page) ?? [];
  const text = `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: { name: deploy }\n${spec}`;
  const result = parseRepositoryConfig({ file: '.github/portico.yaml', bytes: Buffer.from(text) });
  expect(result.problems).toEqual([]);
  const validators = result.config?.guardrails.validators ?? [];
  expect(validators.map(({ mode }) => mode)).toEqual(validators.map(() => 'warn'));
  expect(spec).toContain('policy: steady-selectors');
});
