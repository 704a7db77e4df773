import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/**
 * What happens to repositories and revisions while an update is open. Each has its own downstream. What happens to
 * revisions is told in every run, and what happens to repositories with PORTICO_LONG=1.
 */
const LONG = process.env['PORTICO_LONG'] === '1';
const NAMES = LONG
  ? (['retired', 'merged', 'renamed', 'archived', 'emptied', 'gone'] as const)
  : (['retired', 'merged'] as const);
const PACKAGE = smallPackage('web', { data: { color: 'blue' } });
const spec = 'branch: main\nupdates: { follow: latest }';

let stage: Stage;

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: below('web', PACKAGE) },
      ...Object.fromEntries(NAMES.map((name) => [name, { spec }])),
    },
    { shares: true },
  );
  const up = stage.repository('up');
  await up.tag('web/v1', await up.head('main'));
  const at = (await up.tags()).get('web/v1')!;
  const shop = { ...PACKAGE, Kptfile: locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', at) };
  for (const name of NAMES) await stage.repository(name).push('main', below('shop', shop));
  await stage.idle();
  await release('v2', 'second');
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function release(revision: string, color: string, from = 'up'): Promise<void> {
  const up = stage.repository(from);
  await up.tag(`web/${revision}`, await up.push('main', { 'web/config.yaml': configMap('web', { color }) }));
  await stage.idle();
}

const titles = async (name: string, state?: 'open' | 'all'): Promise<string[]> =>
  (await stage.repository(name).pulls(state)).map(({ title }) => title);

async function said(name: string): Promise<string> {
  const repository = stage.repository(name);
  const [newest] = await repository.pulls('all');
  return (await repository.comments(newest!.number)).map(({ body }) => body).join('\n');
}

longTest(
  'a revision is retired: who has it goes back, its open update is closed, and that is no "not this one"',
  async () => {
    for (const name of NAMES) expect(await titles(name), name).toEqual(['Update shop to upstream v2']);
    await stage.repository('merged').merge(1);
    expect(await stage.repository('merged').read('shop/Kptfile')).toContain('ref: web/v2');
    const up = stage.repository('up');
    const second = (await up.tags()).get('web/v2')!;
    await stage.as('alice').rest.git.deleteRef({ ...up.where, ref: 'tags/web/v2' });
    await stage.idle();
    expect(await titles('merged')).toEqual(['Update shop to upstream v1']);
    expect(await titles('retired')).toEqual([]);
    expect(await said('retired')).toContain('Nothing is left to update.');
    expect(await said('retired')).toContain('### Closed by Portico');
    expect(await said('retired')).not.toContain('Reopen');
    await up.tag('web/v2', second);
    await stage.idle();
    expect(await titles('retired')).toEqual(['Update shop to upstream v2']);
    expect(await titles('merged')).toEqual([]);
  },
);

test(
  'renamed, archived, deleted, or without the package: the others get the next revision',
  { tags: ['campaign'] },
  async () => {
    const rest = stage.as('alice').rest;
    await rest.repos.update({ ...stage.repository('renamed').where, name: 'other' });
    await rest.repos.update({ ...stage.repository('archived').where, archived: true });
    await rest.repos.delete(stage.repository('gone').where);
    await stage.repository('emptied').push('main', { 'shop/Kptfile': null, 'shop/config.yaml': null });
    await release('v3', 'third');
    expect(await titles('other')).toEqual(['Update shop to upstream v3']);
    expect(await titles('archived')).toEqual(['Update shop to upstream v2']);
    expect(await titles('emptied')).toEqual([]);
    expect(await said('emptied')).toContain('`shop` no longer exists on `main`');
    expect(await titles('retired')).toEqual(['Update shop to upstream v3']);
    await rest.repos.update({ ...stage.repository('archived').where, archived: false });
    await stage.idle();
    expect(await titles('archived')).toEqual(['Update shop to upstream v3']);
  },
);

test(
  'the upstream is renamed: who is locked to its former name follows it',
  { tags: ['campaign'] },
  async () => {
    await stage.as('alice').rest.repos.update({ ...stage.repository('up').where, name: 'upper' });
    await stage.idle();
    await release('v4', 'fourth', 'upper');
    for (const name of ['other', 'retired'])
      expect(await titles(name)).toEqual(['Update shop to upstream v4']);
  },
);

longTest('whatever was written, it was by a token that can touch that repository alone', () => {
  const tokens = stage.forge.context.records.tokens
    .all()
    .filter(({ installationId }) => installationId !== null);
  const wide = tokens.filter(({ repositoryIds }) => repositoryIds?.length !== 1);
  expect(wide.map(({ permissions }) => permissions)).toEqual(wide.map(() => ({ metadata: 'read' })));
  const single = new Set(tokens.flatMap(({ repositoryIds }) => repositoryIds ?? []));
  expect(single.size).toBeGreaterThanOrEqual(NAMES.length);
});
