import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { startLocalPortico, type LocalPortico } from '../../src/cli/local-portico.ts';
import { copyStarted } from '../queue/store-templates.ts';
import { REALISTIC, RETRY_MS } from '../realistic.ts';
import { octokitAs } from './octokit-as.ts';
import { below, configuration, webPackage, writeFiles } from './packages.ts';

/** What Probot does by itself and a server must not do: each of its traps, seen not to be ours. */
const root = mkdtempSync(join(tmpdir(), 'portico-traps-'));
const where = { owner: 'acme', repo: 'blueprints' };
let local: LocalPortico;

beforeAll(async () => {
  writeFiles(join(root, 'seed'), {
    ...below('web', webPackage()),
    '.github/portico.yaml': configuration('blueprints', 'branch: main'),
  });
  await copyStarted(join(root, 'data', 'bot', 'store'));
  local = await startLocalPortico({
    dataDir: join(root, 'data'),
    realistic: REALISTIC,
    retryMs: RETRY_MS,
    logLevel: 'silent',
    config: {
      tokens: { 'alice-token': { login: 'alice' } },
      users: [{ login: 'alice' }],
      orgs: [{ login: 'acme', members: { alice: 'admin' }, teams: [] }],
      repos: [
        { owner: 'acme', name: 'blueprints', private: true, collaborators: {}, from: join(root, 'seed') },
      ],
      app: { installations: [{ account: 'acme', repositories: 'all' }] },
    },
  });
});

afterAll(async () => {
  await local?.stop();
  rmSync(root, { recursive: true, force: true });
});

test('port 0 is a free port, not 3000', () => {
  expect(new URL(local.server.url).port).not.toBe('3000');
});

test.each([
  ['GET', '/probot'],
  ['GET', '/probot/setup?code=1'],
  ['POST', '/probot/import'],
  ['GET', '/ping'],
  ['GET', '/'],
])('%s %s: there is no set-up page to overwrite anything with', async (method, path) => {
  expect((await fetch(`${local.server.url}${path}`, { method })).status).toBe(404);
});

test('the answer does not wait for the work', async () => {
  const alice = octokitAs(local.forge.apiUrl, 'alice-token');
  const { data: main } = await alice.rest.git.getRef({ ...where, ref: 'heads/main' });
  await alice.rest.git.createRef({ ...where, ref: 'refs/heads/drafts/web/next', sha: main.object.sha });
  await alice.rest.repos.createOrUpdateFileContents({
    ...where,
    branch: 'drafts/web/next',
    path: 'web/notes.yaml',
    message: 'Notes',
    content: Buffer.from(
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: notes\n  namespace: shop\n',
    ).toString('base64'),
  });
  const held = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const stop = local.forge.onEffect(async ({ method, route }) => {
    if (method !== 'POST' || !route.endsWith('/check-runs')) return;
    reached.resolve();
    await held.promise;
  });
  await alice.rest.pulls.create({ ...where, title: 'Notes', head: 'drafts/web/next', base: 'main' });
  await reached.promise;
  // The work stands still in the forge's answer; another delivery is acknowledged all the same.
  expect(await deliver('ping', { zen: 'Keep it logically awesome.' })).toBe(202);
  stop();
  held.resolve();
  await local.idle();
});

test('a payload of a shape that nobody expects is acknowledged, and the process lives', async () => {
  expect(
    await deliver('pull_request', {
      action: 'opened',
      pull_request: null,
      repository: [],
      installation: 'x',
    }),
  ).toBe(202);
  await local.idle();
  expect((await fetch(`${local.server.url}/healthz`)).status).toBe(200);
});

test('comments are not spaced three seconds apart: many commands are answered in one go', async () => {
  const alice = octokitAs(local.forge.apiUrl, 'alice-token');
  const asked = Array.from({ length: 6 }, () =>
    alice.rest.issues.createComment({ ...where, issue_number: 1, body: '/portico help' }),
  );
  await Promise.all(asked);
  await local.idle();
  const { data } = await alice.rest.issues.listComments({ ...where, issue_number: 1, per_page: 100 });
  expect(data.filter(({ body }) => body?.startsWith('<!-- portico:reply'))).toHaveLength(6);
});

async function deliver(event: string, payload: object): Promise<number> {
  const body = JSON.stringify(payload);
  const secret = readFileSync(local.forge.app.webhookSecretFile, 'utf8').trim();
  const response = await fetch(local.webhookUrl, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': crypto.randomUUID(),
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
  });
  return response.status;
}
