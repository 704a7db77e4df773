// @module-tag story
/** `portico why` asks a running server, which answers from what it knows. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked } from '../e2e/packages.ts';
import { configMap, smallPackage } from '../reconcile/small-package.ts';
import { startStage, type Stage } from '../reconcile/stage.ts';
import { portico, type Outcome } from './run-portico.ts';

const WEB = smallPackage('web', { data: { color: 'v1' } });
const ROLLOUT = `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: apps }
spec:
  upstreams: [{ packages: [web] }]
  waves:
  - { name: canary, select: { repositories: [canary] }, gate: { statuses: [flux] } }
  - { name: all }
`;
const DOWN = { spec: 'branch: main\ndeployment: true\nupdates: { follow: latest }' };

let stage: Stage;

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: { ...below('web', WEB), '.github/portico/rollout.yaml': ROLLOUT } },
      canary: DOWN,
      edge: DOWN,
      lib: { files: below('web', WEB) },
    },
    { shares: true },
  );
  await stage.stopBot();
  const up = stage.repository('up');
  const first = await up.head('main');
  await up.tag('web/v1', first);
  const lock = locked(WEB['Kptfile']!, up.url, 'web', 'web/v1', first);
  for (const name of ['canary', 'edge'])
    await stage.repository(name).push('main', below('shop', { ...WEB, Kptfile: lock }));
  await stage.startBot();
  await stage.sweep();
  await up.tag('web/v2', await up.push('main', { 'web/config.yaml': configMap('web', { color: 'v2' }) }));
  await stage.idle();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

function why(about: string, token = 'alice-token', ...more: readonly string[]): Promise<Outcome> {
  const env = { GITHUB_TOKEN: token, PORTICO_URL: stage.server().url };
  return portico(['why', about, ...more], { env });
}

test('an update that a rollout holds names the wave and the rollout', async () => {
  const { code, stdout } = await why('acme/edge:shop');
  expect(code).toBe(0);
  expect(stdout).toContain('shop: wave-waiting. v2 waits for wave all, 2 of 2, of the rollout apps.');
  expect((await why('acme/edge')).stdout).toContain('shop: wave-waiting.');
});

test('a proposal names the approval that it waits for; a webhook of it names its jobs, and why one had nothing to do', async () => {
  const lib = stage.repository('lib');
  const { number } = await lib.propose('colors', { 'web/config.yaml': configMap('web', { color: 'blue' }) });
  await stage.idle();
  const asked = await why(`acme/lib#${number}`);
  expect(asked.stdout).toContain(`#${number} is open and waits:`);
  expect(asked.stdout).toContain('Someone must approve, with a review or /portico approve.');

  type Line = {
    readonly msg: string;
    readonly delivery?: string;
    readonly kind?: string;
    readonly reason?: string;
  };
  const ended = stage.log
    .map((line) => JSON.parse(line) as Line)
    .find(({ msg, delivery, reason }) => msg === 'the job is done' && delivery && reason === 'other-branch')!;
  const { code, stdout } = await why(ended.delivery!);
  expect(code).toBe(0);
  expect(stdout).toContain(`Webhook ${ended.delivery} (push, `);
  expect(stdout).toMatch(/Job \w+ of acme\/lib had nothing to do at \S+: it is about another branch/);
  expect((await why(ended.delivery!, 'mallory-token')).code).toBe(65);

  const { reply } = await lib.command(number, '/portico explain');
  expect(reply).toContain('**Ready to publish**');
  expect(reply).toContain('**Work and updates**');
});

test('a job that fails says with what, and until when it waits', async () => {
  const ref = stage.forge.context.records.repositoryByName('acme', 'lib')!;
  const repository = { installationId: 1, id: ref.id, owner: 'acme', name: 'lib' };
  await stage.server().bot.queue.enqueue({
    kind: 'publication',
    key: 'bad',
    data: { repository, at: 'x' },
  });
  await expect
    .poll(async () => (await why('acme/lib')).stdout, { timeout: 20_000 })
    .toMatch(/Job publication of acme\/lib waits until \S+, attempt \d+, after JOB_UNREADABLE\./);
  const { stdout } = await why('acme/lib', 'alice-token', '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    about: 'acme/lib',
    leftOut: 0,
    jobs: expect.arrayContaining([expect.objectContaining({ code: 'JOB_UNREADABLE' })]),
  });
});

test('a job about no repository is counted and not named', async () => {
  const delivery = 'cccccccc-0000-4000-8000-000000000000';
  await stage.server().bot.queue.enqueue({
    kind: 'sweep',
    key: 'secret-name',
    data: { delivery },
    startAfterSeconds: 600,
  });
  const { code, stdout } = await why(delivery, 'mallory-token');
  expect([code, stdout]).toEqual([0, '1 more are not shown.\n']);
});

test('a lost webhook, a hidden repository, a wrong subject and an absent server end with the documented codes', async () => {
  const lost = await why('00000000-0000-4000-8000-000000000000');
  expect(lost.code).toBe(65);
  expect(lost.stderr).toContain('NO_DELIVERY');
  expect(lost.stderr).toContain('Recent Deliveries');
  expect((await why('acme/edge', 'mallory-token')).code).toBe(65);
  expect((await why('acme')).code).toBe(64);
  expect(
    (
      await portico(['why', 'acme/edge'], {
        env: { GITHUB_TOKEN: '', GH_TOKEN: 'x', PORTICO_URL: 'http://127.0.0.1:9' },
      })
    ).code,
  ).toBe(1);
});
