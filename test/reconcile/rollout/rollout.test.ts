// @module-tag story
import { ARGO_APP } from '@portico/localforge/actors/apps';
import { beginRun, concludeRun } from '@portico/localforge/actors/check-app';
import { putStatus } from '@portico/localforge/checks/put-status';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

const PACKAGE = smallPackage('web', { data: { color: 'first' } });
const color = (name: string): Record<string, string> => ({
  'web/config.yaml': configMap('web', { color: name }),
});
const DOWN = {
  spec: 'branch: main\ndeployment: true\nupdates: { follow: latest }\npublish: { requireApprovals: 0 }',
};
const NAMES = ['canary', 'one', 'two', 'three', 'four'];

const ROLLOUT = `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: web }
spec:
  upstreams: [{ packages: [web] }]
  waves:
  - name: canary
    select: { topics: [canary] }
    gate: { statuses: [flux, argocd], onFailure: rollback }
  - { name: some, size: 50% }
  - name: all
`;

beforeAll(async () => {
  // The Friday and the stories of Flux and Argo CD play waves, too.
  stage = await startStage(
    {
      up: { files: { ...below('web', PACKAGE), '.github/portico/rollout.yaml': ROLLOUT } },
      ...Object.fromEntries(NAMES.map((name) => [name, DOWN])),
    },
    { shares: true },
  );
  const up = stage.repository('up');
  const at = await release('v1', 'second');
  const alice = stage.as('alice').rest;
  await alice.repos.replaceAllTopics({ ...stage.repository('canary').where, names: ['canary'] });
  for (const name of NAMES) {
    const kptfile = locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', at);
    const files = { ...PACKAGE, 'config.yaml': configMap('web', { color: 'second' }), Kptfile: kptfile };
    await stage.repository(name).push('main', below('shop', files));
  }
  await stage.sweep();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** A revision, made by hand. */
async function release(revision: string, name: string): Promise<string> {
  const up = stage.repository('up');
  const commit = await up.push('main', color(name));
  await up.tag(`web/${revision}`, commit);
  await stage.idle();
  return commit;
}

const openIn = async (): Promise<string[]> => {
  const all = await Promise.all(
    NAMES.map(async (name) => (await stage.repository(name).pulls()).map(({ title }) => `${name}: ${title}`)),
  );
  return all.flat();
};

async function bring(name: string): Promise<string> {
  const repo: StageRepository = stage.repository(name);
  const [pull] = await repo.pulls();
  await repo.merge(pull!.number);
  return repo.head('main');
}

async function dashboardOf(name: string): Promise<string> {
  await stage.dashboard(name);
  const { data } = await stage
    .as('alice')
    .rest.issues.listForRepo({ ...stage.repository(name).where, state: 'all' });
  return data.find(({ title }) => title === 'Portico dashboard')?.body ?? '';
}

/** As the tools do, on the newest commit of the branch: something else was pushed behind the published one. */
async function report(name: string, tool: 'flux' | 'argocd', state: 'success' | 'failure'): Promise<void> {
  const { context } = stage.forge;
  const repository = context.records.repositoryByName('acme', name)!;
  const commit = { repository, sha: await stage.repository(name).head('main'), branch: 'main' };
  if (tool === 'flux') {
    const by = context.records.account(repository.ownerId);
    await putStatus(context, { ...commit, by, context: 'kustomization/apps/0c9c2e41', state });
  } else {
    concludeRun(context, commit, beginRun(context, commit, ARGO_APP, 'continuous-delivery/shop'), state);
  }
  await stage.idle();
}

test('the canary alone, then some, then all; each when the one before is published and healthy', async () => {
  await release('v2', 'third');
  expect(await openIn()).toEqual(['canary: Update shop to upstream v2']);
  expect(await dashboardOf('one')).toContain('`wave-waiting` | v2 waits for wave');

  await bring('canary');
  expect(await openIn()).toEqual([]);
  const board = await dashboardOf('up');
  expect(board).toContain('w0["canary<br/>0 of 1"]:::open');
  expect(board).toContain('0 of 1 are healthy.');

  await stage.repository('canary').push('main', { 'README.md': 'Beside it.\n' });
  await report('canary', 'flux', 'success');
  expect(await openIn()).toEqual([]);
  await report('canary', 'argocd', 'success');
  expect(await openIn()).toEqual(['one: Update shop to upstream v2', 'four: Update shop to upstream v2']);
  expect(await stage.writesOf(() => stage.sweep())).toEqual([]);
});

test('a failing status stops, and takes the revision back where the gate says so', async () => {
  await release('v3', 'fourth');
  expect((await openIn())[0]).toBe('canary: Update shop to upstream v3');
  await bring('canary');
  await report('canary', 'argocd', 'failure');
  expect((await openIn())[0]).toBe('canary: Roll back shop to upstream v2 (v3 is withdrawn)');
  expect(await dashboardOf('two')).toContain('`wave-rolled-back`');
  await bring('canary');
  expect(await stage.repository('canary').read('shop/config.yaml')).toContain('color: third');
});

describe('the long story', { tags: ['campaign'] }, () => {
  test('people go on, skip and stop', async () => {
    const up = stage.repository('up');
    const { data: issue } = await stage.as('alice').rest.issues.create({ ...up.where, title: 'The rollout' });
    const said = (line: string, as: 'alice' | 'rita' = 'alice') => up.command(issue.number, line, as);
    expect(await said('/portico rollout resume web', 'rita')).toMatchObject({ reaction: 'confused' });
    expect(await said('/portico rollout skip web nowhere')).toMatchObject({ reaction: 'confused' });
    expect(await said('/portico rollout resume web')).toMatchObject({ reaction: 'rocket' });
    expect((await openIn())[0]).toBe('canary: Update shop to upstream v3');
    expect(await said('/portico rollout skip web canary')).toMatchObject({ reaction: 'rocket' });
    expect(await openIn()).toEqual(
      ['canary', 'one', 'four'].map((name) => `${name}: Update shop to upstream v3`),
    );
    const open = await openIn();
    expect(await said('/portico rollout rollback web')).toMatchObject({ reaction: 'rocket' });
    expect(await openIn()).toEqual([]);
    expect(await said('/portico rollout resume web')).toMatchObject({ reaction: 'rocket' });
    expect(await openIn()).toEqual(open);
    expect(await said('/portico rollout stop web')).toMatchObject({ reaction: 'rocket' });
    expect(await dashboardOf('up')).toContain('is stopped. alice stopped it.');
    expect(await dashboardOf('two')).toContain('`wave-stopped`');
    expect(await said('/portico rollout resume web')).toMatchObject({ reaction: 'rocket' });
  });

  test('the last wave comes when the one before is published, and then it is done', async () => {
    await bring('four');
    await bring('canary');
    expect(await openIn()).toEqual(['one: Update shop to upstream v3']);
    await bring('one');
    expect(await openIn()).toEqual(['two: Update shop to upstream v3', 'three: Update shop to upstream v3']);
    await bring('two');
    await bring('three');
    expect(await dashboardOf('up')).toContain('`acme/up:web` `v3` is done.');
  });

  test('a mistake in the document fails the check on its line', async () => {
    const up = stage.repository('up');
    const pull = await up.propose('mistake', {
      '.github/portico/rollout.yaml': ROLLOUT.replace('size: 50%', 'size: many'),
    });
    const check = (await up.checks(pull.head.sha)).get('portico/config');
    expect(check).toMatchObject({ conclusion: 'failure' });
    expect(check?.output.summary).toContain('`.github/portico/rollout.yaml:10`');
  });
});
