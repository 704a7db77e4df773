import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { HELP } from '../src/cli-options.ts';

const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url));

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'localforge-cli-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [CLI, ...args], { cwd: directory });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: code as number | null, stdout, stderr };
}

test('the command serves what it was told of, says where, and leaves nothing behind', async () => {
  mkdirSync(join(directory, 'files'));
  writeFileSync(join(directory, 'files/README.md'), 'Hello\n');
  writeFileSync(
    join(directory, 'app.json'),
    JSON.stringify({ name: 'My App!', default_permissions: { issues: 'write' }, default_events: ['issues'] }),
  );
  const args = [
    '--repo',
    'acme/web=files',
    '--manifest',
    'app.json',
    '--webhook',
    'http://127.0.0.1:9/hooks',
    '--json',
  ];
  const child = spawn(process.execPath, [CLI, ...args], { cwd: directory });
  const line = (await once(createInterface(child.stdout), 'line')) as [string];
  const ready = JSON.parse(line[0]) as Record<'api' | 'web' | 'git' | 'graphql', string> & {
    readonly app: { readonly slug: string; readonly privateKeyFile: string; readonly webhookSecret: string };
  };
  expect(ready).toMatchObject({
    event: 'ready',
    app: { id: 1001, slug: 'my-app', webhookUrl: 'http://127.0.0.1:9/hooks' },
    installations: [{ id: 1, account: 'acme' }],
    tokens: { 'alice-token': 'alice' },
    repositories: [{ name: 'acme/web', clone: `${ready.git}/acme/web.git` }],
  });
  expect(readFileSync(ready.app.privateKeyFile, 'utf8')).toMatch(/^-----BEGIN RSA PRIVATE KEY-----/);
  const alice = new Octokit({ baseUrl: ready.api, auth: 'alice-token' });
  const readme = await alice.rest.repos.getReadme({ owner: 'acme', repo: 'web' });
  expect(Buffer.from(readme.data.content, 'base64').toString()).toBe('Hello\n');
  const asked = await fetch(ready.graphql, {
    method: 'POST',
    headers: { authorization: 'bearer alice-token', 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ viewer { login } }' }),
  });
  expect(asked.status).toBe(200);
  expect((await fetch(ready.web)).status).toBe(200);

  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(existsSync(ready.app.privateKeyFile)).toBe(false);
});

test('what cannot be started is told on stderr, and with --json on stdout too', async () => {
  expect(await run('--help')).toEqual({ code: 0, stdout: `${HELP}\n`, stderr: '' });
  expect(await run('--frob')).toMatchObject({
    code: 64,
    stdout: '',
    stderr: expect.stringContaining('--help'),
  });
  const missing = await run('--repo', 'acme/web=nowhere', '--json');
  expect(missing).toMatchObject({ code: 65, stderr: expect.stringContaining('nowhere') });
  expect(JSON.parse(missing.stdout)).toMatchObject({ error: { code: 'IMPORT_FAILED' } });
});
