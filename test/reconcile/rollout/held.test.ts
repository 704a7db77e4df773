// @module-tag story
/** People at an open update pull request can see that its rollout holds it, and why; the ways back of a rollback are shown as what they are. */
import { putStatus } from '@portico/localforge/checks/put-status';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, configuration, locked } from '../../e2e/packages.ts';
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
    body: pull!.body ?? '',
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
  expect(held.body).toContain('**Held by the rollout `apps`** of `acme/up:web` upstream `v3`');
  expect(held.body).toContain('**Do not merge it now**');
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
  expect(free.body).not.toContain('Held by the rollout');
});

test('the check names whoever stopped it, and a paused wave; a repeated order writes nothing', async () => {
  const writes = await stage.writesOf(() => order('stop apps'), 'canary-b');
  // The check, the comment and the body, once each, however many are held.
  expect(writes.map(({ what }) => what)).toEqual([
    'PATCH /repos/:owner/:repo/check-runs/:run',
    'PATCH /repos/:owner/:repo/issues/comments/:comment',
    'PATCH /repos/:owner/:repo/pulls/:number',
  ]);
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

const BACK = { title: 'Roll back shop to upstream v2 (v3 is withdrawn)' };

test('a rollback pull request says which rollout, who and why, and is not held', async () => {
  await report('canary-a', 'failure');
  expect(await order('rollback apps')).toMatchObject({ reaction: 'rocket' });
  const [back] = await stage.repository('canary-a').pulls();
  expect(back).toMatchObject(BACK);
  expect(back!.body).toContain(
    `The rollout \`apps\` in \`acme/up\` withdraws upstream \`v3\`. alice rolled it back. ${WHY}.`,
  );
  expect(await page('canary-a')).toMatchObject(GREEN);
  expect(await stage.repository('canary-b').pulls()).toEqual([]);
  // The plan names nothing that is rolled back.
  const { reply } = await stage.repository('up').command(issue, '/portico plan');
  expect(reply).toMatch(
    /\| `acme\/canary-b:shop` \|.*\| – \| Nothing: the rollout of the package rolled back v3\. \|/i,
  );
  expect(reply).toMatch(/\| `acme\/canary-a:shop` \|.*the rollout of the package rolled back v3\. \|/);
});

test('rollback pull requests are counted in plan, dashboard and API, and published from one place', async () => {
  const [back] = await stage.repository('canary-a').pulls();
  const counts =
    'Rollback: 1 downstream still has upstream `v3`; 1 rollback pull request is open: ' +
    `\`acme/canary-a:shop\` to upstream \`v2\` in \`#${back!.number}\`.`;
  expect((await order('plan apps')).reply).toContain(counts);
  await stage.dashboard('up');
  const { data: issues } = await stage
    .as('alice')
    .rest.issues.listForRepo({ ...stage.repository('up').where, state: 'all' });
  expect(issues.find(({ title }) => title === 'Portico dashboard')?.body).toContain(counts);
  expect(await rows('rollouts')).toMatchObject([
    { state: 'rolled-back', rollback: { left: 1, proposed: 1 } },
  ]);
  const members = await rows('rollout-members');
  expect(members.filter((one) => 'rollback' in one)).toMatchObject([
    { downstream: 'acme/canary-a:shop', rollback: { to: 'v2', pull: back!.number } },
  ]);
  const plan = await stage.repository('up').command(issue, '/portico bulk publish --rollout=apps');
  expect(plan.reaction).toBe('rocket');
  const comments = await stage.repository('up').comments(issue);
  expect(comments.at(-1)?.body).toContain(`acme/canary-a#${back!.number}`);
});

test('the API has no downstream at a rolled-back revision for current, and none behind because of it', async () => {
  const drift = await rows('drift');
  const states = new Map(drift.map(({ repository, state, behind }) => [repository, { state, behind }]));
  expect(states.get('acme/canary-a')).toEqual({ state: 'withdrawn', behind: 0 });
  expect(states.get('acme/edge')).toEqual({ state: 'current', behind: 0 });
});

test('a pinned downstream goes back by the command that the rollout names', async () => {
  const repo = stage.repository('canary-c');
  const spec = 'branch: main\ndeployment: true\nupdates: { follow: v3 }\npublish: { requireApprovals: 0 }';
  await repo.push('main', { ...shop('v3'), '.github/portico.yaml': configuration('canary-c', spec) });
  await stage.idle();
  await stage.sweep();
  expect((await order('plan apps')).reply).toContain(
    'To roll back one without a rollback pull request, comment `/portico update acme/canary-c:shop@<revision>` in this repository.',
  );
  const again = await order('rollback apps web@v3');
  expect(again.reply).toContain('comment `/portico update acme/canary-c:shop@v2` here');
  const { reaction } = await stage.repository('up').command(issue, '/portico update acme/canary-c:shop@v2');
  expect(reaction).toBe('rocket');
  await stage.idle();
  await stage.sweep();
  const [back] = await repo.pulls();
  expect(back).toMatchObject(BACK);
  await repo.merge(back!.number);
  await stage.idle();
  expect(await repo.read('shop/config.yaml')).toContain('color: v2');
});

test('a restart begins a finished rollout again: what a wave holds is held, and nothing reported has no time', async () => {
  await release('v4');
  await order('skip apps canary');
  await order('skip apps all');
  expect((await order('plan apps')).reply).toContain('`v4`**: done.');
  expect(await page('edge')).toMatchObject(GREEN);
  await stage.repository('canary-a').merge((await page('canary-a')).number);
  expect(await order('restart apps')).toMatchObject({ reaction: 'rocket' });
  expect((await order('plan apps')).reply).toContain('`v4`**: running.');
  expect((await page('edge')).title).toBe(
    'Held: wave all (2 of 2) of rollout apps is not open; Earlier waves are not complete',
  );
  const [member] = (await rows('rollout-members')).filter(
    ({ downstream }) => downstream === 'acme/canary-a:shop',
  );
  expect(member).toMatchObject({ standing: 'published' });
  expect(member!['health']).toEqual({ state: 'pending', what: 'status flux' });
});

async function rows(collection: string): Promise<readonly Record<string, unknown>[]> {
  const { url } = stage.server();
  const answer = await fetch(`${url}/api/v1/${collection}`, {
    headers: { authorization: 'Bearer alice-token' },
  });
  return ((await answer.json()) as { items: Record<string, unknown>[] }).items;
}
