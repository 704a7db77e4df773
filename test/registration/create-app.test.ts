/** `portico app create` from the terminal through the browser to a server that starts, as a person does it. */
import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { startForge, type LocalForge } from '@portico/localforge';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { launchChromium } from '../../localforge/test/web/chromium.ts';
import { openRegistrationPage } from '../../src/registration/registration-page.ts';
import { portico, ROOT, scratch } from '../cli/run-portico.ts';
import { eventually } from '../e2e/eventually.ts';
import { freePort } from '../e2e/portico-process.ts';
import { longTest } from '../long-test.ts';

const directory = scratch();
let forge: LocalForge;

beforeAll(async () => {
  forge = await startForge({
    manifestFile: 'app.yml',
    config: {
      tokens: { 'alice-token': { login: 'alice' } },
      orgs: [{ login: 'acme', members: { alice: 'admin' } }],
      app: { installations: [{ account: 'acme' }] },
    },
  });
});
afterAll(async () => {
  await forge.close();
  directory[Symbol.dispose]();
});

/** `portico` in the directory, while it runs. */
function begin(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [join(ROOT, 'src/portico.js'), ...args], {
    cwd: directory.path('.'),
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      NO_COLOR: '1',
      GHE_PROTOCOL: 'http',
      ...env,
    },
  });
  let said = '';
  const hear = (part: Buffer): void => void (said += part.toString());
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const ended = Promise.withResolvers<number | null>();
  child.on('close', ended.resolve);
  return { child, said: () => said, ended: ended.promise };
}

describe('an App is created in a browser', { tags: ['chromium', 'story'] }, () => {
  longTest(
    'its secrets are for its owner alone, the server starts with them, and nothing is overwritten',
    async () => {
      const port = await freePort();
      const webhook = `http://127.0.0.1:${port}/api/github/webhooks`;
      const host = new URL(forge.url).host;
      const create = begin([
        'app',
        'create',
        '--org',
        'acme',
        '--ghe',
        host,
        '--name',
        'acme-portico',
        '--webhook',
        webhook,
      ]);
      await eventually('its page', async () => create.said().includes('Open http'), 30);
      const [page = ''] = /http:\/\/127\.0\.0\.1:\d+\//.exec(create.said()) ?? [];

      // Whoever guesses has no code taken: it must carry the state of the form.
      const forged = await fetch(`${page}created?code=stolen&state=guessed`);
      expect(forged.status).toBe(400);

      const browser = await launchChromium();
      try {
        const tab = await browser.newPage();
        await tab.goto(forge.url);
        await tab.getByRole('button', { name: 'Be alice' }).click();
        await tab.goto(page);
        await tab.getByRole('button', { name: /^Continue to/ }).click();
        await tab.getByText('acme-portico', { exact: false }).first().waitFor();
        await tab.getByRole('button', { name: 'Create GitHub App for acme' }).click();
        await tab.getByRole('link', { name: 'Go back with the code' }).click();
        await tab.getByText('The App is created').waitFor();
      } finally {
        await browser.close();
      }
      expect([await create.ended, create.said()]).toEqual([
        0,
        expect.stringContaining('Run: portico app check'),
      ]);

      const key = directory.path('portico.private-key.pem');
      const environment = readFileSync(directory.path('.env'), 'utf8');
      expect(readFileSync(key, 'utf8')).toBe(forge.app.privateKeyPem);
      expect([key, directory.path('.env')].map((file) => statSync(file).mode & 0o777)).toEqual([
        0o600, 0o600,
      ]);
      expect(environment).toContain(`APP_ID=${forge.app.id}\n`);
      expect(environment).toContain(`WEBHOOK_SECRET=${forge.app.webhookSecret}\n`);
      expect(environment).toMatch(/^SEAL_KEYS=[0-9a-f]{64}$/m);
      expect(create.said()).not.toContain(forge.app.webhookSecret);

      const again = begin(['app', 'create', '--ghe', host]);
      expect([await again.ended, again.said()]).toEqual([
        65,
        expect.stringContaining('.env exists and is not overwritten'),
      ]);
      expect(readFileSync(directory.path('.env'), 'utf8')).toBe(environment);

      const before = begin(['app', 'check', '--json']);
      expect(await before.ended).toBe(1);
      expect(before.said()).toContain(`Nothing answers at ${webhook}`);

      const server = begin(['serve'], { HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'info' });
      try {
        await eventually('the server', async () => server.said().includes('portico is up'), 60);
        const check = begin(['app', 'check']);
        expect([await check.ended, check.said()]).toEqual([
          0,
          expect.stringContaining(`${webhook} answers.`),
        ]);
        expect(check.said()).not.toContain('[FAIL]');
      } finally {
        server.child.kill('SIGTERM');
        await server.ended;
      }
    },
  );
});

test.each(['//', '/\\', '//[', 'http://[', '/%', '*'])(
  'the page of `app create` outlives a request for %s (113)',
  async (target) => {
    await using page = await openRegistrationPage({
      newAppUrl: `${forge.url}/settings/apps/new`,
      manifest: () => '{}',
      signal: new AbortController().signal,
    });
    const { host, port } = new URL(page.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 4/);
    expect((await fetch(page.url)).status).toBe(200);
  },
);

test('a code that nobody made is good for nothing', async () => {
  const conversions = `${forge.apiUrl}/app-manifests/${'a'.repeat(40)}/conversions`;
  expect((await fetch(conversions, { method: 'POST' })).status).toBe(404);
});

test.each([
  [['app', 'create', '--name', 'x'.repeat(35)], '--name must have 1 to 34 characters'],
  [['app', 'create', '--ghe', 'a/b'], '--ghe must be a host name'],
  [['app', 'create', '--webhook', 'ftp://x'], '--webhook must be the address'],
  [['app', 'create', '--org', '../x'], '--org must be the login'],
  [['app'], 'see'],
])('%j is refused', async (args, told) => {
  const { code, stderr } = await portico(args, { cwd: directory.path('.') });
  expect([code, stderr.toLowerCase()]).toEqual([64, expect.stringContaining(told.toLowerCase())]);
});
