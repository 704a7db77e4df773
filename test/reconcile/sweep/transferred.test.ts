import { afterAll, beforeAll, expect } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** A repository with an open proposal goes to another owner, where Portico is installed too; no webhook tells of it. */
let stage: Stage;

beforeAll(async () => {
  const publish = 'branch: main\npublish: { requireApprovals: 0, directPushes: publish }';
  stage = await startStage({
    up: { spec: `${publish}\nsharing: { to: [acme/*] }`, files: below('web', smallPackage('web')) },
    edge: { spec: `${publish}\nsharing: { from: [acme/*, beta/*] }\nupdates: { follow: latest }`, files: {} },
    other: { owner: 'beta', files: {} },
  });
  await stage.idle();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

longTest('transferred to another owner: its proposals and its downstreams go on', async () => {
  const up = stage.repository('up');
  const files = smallPackage('web');
  const Kptfile = locked(files['Kptfile']!, up.url, 'web', 'web/v1', (await up.tags()).get('web/v1')!);
  await stage.repository('edge').push('main', below('shop', { ...files, Kptfile }));
  const green = { 'web/config.yaml': configMap('web', { color: 'green' }) };
  const { number } = await up.propose('drafts/web/next', green);
  const { records } = stage.forge.context;
  const { id } = records.repositoryByName('acme', 'up')!;
  records.repositories.update(id, { ownerId: records.accountByLogin('beta')!.id });
  records.redirects.insert({ from: 'acme/up', repositoryId: id });
  await stage.sweep();
  const { rest } = stage.as('alice');
  const there = { owner: 'beta', repo: 'up' };
  await rest.issues.createComment({ ...there, issue_number: number, body: '/portico publish' });
  await stage.idle();
  const { data: tags } = await rest.repos.listTags(there);
  expect(tags.map(({ name }) => name).toSorted()).toEqual(['web/v1', 'web/v2']);
  const updates = await stage.repository('edge').pulls();
  expect(updates.map(({ title }) => title)).toEqual(['Update shop to upstream v2']);
});
