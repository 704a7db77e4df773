// @module-tag story
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startForge, type LocalForge } from '@portico/localforge';
import { createNodeMiddleware, Probot } from 'probot';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import portico from '../../src/probot-host.ts';
import { copyStarted } from '../queue/store-templates.ts';
import { REALISTIC } from '../realistic.ts';
import { eventually } from './eventually.ts';
import { octokitAs } from './octokit-as.ts';
import { below, configuration, webPackage, writeFiles } from './packages.ts';

/** A host that knows nothing of Portico: Probot's own middleware in a plain HTTP server. */
const root = mkdtempSync(join(tmpdir(), 'portico-host-'));
const where = { owner: 'acme', repo: 'blueprints' };
let forge: LocalForge;
const server = createServer();

beforeAll(async () => {
  const seed = join(root, 'seed');
  writeFiles(seed, {
    ...below('web', webPackage()),
    '.github/portico.yaml': configuration('blueprints', 'branch: main'),
  });
  forge = await startForge({
    dataDir: join(root, 'forge'),
    manifestFile: 'app.yml',
    realistic: REALISTIC,
    config: {
      tokens: { 'alice-token': { login: 'alice' } },
      users: [{ login: 'alice' }],
      orgs: [{ login: 'acme', members: { alice: 'admin' }, teams: [] }],
      repos: [{ owner: 'acme', name: 'blueprints', private: true, collaborators: {}, from: seed }],
      app: { installations: [{ account: 'acme', repositories: 'all' }] },
    },
  });
  await copyStarted(join(root, 'bot', 'store'));
  const { host } = new URL(forge.url);
  vi.stubEnv('APP_ID', String(forge.app.id));
  vi.stubEnv('PRIVATE_KEY', forge.app.privateKeyPem);
  vi.stubEnv('WEBHOOK_SECRET', forge.app.webhookSecret);
  vi.stubEnv('GHE_HOST', host);
  vi.stubEnv('GHE_PROTOCOL', 'http');
  vi.stubEnv('PORTICO_DATA', join(root, 'bot'));
  vi.stubEnv('LOG_LEVEL', 'error');
  const probot = new Probot({
    appId: forge.app.id,
    privateKey: forge.app.privateKeyPem,
    secret: forge.app.webhookSecret,
    logLevel: 'error',
  });
  const middleware = await createNodeMiddleware(portico, { probot, webhooksPath: '/hooks' });
  server.on('request', (request, response) => void middleware(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  forge.setAppWebhookUrl(`http://127.0.0.1:${address.port}/hooks`);
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await forge?.close();
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

test('a foreign Probot host loads Portico, and a comment is answered', async () => {
  const alice = octokitAs(forge.apiUrl, 'alice-token');
  const { data: main } = await alice.rest.git.getRef({ ...where, ref: 'heads/main' });
  await alice.rest.git.createRef({ ...where, ref: 'refs/heads/drafts/web/next', sha: main.object.sha });
  await alice.rest.repos.createOrUpdateFileContents({
    ...where,
    branch: 'drafts/web/next',
    path: 'web/notes.yaml',
    message: 'Notes',
    content: Buffer.from('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: notes\n').toString('base64'),
  });
  const { data: pull } = await alice.rest.pulls.create({
    ...where,
    title: 'Notes',
    head: 'drafts/web/next',
    base: 'main',
  });
  const { data: comment } = await alice.rest.issues.createComment({
    ...where,
    issue_number: pull.number,
    body: '/portico help',
  });
  const reply = await eventually('the reply', async () => {
    const { data } = await alice.rest.issues.listComments({ ...where, issue_number: pull.number });
    return data.find(({ body }) => body?.includes(`portico:reply ${comment.id}`));
  });
  expect(reply.user?.login).toBe('portico[bot]');
  expect(reply.body).toContain('/portico publish');
});
