import { statSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { kubernetesSchema } from '../../../src/function/schema/kubernetes-schema.ts';
import { check } from './check.ts';
import { KUBERNETES_KINDS } from './kubernetes-kinds.ts';

/** One right resource of each common kind, with the fields that people use. */
const RIGHT = String.raw`
apiVersion: v1
kind: Pod
metadata: { name: a, namespace: b, labels: { app: a }, annotations: { a/b: "1" }, creationTimestamp: null }
spec:
  restartPolicy: Always
  securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 9223372036854775807, sysctls: [{ name: a, value: "1" }] }
  containers:
  - name: a
    image: nginx:1.27
    args: [--a, "1"]
    env: [{ name: A, value: "1" }, { name: B, valueFrom: { secretKeyRef: { name: s, key: k, optional: true } } }]
    envFrom: [{ configMapRef: { name: c } }]
    ports: [{ containerPort: 80, name: http, protocol: TCP }]
    resources: { limits: { cpu: 2, memory: 1Gi, nvidia.com/gpu: 1 }, requests: { cpu: 0.5, memory: 100Mi } }
    livenessProbe: { httpGet: { path: /, port: http }, periodSeconds: 5 }
    readinessProbe: { tcpSocket: { port: 80 } }
    startupProbe: { grpc: { port: 80, service: a } }
    securityContext: { capabilities: { drop: [ALL] }, readOnlyRootFilesystem: true }
    volumeMounts: [{ name: v, mountPath: /v, readOnly: true }]
    lifecycle: { preStop: { exec: { command: [sleep, "1"] } } }
  volumes:
  - { name: v, emptyDir: { sizeLimit: 1Gi, medium: Memory } }
  - { name: w, projected: { sources: [{ serviceAccountToken: { path: t } }, { downwardAPI: { items: [{ path: a, resourceFieldRef: { resource: limits.cpu, divisor: 1 } }] } }] } }
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: a, labelSelector: { matchLabels: { app: a } } } }] } }
  tolerations: [{ key: a, operator: Exists, effect: NoSchedule, tolerationSeconds: 5 }]
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule }]
  overhead: { cpu: 1 }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: a }
spec:
  replicas: 3
  selector: { matchExpressions: [{ key: a, operator: In, values: [b] }] }
  strategy: { type: RollingUpdate, rollingUpdate: { maxSurge: 25%, maxUnavailable: 0 } }
  template: { metadata: { labels: { app: a } }, spec: { containers: [{ name: a, image: b }] } }
status: {}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: a }
spec:
  serviceName: a
  selector: { matchLabels: { app: a } }
  podManagementPolicy: Parallel
  updateStrategy: { rollingUpdate: { partition: 1, maxUnavailable: 1 } }
  template: { spec: { containers: [{ name: a }] } }
  volumeClaimTemplates: [{ metadata: { name: v }, spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } } }]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: a }
spec: { selector: {}, template: { spec: { containers: [{ name: a }], hostNetwork: true } }, updateStrategy: { type: OnDelete } }
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: a }
spec:
  schedule: "0 * * * *"
  timeZone: Etc/UTC
  concurrencyPolicy: Forbid
  jobTemplate: { spec: { backoffLimit: 1, template: { spec: { restartPolicy: Never, containers: [{ name: a }] } } } }
---
apiVersion: batch/v1
kind: Job
metadata: { generateName: a- }
spec: { ttlSecondsAfterFinished: 5, completionMode: Indexed, template: { spec: { containers: [{ name: a }] } } }
---
apiVersion: v1
kind: Service
metadata: { name: a }
spec: { type: ClusterIP, clusterIP: None, selector: { app: a }, ports: [{ port: 80, targetPort: http }, { name: b, port: 81, targetPort: 8081 }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: a }
data: { a: "1", b: null }
binaryData: { c: AAAA }
immutable: true
---
apiVersion: v1
kind: Secret
metadata: { name: a }
type: Opaque
stringData: { a: b }
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: a }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 5Gi } }, storageClassName: fast, dataSourceRef: { kind: a, name: b } }
---
apiVersion: v1
kind: PersistentVolume
metadata: { name: a }
spec: { capacity: { storage: 1Gi }, accessModes: [ReadWriteOnce], hostPath: { path: /a }, nodeAffinity: { required: { nodeSelectorTerms: [{}] } } }
---
apiVersion: v1
kind: ResourceQuota
metadata: { name: a }
spec: { hard: { pods: 10, requests.cpu: "4" } }
---
apiVersion: v1
kind: LimitRange
metadata: { name: a }
spec: { limits: [{ type: Container, default: { cpu: 1 }, defaultRequest: { cpu: 100m }, max: { cpu: 2 }, maxLimitRequestRatio: { cpu: 4 } }] }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: a }
spec:
  ingressClassName: nginx
  tls: [{ hosts: [a], secretName: b }]
  rules: [{ host: a, http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: a, port: { number: 80 } } } }] } }]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: a }
spec: { podSelector: {}, policyTypes: [Ingress], ingress: [{ from: [{ ipBlock: { cidr: 10.0.0.0/8, except: [10.1.0.0/16] } }], ports: [{ port: http }, { port: 80, endPort: 90 }] }] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: a }
aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: b } }] }
rules: [{ apiGroups: [""], resources: [pods], verbs: [get] }, { nonResourceURLs: [/healthz], verbs: [get] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: a }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: a }
subjects: [{ kind: ServiceAccount, name: a, namespace: b }]
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: a }
spec:
  maxReplicas: 3
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: a }
  metrics: [{ type: Pods, pods: { metric: { name: a }, target: { type: AverageValue, averageValue: 100 } } }]
  behavior: { scaleDown: { policies: [{ type: Pods, value: 1, periodSeconds: 5 }], tolerance: 0.1 } }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: a }
spec: { minAvailable: 50%, selector: { matchLabels: { a: b } } }
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: a }
provisioner: p
parameters: { a: b }
allowVolumeExpansion: true
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: a }
webhooks:
- { name: a, sideEffects: None, admissionReviewVersions: [v1], clientConfig: { service: { name: a, namespace: b, port: 443 }, caBundle: Cg== }, rules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE], resources: ["*"], scope: "*" }], timeoutSeconds: 5 }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: a.b }
spec:
  group: b
  scope: Namespaced
  names: { kind: A, plural: a, shortNames: [x] }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {} }
    additionalPrinterColumns: [{ name: a, type: string, jsonPath: .a }]
    schema: { openAPIV3Schema: { type: object, properties: { a: { type: integer, default: 5, enum: [5, 6], minimum: 1 }, b: { x-kubernetes-preserve-unknown-fields: true, additionalProperties: true }, c: { type: array, items: { type: string } } } } }
---
apiVersion: v1
kind: List
items: [{ apiVersion: v1, kind: Namespace, metadata: { name: a } }]
`
  .trim()
  .split('\n---\n');

test('every kind can be read, and the text is small', () => {
  const kinds = [...KUBERNETES_KINDS];
  expect(kinds.length).toBeGreaterThan(150);
  for (const kind of kinds) {
    const [apiVersion = '', name = ''] = kind.split(' ');
    const properties = kubernetesSchema(apiVersion, name)?.properties;
    expect([...(properties?.keys() ?? [])], kind).toContain('apiVersion');
  }
  const size = statSync(new URL('../../../src/function/schema/kubernetes.txt', import.meta.url)).size;
  expect(size).toBeLessThan(400_000);
  expect(kubernetesSchema('apps/v1', 'constructor')).toBeUndefined();
});

describe('right resources', () => {
  test.each(RIGHT.map((text) => [/kind: (\w+)/.exec(text)?.[1] ?? '', text]))('%s passes', (_kind, text) =>
    expect(check(text)).toEqual([]),
  );
});

type Value = Record<string | number, unknown>;

/** Every field path of a value, `spec.containers.0.name`, as keys. */
function paths(value: unknown, head: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => {
    const path = [...head, key];
    return [path, ...paths((value as Value)[key], path)];
  });
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Value)[key], value);
}

