import { afterAll, beforeAll, expect } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** The App's private key is replaced while proposals are under way. */
let stage: Stage;
let before: string;
/** Of an approved proposal, and of an update with an open conflict. */
let approved: number;
let update: number;

const DATA = { color: 'blue', size: 'small' };
const PACKAGE = smallPackage('web', { data: DATA });
const data = (changes: Record<string, string>): string => configMap('web', { ...DATA, ...changes });
const SEAL_KEY = 'the first of the keys that seals have of their own';

beforeAll(async () => {
  stage = await startStage({
    up: { files: below('web', PACKAGE), private: false },
    down: { spec: 'branch: main\nupdates: { follow: latest }' },
    plain: { files: below('web', PACKAGE) },
  });
  before = stage.forge.app.privateKeyPem;
  const up = stage.repository('up');
  await up.publish('v1', { 'web/config.yaml': data({ color: 'first' }) });
  const kptfile = locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', (await up.tags()).get('web/v1')!);
  const mine = { ...PACKAGE, 'config.yaml': data({ color: 'mine' }), Kptfile: kptfile };
  await stage.repository('down').push('main', below('shop', mine));
  await up.publish('v2', { 'web/config.yaml': data({ color: 'second' }) });
  update = (await stage.repository('down').pulls())[0]!.number;

  const plain = stage.repository('plain');
  approved = (await plain.propose('next', { 'web/config.yaml': data({ color: 'red' }) })).number;
  expect(await plain.command(approved, '/portico approve', 'bob')).toMatchObject({ reaction: 'rocket' });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

const conflicts = async (): Promise<{ title: string; summary: string }> => {
  const check = (await stage.repository('down').checksOf(update)).get('portico/conflicts');
  expect(['failure', 'action_required']).toContain(check?.conclusion);
  return check!.output as { title: string; summary: string };
};

longTest(
  'with the old key beside the new ones nothing changes: own commits are still ours, nothing is written',
  async () => {
    await stage.stopBot();
    const privateKey = stage.forge.replaceAppKey();
    expect(privateKey).not.toBe(before);
    const writes = await stage.writesOf(async () => {
      await stage.startBot({ privateKey, sealKeys: [SEAL_KEY], previousPrivateKeys: [before] });
      await stage.look('down');
      await stage.look('plain');
    });
    expect(writes).toEqual([]);
    expect((await conflicts()).title).toMatch(/^Open: ConfigMap\/web data\./);
    const given = (await stage.repository('plain').checksOf(approved)).get('portico/approval');
    expect(given).toMatchObject({ conclusion: 'success' });
  },
);

longTest(
  'without it, approvals do not count and open conflicts stay closed to merging, and both say why',
  async () => {
    await stage.stopBot();
    await stage.startBot({ previousPrivateKeys: [] });
    const plain = stage.repository('plain');
    const refused = await plain.command(approved, '/portico publish');
    expect(refused.reaction).toBe('confused');
    expect(refused.reply).toContain('`bob` (it was sealed with a key that Portico no longer has');
    await stage.repository('down').command(update, '/portico render');
    expect(await conflicts()).toMatchObject({
      title: 'A record of conflicts cannot be read',
      summary: expect.stringContaining('SEAL_KEYS'),
    });
    const resolve = await stage.repository('down').command(update, '/portico resolve all local');
    expect(resolve.reply).toContain("none of Portico's current keys sealed that record");
  },
);

longTest('with a new seal key in front, what an older one sealed is published and settled', async () => {
  await stage.stopBot();
  await stage.startBot({
    sealKeys: ['a newer key of the same length, or longer', SEAL_KEY],
    previousPrivateKeys: [before],
  });
  const resolve = await stage.repository('down').command(update, '/portico resolve all local');
  expect(resolve.reaction).toBe('rocket');
  const published = await stage.repository('plain').command(approved, '/portico publish');
  expect(published.reaction).toBe('rocket');
  expect([...(await stage.repository('plain').tags()).keys()]).toEqual(['web/v1']);
});
