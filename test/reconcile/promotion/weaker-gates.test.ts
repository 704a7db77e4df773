// @module-tag story
/** The gates of a channel are taken away only with an admin's approval, like other rules. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { WEB_CHANNELS } from '../../channels/web-channels.ts';
import { below } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;
const FILE = '.github/portico/channels/web.yaml';
const GATED = '  promotion: { from: candidate, soak: 9d, approvers: [platform] }\n';
const channels = (promotion: string): string => `${WEB_CHANNELS}${promotion}  members: [v1]\n`;

beforeAll(async () => {
  const one = { files: below('web', smallPackage('web')) };
  stage = await startStage({ gated: one, unread: one });
  for (const name of ['gated', 'unread']) {
    const repo = stage.repository(name);
    await repo.tag(
      'web/v1',
      await repo.push('main', { 'web/config.yaml': configMap('web', { color: 'v1' }) }),
    );
    await repo.push('main', { [FILE]: name === 'gated' ? channels(GATED) : 'channels: [' });
  }
  await stage.idle();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test.each<[string, string, string | null, string]>([
  ['removed', 'gated', channels(''), 'channels[web/stable]'],
  ['shorter', 'gated', channels(GATED.replace('9d', '1h')), 'channels[web/stable].soak'],
  ['removed with their file', 'gated', null, 'channels[web/stable]'],
  ['in a file that cannot be read', 'unread', channels(''), FILE],
])('gates that are %s need an admin (142)', async (how, name, text, field) => {
  const repo = stage.repository(name);
  const { number } = await repo.propose(how.replaceAll(' ', '-'), { [FILE]: text }, { as: 'bob' });
  await repo.review(number, 'APPROVE', undefined, 'carol');
  const checks = await repo.checksOf(number);
  const config = checks.get('portico/config');
  expect(config?.conclusion).toBe('action_required');
  expect(config?.output.summary).toContain(`**\`${field}\`**`);
  expect(checks.get('portico')?.conclusion).not.toBe('success');
});

test('a member that joins through the gates needs none', async () => {
  const repo = stage.repository('gated');
  await repo.tag('web/v2', await repo.push('main', { 'web/config.yaml': configMap('web', { color: 'v2' }) }));
  const joined = channels(GATED).replace('[v1]', '[v1, v2]');
  const { number } = await repo.propose('join', { [FILE]: joined }, { as: 'bob' });
  expect((await repo.checksOf(number)).get('portico/config')?.conclusion).toBe('success');
});