/** Maps whose keys anybody may choose, and what nobody knows the fields of. */
const OPEN =
  /(?:^|\.)(?:labels|annotations|matchLabels|data|binaryData|stringData|nodeSelector|limits|requests|hard|capacity|default|defaultRequest|max|maxLimitRequestRatio|overhead|selector|parameters|status|properties|additionalProperties|items)$/;

/** What may be anything, or decides which schema is asked. */
const FREE =
  /^(?:apiVersion|kind)$|openAPIV3Schema\..*(?:default|enum\..|additionalProperties|items|items\.type)$|subresources\.status$/;

describe('mutations of right resources', () => {
  const resources = RIGHT.slice(0, -1).map((text) => check.read(text));

  test('an unknown field is found where it stands', () => {
    let mutated = 0;
    for (const resource of resources) {
      for (const path of [[], ...paths(resource)]) {
        const copy = structuredClone(resource);
        const target = at(copy, path);
        const text = path.join('.');
        if (typeof target !== 'object' || target === null || Array.isArray(target)) continue;
        if (OPEN.test(text) && !/(?:spec|policy)\.selector$/.test(text)) continue;
        if (text === 'spec.selector' && resource['kind'] === 'Service') continue;
        (target as Value)['unknownField'] = 1;
        mutated += 1;
        expect(check.value(copy)).toEqual([`${text}: additional properties 'unknownField' not allowed`]);
        expect(check.value(copy, { strict: false })).toEqual([]);
      }
    }
    console.log(`${mutated} unknown fields`);
    expect(mutated).toBeGreaterThan(150);
  });

  test('a wrong type is found where it stands', () => {
    let mutated = 0;
    for (const resource of resources) {
      for (const path of paths(resource)) {
        const text = path.join('.');
        if (FREE.test(text)) continue;
        const copy = structuredClone(resource);
        const parent = at(copy, path.slice(0, -1)) as Value;
        const key = path.at(-1)!;
        const was = parent[key];
        parent[key] = Array.isArray(was) ? { a: 1 } : typeof was === 'boolean' ? 'true' : [true];
        mutated += 1;
        const said = check.value(copy);
        expect(said, text).toHaveLength(1);
        expect(said[0], text).toMatch(/: got (?:array|object|string), want /);
        expect(said[0]!.slice(0, said[0]!.indexOf(': got'))).toBe(text);
      }
    }
    console.log(`${mutated} wrong types`);
    expect(mutated).toBeGreaterThan(300);
  });
});

