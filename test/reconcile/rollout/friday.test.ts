// @module-tag story
/** A bad release on a Friday: it stops in the first wave, one order takes it back from exactly those who have it, and the fix goes out. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { putStatus } from '@portico/localforge/checks/put-status';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { askedSeries, metricOf } from '../../deploy/asked-series.ts';
import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

/** What the owners' own gate says. */
const gate = { holds: false };
/** The operator's webhook, which fails the first time, and that gate. */
const heard: { readonly delivery: string; readonly type: string; readonly revision: string }[] = [];
const hook = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify(gate));
    return;
  }
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const { type, revision } = JSON.parse(Buffer.concat(parts).toString()) as {
      type: string;
      revision: string;
    };
    heard.push({ delivery: String(request.headers['x-portico-delivery']), type, revision });
    response.writeHead(heard.length === 1 ? 503 : 204).end();
  });
});

const WEB = smallPackage('web', { data: { color: 'v1' } });
const API = smallPackage('api', { data: { color: 'v1' } });
const DOWN = {
  spec: 'branch: main\ndeployment: true\nupdates: { follow: latest }\npublish: { requireApprovals: 0 }',
};
/** The revision of `web` that each was at before: the second canary never had v3. */
const BEFORE = { 'canary-a': 'v3', 'canary-b': 'v2', 'edge-a': 'v3', 'edge-b': 'v3' };
const CANARIES = ['canary-a', 'canary-b'] as const;
const NAMES = Object.keys(BEFORE);

const rolloutOf = (url: string): string => `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: apps }
spec:
  upstreams: [{ packages: [web, api] }]
  owners: ['@acme/platform', '@bob']
  waves:
  - { name: canary, select: { repositories: [canary-*] }, gate: { statuses: [flux], urls: ['${url}/gate'], manual: true } }
  - { name: all }
`;

const at = new Map<string, string>();

