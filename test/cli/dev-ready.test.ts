import { expect, test } from 'vitest';

import { readyText } from '../../src/cli/dev-ready.ts';
import { portico, scratch } from './run-portico.ts';

test('who starts the local forge by hand reads where it is and how to act as the App', () => {
  const app = {
    id: 7,
    slug: 'portico',
    privateKeyFile: '/data/app.pem',
    webhookSecretFile: '/data/webhook-secret',
  };
  const at = 'http://127.0.0.1:4280';
  const text = readyText({ event: 'ready', web: at, api: `${at}/api/v3`, git: at, bot: `${at}/hooks`, app });
  expect(text.split('\n')).toEqual([
    `ready: ${at} (git and REST under ${at}/api/v3), stop with Ctrl+C`,
    'App portico: id 7, private key in /data/app.pem, webhook secret in /data/webhook-secret',
  ]);
});

test('the local forge begins with the variables that it obeys', async () => {
  using at = scratch();
  const args = ['dev', '--data', at.path('forge')];
  const { code, stderr } = await portico(args, { env: { SWEEP_MINUTES: 'soon' } });
  expect(code).toBe(65);
  expect(stderr).toContain('SWEEP_MINUTES must be a whole number');
});