const pod = (spec: string): string => `apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: ${spec}\n`;
const lease = (time: string): string =>
  `apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: { name: a }\nspec: { renewTime: "${time}" }\n`;

describe('what is wrong is said as upstream says it', () => {
  test.each([
    ['{ containers: [{ image: a }] }', "spec.containers.0: missing property 'name'"],
    [
      '{ containers: [{ name: a, ports: [{}] }] }',
      "spec.containers.0.ports.0: missing property 'containerPort'",
    ],
    ['{ containers: null }', 'spec.containers: got null, want array'],
    ['{ containers: [{ name: 5 }] }', 'spec.containers.0.name: got number, want string'],
    ['{ containers: [{ name: on }] }', 'spec.containers.0.name: got boolean, want string'],
    [
      '{ containers: [{ name: a, tty: yes }], dnsPolicy: off }',
      'spec.dnsPolicy: got boolean, want null or string',
    ],
    [
      '{ containers: [{ name: "on", tty: "yes" }] }',
      'spec.containers.0.tty: got string, want null or boolean',
    ],
    ['{ containers: [], priority: 1.5 }', 'spec.priority: got number, want null or integer'],
    ['{ containers: [], priority: "5" }', 'spec.priority: got string, want null or integer'],
    [
      '{ containers: [], overhead: { cpu: true } }',
      'spec.overhead.cpu: got boolean, want null or number or string',
    ],
    ['{ containers: [{ name: a, env: { A: b } }] }', 'spec.containers.0.env: got object, want null or array'],
    ['{ containers: [], "it\'s": 1 }', String.raw`spec: additional properties 'it\'s' not allowed`],
    [
      '{ containers: [], __proto__: 1, constructor: 2 }',
      "spec: additional properties '__proto__', 'constructor' not allowed",
    ],
    [
      '{ containers: [{ name: a, livenessProbe: { httpGet: { port: 1.5 } } }] }',
      'spec.containers.0.livenessProbe.httpGet.port: got number, want integer or string',
    ],
  ])('%s', (spec, message) => expect(check(pod(spec))).toEqual([message]));

  test('times are RFC 3339', () => {
    expect(check(lease('2026-02-28T23:59:60.000001Z'))).toEqual([]);
    for (const wrong of ['2026-02-29T00:00:00Z', '2026-02-28 00:00:00', 'now', '2026-02-28T24:00:00Z'])
      expect(check(lease(wrong))).toEqual([`spec.renewTime: '${wrong}' is not valid date-time`]);
  });
});
