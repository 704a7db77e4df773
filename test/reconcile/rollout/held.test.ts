// @module-tag story
/** People at an open update pull request can see that its rollout holds it, and why; the ways back of a rollback are shown as what they are. */
import { putStatus } from '@portico/localforge/checks/put-status';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;
let issue: number;

const WEB = smallPackage('web', { data: { color: 'v1' } });
const DOWN = {
  spec: 'branch: main\ndeployment: true\nupdates: { follow: latest }\npublish: { requireApprovals: 0 }',
};
const NAMES = ['canary-a', 'canary-b', 'canary-c', 'edge'];
const ROLLOUT = `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: apps }
spec:
  upstreams: [{ packages: [web] }]
  waves:
  - { name: canary, select: { repositories: [canary-*] }, gate: { statuses: [flux] } }
  - { name: all }
`;
const at = new Map<string, string>();

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: { ...below('web', WEB), '.github/portico/rollout.yaml': ROLLOUT } },
      ...Object.fromEntries(NAMES.map((name) => [name, DOWN])),
    },
    { shares: true },
  );
  await stage.stopBot();
  const up = stage.repository('up');
  at.set('v1', await up.head('main'));
  await up.tag('web/v1', at.get('v1')!);
  await release('v2');
  for (const name of NAMES) {
    await stage.repository(name).push('main', shop('v1'));
    await stage.repository(name).push('main', shop('v2'));
  }
  await stage.startBot();
  await stage.sweep();
  issue = (await stage.as('alice').rest.issues.create({ ...up.where, title: 'The rollout' })).data.number;
  await release('v3');
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

function shop(revision: string): Record<string, string> {
  const lock = locked(
    WEB['Kptfile']!,
    stage.repository('up').url,
    'web',
    `web/${revision}`,
    at.get(revision)!,
  );
  const files = { ...WEB, 'config.yaml': configMap('web', { color: revision }), Kptfile: lock };
  return below('shop', files);
}

async function release(revision: string): Promise<void> {
  const up = stage.repository('up');
  at.set(revision, await up.push('main', { 'web/config.yaml': configMap('web', { color: revision }) }));
  await up.tag(`web/${revision}`, at.get(revision)!);
  await stage.idle();
}

async function report(name: string, state: 'success' | 'failure'): Promise<void> {
  const { context } = stage.forge;
  const repository = context.records.repositoryByName('acme', name)!;
  const by = context.records.account(repository.ownerId);
  const sha = await stage.repository(name).head('main');
  await putStatus(context, { repository, sha, by, context: 'kustomization/shop/0c9c2e41', state });
  await stage.idle();
}

/** The open update of a repository, as whoever opens its page sees it. */
async function page(name: string) {
  const repo = stage.repository(name);
  const [pull] = await repo.pulls();
  const { number } = pull!;
  const check = (await repo.checksOf(number)).get('portico');
  return {
    number,
    conclusion: check?.conclusion,
    title: check?.output.title,
    comment: await repo.sticky(number),
  };
}

const order = (line: string) => stage.repository('up').command(issue, `/portico rollout ${line}`);

const GREEN = { conclusion: 'success', title: 'All required checks pass' };
const WHY =
  'Wave canary failed: acme/canary-a:shop is not healthy: status kustomization/shop/0c9c2e41 failed';

test('a rollout that stops holds its open updates: check, comment and command say which, and why', async () => {
  expect(await page('canary-b')).toMatchObject(GREEN);
  await stage.repository('canary-a').merge((await page('canary-a')).number);
  await report('canary-a', 'failure');
  const held = await page('canary-b');
  expect(held).toMatchObject({
    conclusion: 'action_required',
    title: `Held: rollout apps is stopped; ${WHY}`,
  });
  expect(held.comment).toContain('### Proposal: held by its rollout');
  expect(held.comment).toContain(
    '**Held by the rollout `apps`** of `acme/up:web` upstream `v3`, defined in `acme/up`: rollout apps is stopped.',
  );
  expect(held.comment).toContain('acme/canary-a:shop is not healthy');
  expect(held.comment).toContain('`/portico rollout resume apps`');
  expect(held.comment).not.toContain('comment `/portico publish`');
  const refused = await stage.repository('canary-b').command(held.number, '/portico publish');
  expect(refused.reaction).toBe('confused');
  expect(refused.reply).toContain(`Held: rollout apps is stopped; ${WHY}`);
  expect(await stage.writesOf(() => stage.sweep())).toEqual([]);
});

test('a rollout that continues releases its updates without an event in their repositories', async () => {
  expect(await order('resume apps')).toMatchObject({ reaction: 'rocket' });
  const free = await page('canary-b');
  expect(free).toMatchObject(GREEN);
  expect(free.comment).toContain('**Next:** comment `/portico publish`, or merge it.');
});

test('the check names whoever stopped it, and a paused wave; a repeated order writes nothing', async () => {
  await order('stop apps');
  expect((await page('canary-b')).title).toBe('Held: rollout apps is stopped; alice stopped it');
  expect(await stage.writesOf(() => order('stop apps'), 'canary-b')).toEqual([]);
  await order('resume apps');
  await order('pause apps canary');
  expect((await page('canary-b')).title).toBe('Held: wave canary of rollout apps is paused; alice paused it');
  await order('resume apps canary');
  expect(await page('canary-b')).toMatchObject(GREEN);
});

test('an update that a person asks for by command is held by no rollout', async () => {
  await order('stop apps');
  const { number } = await page('canary-c');
  expect((await page('canary-c')).conclusion).toBe('action_required');
  await stage.repository('canary-c').command(number, '/portico update shop@v3');
  expect(await page('canary-c')).toMatchObject(GREEN);
  expect((await page('canary-b')).conclusion).toBe('action_required');
});
