/** The committed schema held against the validators of another project, made from Kubernetes' own description. */
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { CronJob } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { Role } from 'kubernetes-models/rbac.authorization.k8s.io/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';

import { check } from './check.ts';

const MODELS = {
  Deployment,
  StatefulSet,
  CronJob,
  Ingress,
  NetworkPolicy,
  Role,
  ConfigMap,
  Service,
} as const;

const container = { name: 'a', image: 'a:1' };
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
const selector = { matchLabels: { a: 'b' } };

/** Kind, what it holds beside its head, and whether that is right. */
const CASES: readonly [keyof typeof MODELS, Record<string, unknown>, boolean][] = [
  ['Deployment', { spec: { selector, template, replicas: 3 } }, true],
  ['Deployment', { spec: { selector, template, replicas: 'three' } }, false],
  ['Deployment', { spec: { selector, template, replicas: 1.5 } }, false],
  ['Deployment', { spec: { template } }, false],
  ['Deployment', { spec: { selector } }, false],
  ['Deployment', { spec: { selector, template: { spec: { containers: container } } } }, false],
  ['Deployment', { spec: { selector, template: { spec: { containers: [{ image: 'a' }] } } } }, false],
  [
    'Deployment',
    { spec: { selector, template, strategy: { rollingUpdate: { maxSurge: '10%', maxUnavailable: 1 } } } },
    true,
  ],
  ['Deployment', { spec: { selector, template, strategy: { rollingUpdate: { maxSurge: true } } } }, false],
  ['Deployment', { spec: { selector: { matchLabels: { a: 1 } }, template } }, false],
  ['StatefulSet', { spec: { selector, template, serviceName: 'a', volumeClaimTemplates: [] } }, true],
  ['StatefulSet', { spec: { selector, template, volumeClaimTemplates: {} } }, false],
  ['CronJob', { spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } } }, true],
  ['CronJob', { spec: { jobTemplate: { spec: { template } } } }, false],
  ['CronJob', { spec: { schedule: '* * * * *', suspend: 'never', jobTemplate: {} } }, false],
  [
    'Ingress',
    {
      spec: {
        rules: [
          {
            http: {
              paths: [
                { path: '/', pathType: 'Prefix', backend: { service: { name: 'a', port: { number: 80 } } } },
              ],
            },
          },
        ],
      },
    },
    true,
  ],
  ['Ingress', { spec: { rules: [{ http: { paths: [{ path: '/', backend: {} }] } }] } }, false],
  [
    'NetworkPolicy',
    { spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }, { port: 'http' }] }] } },
    true,
  ],
  ['NetworkPolicy', { spec: { podSelector: [], policyTypes: ['Ingress'] } }, false],
  ['Role', { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] }, true],
  ['Role', { rules: [{ resources: ['pods'] }] }, false],
  ['Role', { rules: [{ verbs: 'get' }] }, false],
  ['ConfigMap', { data: { a: 'b' }, immutable: true }, true],
  ['ConfigMap', { data: { a: 1 } }, false],
  ['ConfigMap', { data: ['a'] }, false],
  ['Service', { spec: { ports: [{ port: 80, targetPort: 'http' }], type: 'ClusterIP' } }, true],
  ['Service', { spec: { ports: [{ targetPort: 80 }] } }, false],
  ['Service', { spec: { ports: [{ port: '80' }] } }, false],
];

test.each(CASES)('%s %j: %s', (kind, rest, right) => {
  const Model = MODELS[kind];
  const object = { apiVersion: Model.apiVersion, kind, metadata: { name: 'a' }, ...rest };
  const model = new Model(object as never);
  if (right) expect(() => model.validate()).not.toThrow();
  else expect(() => model.validate()).toThrow();
  const complaints = check(stringify(object));
  expect(complaints.length === 0, complaints.join('\n')).toBe(right);
});
