/** Pods in resources of any kind are judged as those of a Deployment are. */
import { describe, expect, test } from 'vitest';

import { filesOf, found, powers } from './judged.ts';

const POD = `{ containers: [ { name: main, image: 'elsewhere/x:1', securityContext: { privileged: true } } ] }`;
const resource = (kind: string, spec: string): string =>
  `apiVersion: jobs.example.com/v1\nkind: ${kind}\nmetadata: { name: train, namespace: shop }\nspec:\n${spec}\n`;

/** Kinds of the field, with the places of their pods. */
const KINDS: readonly (readonly [kind: string, spec: string, places: readonly string[]])[] = [
  [
    'JobSet',
    `  replicatedJobs:\n  - template: { spec: { template: { spec: ${POD} } } }`,
    ['spec.replicatedJobs[0].template.spec.template'],
  ],
  ['ScaledJob', `  jobTargetRef: { template: { spec: ${POD} } }`, ['spec.jobTargetRef.template']],
  [
    'LeaderWorkerSet',
    `  leaderWorkerTemplate:\n    leaderTemplate: { spec: ${POD} }\n    workerTemplate: { spec: ${POD} }`,
    ['spec.leaderWorkerTemplate.leaderTemplate', 'spec.leaderWorkerTemplate.workerTemplate'],
  ],
  [
    'ManifestWork',
    `  workload: { manifests: [ { apiVersion: v1, kind: Pod, spec: ${POD} } ] }`,
    ['spec.workload.manifests[0]'],
  ],
];

describe.each(KINDS)('the pods of a %s', (kind, spec, places) => {
  const text = resource(kind, spec);

  const files = { 'job.yaml': text };

  test('a privilege of each is told, with its place', () => {
    const told = powers(new Map(), filesOf(files)).filter((one) => one.includes('is privileged'));
    expect(told.map((one) => one.replace(/ \(job.yaml:\d+\)$/, ''))).toEqual(
      places.map((place) => `▲ ${kind} shop/train (${place}): container main is privileged`),
    );
  });

  test('policies refuse what is privileged, or from another registry, in each', async () => {
    const lines = text.split('\n').flatMap((line, at) => (line.includes('privileged') ? [at + 1] : []));
    expect(await found('no-privileged-pods', files)).toEqual(
      lines.map((line) => `job.yaml:${line} error the container main is privileged`),
    );
    const params = { registries: ['here.example.com'] };
    expect(await found('allowed-registries', files, { params })).toEqual(
      lines.map(
        (line) =>
          `job.yaml:${line} error the image elsewhere/x:1 is from none of the allowed registries: here.example.com`,
      ),
    );
  });

  test('what is said of its metadata is said once, and an exemption names it', async () => {
    const params = { labels: ['team'] };
    expect(await found('required-labels', files, { params })).toEqual([
      'job.yaml:3 error the label team is missing',
    ]);
    const exemptions = [{ name: 'e', until: '2099-01-01', why: 'w', resources: [{ kind }] }];
    const exempt = await found('no-privileged-pods', files, { exemptions });
    expect(exempt.filter((one) => one.includes(' error '))).toEqual([]);
  });

  test('policies of others see the resource alone', async () => {
    const rule = { validations: [{ expression: 'false', message: 'seen' }] };
    expect(await found(rule, files)).toEqual(['job.yaml:1 error seen']);
  });
});

test('a pattern of pods in a policy of Kyverno is no pod', async () => {
  const text = resource(
    'ClusterPolicy',
    `  rules: [ { validate: { pattern: { spec: { template: { spec: ${POD} } } } } } ]`,
  );
  expect(
    await found('no-privileged-pods', { 'a.yaml': text.replace('jobs.example.com', 'kyverno.io') }),
  ).toEqual([]);
  expect(await found('no-privileged-pods', { 'a.yaml': text })).toHaveLength(1);
});
