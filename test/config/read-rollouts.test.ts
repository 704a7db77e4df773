import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { publishedSchemas } from '../../scripts/published-schema.ts';
import { readRollouts } from '../../src/config/read-rollouts.ts';

const read = (text: string): ReturnType<typeof readRollouts> =>
  readRollouts({ file: '.github/portico/rollout.yaml', bytes: new TextEncoder().encode(text) });

const HEAD = 'apiVersion: config.portico.dev/v1alpha1\nkind: Rollout\nmetadata: { name: web }\n';

test('a whole document', () => {
  const { rollouts, problems } = read(`apiVersion: v1
kind: ConfigMap
metadata: { name: other }
---
${HEAD}spec:
  upstreams: [{ packages: [web] }, { repo: acme/blueprints, packages: ['apps/**'] }]
  owners: ['@acme/platform', '@alice']
  waves:
  - name: canary
    select: { topics: [canary], repositories: [acme/*], properties: { tier: edge }, deployment: true }
    size: 2
    pauseAfter: 30m
    gate: { published: 50%, statuses: [ci/*], deployments: [production], timeout: 1d, onFailure: rollback }
  - name: some
    size: 10%
    select: { labels: { tier: prod }, inventory: { kind: Cluster, labels: { region: eu } } }
    gate: { manual: true, stopAt: 5% }
  - name: all
`);
  expect(problems).toEqual([]);
  expect(rollouts).toEqual([
    {
      line: 5,
      rollout: {
        name: 'web',
        upstreams: [{ packages: ['web'] }, { repo: 'acme/blueprints', packages: ['apps/**'] }],
        owners: ['@acme/platform', '@alice'],
        waves: [
          {
            name: 'canary',
            select: {
              topics: ['canary'],
              repositories: ['acme/*'],
              properties: { tier: 'edge' },
              deployment: true,
            },
            size: { kind: 'count', count: 2 },
            pauseAfter: 1_800,
            gate: {
              published: { kind: 'percent', percent: 50 },
              statuses: ['ci/*'],
              deployments: ['production'],
              timeout: 86_400,
              onFailure: 'rollback',
            },
          },
          expect.objectContaining({
            name: 'some',
            size: { kind: 'percent', percent: 10 },
            select: { labels: { tier: 'prod' }, inventory: { kind: 'Cluster', labels: { region: 'eu' } } },
            gate: expect.objectContaining({ manual: true, stopAt: { kind: 'percent', percent: 5 } }),
          }),
          expect.objectContaining({
            name: 'all',
            select: {},
            pauseAfter: 0,
            gate: {
              published: { kind: 'percent', percent: 100 },
              statuses: [],
              deployments: [],
              onFailure: 'stop',
            },
          }),
        ],
      },
    },
  ]);
});

test.each([
  [
    'an unknown field',
    'spec:\n  upstreams: [{ packages: [web] }]\n  waves:\n  - name: a\n    pause: 3m',
    8,
    'pauseAfter',
  ],
  [
    'a share',
    'spec:\n  upstreams: [{ packages: [web] }]\n  waves:\n  - name: a\n    size: 0%',
    8,
    'per cent',
  ],
  [
    'an age',
    'spec:\n  upstreams: [{ packages: [web] }]\n  waves:\n  - name: a\n    pauseAfter: soon',
    8,
    '30m',
  ],
  [
    'twice one name',
    'spec:\n  upstreams: [{ packages: [web] }]\n  waves:\n  - name: a\n  - name: a',
    8,
    'twice',
  ],
  [
    'an owner who is none',
    'spec:\n  upstreams: [{ packages: [web] }]\n  owners: [admin]\n  waves:\n  - name: a',
    6,
    '@org/team',
  ],
  ['a reserved name', 'spec:\n  upstreams: [{ packages: [web] }]\n  waves:\n  - name: rest', 7, 'all others'],
  ['no waves', 'spec:\n  upstreams: [{ packages: [web] }]', 5, 'missing'],
])('%s is told with its line', (_what, spec, line, words) => {
  const { rollouts, problems } = read(HEAD + spec);
  expect(rollouts).toMatchObject([{ rollout: { name: 'web', waves: [], mistake: expect.any(String) } }]);
  expect(problems).toHaveLength(1);
  expect(`${problems[0]!.message} ${problems[0]!.hint}`).toContain(words);
  expect(problems[0]!.line).toBe(line);
});

test('an upstream of a person whose login has an underscore', () => {
  const { rollouts, problems } = read(
    `${HEAD}spec:\n  upstreams: [{ repo: octo_acme/blueprints, packages: [web] }]\n  waves: [{ name: a }]`,
  );
  expect(problems).toEqual([]);
  expect(rollouts).toHaveLength(1);
});

test('a kind with a slip of the pen is told', () => {
  const { problems } = read(HEAD.replace('Rollout', 'Rolout'));
  expect(problems).toMatchObject([{ line: 2, hint: 'Did you mean Rollout?' }]);
});

test('the schema in the documentation is the one that checks', () => {
  const written = readFileSync(new URL('../../docs/rollout.schema.json', import.meta.url), 'utf8');
  expect(JSON.parse(written)).toEqual(publishedSchemas()['rollout.schema.json']);
});