beforeAll(async () => {
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}`;
  stage = await startStage(
    {
      up: {
        files: { ...below('web', WEB), ...below('api', API), '.github/portico/rollout.yaml': rolloutOf(url) },
      },
      ...Object.fromEntries(NAMES.map((name) => [name, DOWN])),
    },
    {
      shares: true,
      environment: {
        notify: { url, secret: 'secret', format: 'json' },
        insideHosts: url,
        gateHosts: [new URL(url).host],
      },
    },
  );
  await stage.stopBot();
  const up = stage.repository('up');
  at.set('v1', await up.head('main'));
  await up.tag('web/v1', at.get('v1')!);
  await up.tag('api/v1', at.get('v1')!);
  for (const name of ['v2', 'v3']) await release(name);
  for (const [name, before] of Object.entries(BEFORE)) {
    const repo = stage.repository(name);
    await repo.push('main', { ...shop('v1'), ...below('api', { ...API, Kptfile: lockOf('api', 'v1') }) });
    await repo.push('main', shop(before));
  }
  await stage.startBot();
  await stage.sweep();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  hook.close();
});

function lockOf(name: 'web' | 'api', revision: string): string {
  const { Kptfile } = name === 'web' ? WEB : API;
  return locked(Kptfile!, stage.repository('up').url, name, `${name}/${revision}`, at.get(revision)!);
}

function shop(revision: string): Record<string, string> {
  const files = { ...WEB, 'config.yaml': configMap('web', { color: revision }) };
  return below('shop', { ...files, Kptfile: lockOf('web', revision) });
}

async function release(revision: string): Promise<void> {
  const up = stage.repository('up');
  const commit = await up.push('main', { 'web/config.yaml': configMap('web', { color: revision }) });
  at.set(revision, commit);
  await up.tag(`web/${revision}`, commit);
  await stage.idle();
}

/** Open update pull requests of `shop`. */
async function open(): Promise<string[]> {
  const all = await Promise.all(
    NAMES.map(async (name) => (await stage.repository(name).pulls()).map(({ title }) => `${name}: ${title}`)),
  );
  return all.flat();
}

async function bring(name: string): Promise<void> {
  const repo = stage.repository(name);
  const [pull] = await repo.pulls();
  await repo.merge(pull!.number);
}

async function report(name: string, state: 'success' | 'failure'): Promise<void> {
  const { context } = stage.forge;
  const repository = context.records.repositoryByName('acme', name)!;
  const by = context.records.account(repository.ownerId);
  const sha = await stage.repository(name).head('main');
  await putStatus(context, {
    repository,
    sha,
    by,
    context: 'kustomization/shop/0c9c2e41',
    state,
  });
}

/** The process is down meanwhile and no webhook arrives: the next sweep finds the rest. */
async function unheard(work: () => Promise<unknown>): Promise<void> {
  await stage.stopBot();
  await work();
  await stage.startBot();
  await stage.sweep();
}

interface Told {
  readonly number: number;
  readonly comments: readonly string[];
}

/** What the owners were told. */
async function told(): Promise<Told> {
  const up = stage.repository('up');
  const { data } = await stage.as('alice').rest.issues.listForRepo({ ...up.where, state: 'all' });
  const issue = data.find(({ title }) => title === 'Rollout apps');
  if (issue === undefined) return { number: 0, comments: [] };
  const comments = await up.comments(issue.number);
  return {
    number: issue.number,
    comments: comments.flatMap(({ body }) => (body?.includes('@acme/platform') ? [body] : [])),
  };
}

test('a bad release stops in the first wave, and the owners are told once', async () => {
  await release('v4');
  expect(await open()).toEqual(CANARIES.map((name) => `${name}: Update shop to upstream v4`));
  for (const name of CANARIES) await bring(name);
  await unheard(() => report('canary-a', 'failure'));
  expect(await open()).toEqual([]);
  const { comments } = await told();
  expect(comments).toHaveLength(1);
  expect(comments[0]).toContain(
    '@acme/platform @bob **The rollout `apps` of `acme/up:web` `v4` is stopped.**',
  );
  expect(comments[0]).toContain('acme/canary-a:shop is not healthy');
  expect(await stage.writesOf(() => stage.sweep())).toEqual([]);
});

test('a rollback of several packages says what would go where, and does nothing until it is confirmed', async () => {
  const { number } = await told();
  const up = stage.repository('up');
  const before = await up.git('for-each-ref', 'refs/portico/rollout');
  const { reaction, reply } = await up.command(number, '/portico rollout rollback apps');
  expect(reaction).toBe('rocket');
  expect(reply).toContain('**Nothing is done yet.**');
  expect(reply).toContain('| `acme/up:web` | `acme/canary-a:shop` | upstream `v4` | upstream `v3` |');
  expect(reply).toContain('| `acme/up:web` | `acme/canary-b:shop` | upstream `v4` | upstream `v2` |');
  expect(reply).toContain(
    '| `acme/up:api` | `acme/canary-a:api` | upstream `v1` | stays: it was at no other revision |',
  );
  expect(await up.git('for-each-ref', 'refs/portico/rollout')).toBe(before);
  const refused = await up.command(number, '/portico rollout rollback apps api');
  expect(refused).toMatchObject({ reaction: 'confused' });
  expect(refused.reply).toContain('No downstream has a revision to go back to.');
  expect(await open()).toEqual([]);
});

test('one order takes it back from exactly those who have it, each to what it was at before', async () => {
  const up = stage.repository('up');
  const { number } = await told();
  await up.say(number, '/portico rollout rollback apps web');
  // Some of it is done when the process ends.
  await unheard(async () => {});
  expect(await open()).toEqual([
    'canary-a: Roll back shop to upstream v3 (v4 is withdrawn)',
    'canary-b: Roll back shop to upstream v2 (v4 is withdrawn)',
  ]);
  expect((await told()).comments).toHaveLength(1);
  expect((await told()).comments[0]).toContain('is rolled back');
  await bring('canary-a');
  await stage.idle();
  expect(await stage.repository('canary-a').read('shop/config.yaml')).toContain('color: v3');
  expect(await open()).toEqual(['canary-b: Roll back shop to upstream v2 (v4 is withdrawn)']);
});

test('the server tells every series that alerts and panels ask for, and how the rollout is', async () => {
  const text = await (await fetch(`${stage.server().url}/metrics`)).text();
  const there = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name));
  const asked = ['deploy/prometheus/alerts.yaml', 'deploy/grafana/portico.json'].flatMap((file) =>
    askedSeries(readFileSync(file, 'utf8')),
  );
  expect(asked.length).toBeGreaterThan(40);
  expect(asked.filter((name) => !there.has(name) && !there.has(metricOf(name)))).toEqual([]);
  // Of two packages, one was taken back. What is counted is there before it happens.
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      'portico_rollouts{state="rolled-back"} 1',
      'portico_rollouts{state="unknown"} 0',
      'portico_jobs_given_up_total{kind="notice",outcome="dead"} 0',
      'portico_deliveries_total{event="deployment_status",outcome="unreadable"} 0',
    ]),
  );
});

test('the fix goes out through the waves, also to one that could not go back', async () => {
  await release('v5');
  expect(await open()).toEqual(CANARIES.map((name) => `${name}: Update shop to upstream v5`));
  for (const name of CANARIES) await bring(name);
  await report('canary-a', 'success');
  await stage.idle();
  expect(await open()).toEqual([]);
  await report('canary-b', 'success');
  await stage.idle();
  expect(await open()).toEqual([]);
  expect((await told()).comments).toHaveLength(1);
  gate.holds = true;
  await stage.sweep();
  // All that is left is somebody's approval, and whoever may give it is told so, once.
  await stage.stopBot();
  await stage.startBot();
  expect(await stage.writesOf(() => stage.sweep())).toEqual([]);
  expect(await open()).toEqual([]);
  const { number, comments } = await told();
  expect(comments).toHaveLength(2);
  const command = '/portico rollout approve apps canary web@v5';
  expect(comments[1]).toContain(
    '@acme/platform @bob **Wave `canary` of the rollout `apps` of `acme/up:web` `v5`',
  );
  expect(comments[1]).toContain(`\`${command}\``);
  await stage.repository('up').say(number, command);
  await stage.idle();
  expect(await open()).toEqual(NAMES.slice(2).map((name) => `${name}: Update shop to upstream v5`));
  const later = (await told()).comments;
  expect(later).toHaveLength(2);
  expect(later[0]).not.toContain('No longer so');
  expect(later[1]).toMatch(/^<!-- .* -->\n\*\*No longer so:\*\* the wave passed its gate\.\n\n@acme/);
});

test('the webhook of the operator hears of each once, however often the process was started and the webhook failed', () => {
  // The first was not taken, and came again under the same name; so does one in the middle of which the process ended.
  expect(heard.slice(0, 2).map(({ type }) => type)).toEqual(['rollout.stopped', 'rollout.stopped']);
  const known = new Map(heard.map((one) => [one.delivery, one]));
  expect([...known.values()].map(({ type, revision }) => [type, revision])).toEqual([
    ['rollout.stopped', 'v4'],
    ['rollout.rolled-back', 'v4'],
    ['rollout.approval-needed', 'v5'],
  ]);
});
