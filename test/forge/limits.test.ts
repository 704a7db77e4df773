import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Octokit } from '@octokit/rest';
import type { LocalForge } from '@portico/localforge';
import { startForge } from '@portico/localforge';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import type { ForgeCall, ForgeOptions } from '../../src/forge/forge-types.ts';
import { connectForge } from '../../src/forge/forge.ts';
import type { Forge as RepositoryForge } from '../../src/reconcile/forge/forge.ts';

/** GitHub's limits as the local forge keeps them, and what the client makes of them. */

let scratch: string;
let local: LocalForge;
let calls: ForgeCall[];

const where = { owner: 'acme', repo: 'blueprints' };

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'portico-limits-'));
  local = await startForge({
    dataDir: join(scratch, 'data'),
    manifestFile: 'app.yml',
    config: {
      tokens: { 'alice-token': { login: 'alice' }, 'other-token': { login: 'alice' } },
      users: [{ login: 'alice' }],
      orgs: [{ login: 'acme', members: { alice: 'admin' } }],
      repos: [{ owner: 'acme', name: 'blueprints', private: true }],
      app: { installations: [{ account: 'acme', repositories: ['blueprints'] }] },
    },
  });
});

afterAll(async () => {
  await local.close();
  await rm(scratch, { recursive: true, force: true });
});

beforeEach(() => {
  calls = [];
});

afterEach(() => {
  local.knobs.points = null;
});

function tell(call: ForgeCall): void {
  calls.push(call);
}

async function connect(limits: ForgeOptions['limits'] = {}): Promise<RepositoryForge> {
  const { id: appId, privateKeyPem: privateKey } = local.app;
  const forge = connectForge({
    appId,
    privateKey,
    baseUrl: local.apiUrl,
    backoffMs: 1,
    limits,
    onCall: tell,
  });
  const installation = (await forge.repositoryInstallation('acme', 'blueprints'))!;
  const id = local.context.records.repositoryByName('acme', 'blueprints')!.id;
  return forge.repository(installation.id, { id, owner: 'acme', name: 'blueprints' });
}

const refused = (): number => calls.filter(({ status }) => status === 403).length;

test('points and calls at once are never exceeded, and nothing is refused', async () => {
  const repository = await connect({ perMinute: 20, atOnce: 3, minuteMs: 600 });
  // A shorter minute, because of the way from one to the other.
  local.knobs.points = { rest: 20, graphql: 20, atOnce: 3, seconds: 0.3 };
  await Promise.all([
    ...Array.from({ length: 25 }, () => repository.get()),
    ...['one', 'two', 'three'].map((title) => repository.createIssue({ title, body: '' })),
  ]);
  expect(refused()).toBe(0);
});

test('who was refused once asks for a pause of all, and asks no more until it is over', async () => {
  const repository = await connect();
  await repository.get();
  local.knobs.points = { rest: 0, graphql: 0, atOnce: 100, seconds: 30 };
  await expect(repository.get()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter: 30 });
  local.knobs.points = null;
  await expect(repository.listOpenPulls()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await expect(repository.createIssue({ title: 'x', body: '' })).rejects.toMatchObject({
    code: 'RATE_LIMITED',
  });
  expect(refused()).toBe(1);
});

test('GraphQL: a spent limit is waited for, and an error of the forge itself is no answer', async () => {
  const id = 'IC_unknown';
  local.knobs.graphqlFault = { kind: 'untyped', times: 1 };
  const repository = await connect();
  const asked = () => repository.isEdited({ nodeId: id, author: 'alice' });
  await expect(asked()).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' });
  local.knobs.graphqlFault = { kind: 'rate-limit', times: 1 };
  await expect(asked()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
});

test('an ETag is of one token; single things tell when they changed', async () => {
  const [mine, other] = ['alice-token', 'other-token'].map(
    (auth) => new Octokit({ baseUrl: local.apiUrl, auth }),
  );
  const { etag, 'last-modified': modified } = (await mine!.rest.repos.get(where)).headers;
  const ask = (client: Octokit, headers: Record<string, string>) =>
    client.rest.repos.get({ ...where, headers });
  await expect(ask(mine!, { 'if-none-match': etag! })).rejects.toMatchObject({ status: 304 });
  expect((await ask(other!, { 'if-none-match': etag! })).status).toBe(200);
  await expect(ask(other!, { 'if-modified-since': modified! })).rejects.toMatchObject({ status: 304 });
  expect((await mine!.rest.issues.listForRepo(where)).headers['last-modified']).toBeUndefined();
});

test('a repository that was taken out of the installation is gone', async () => {
  const { installations } = local.context.records;
  const [installation] = installations.all();
  installations.update(installation!.id, { selection: 'selected', repositoryIds: [] });
  const { id: appId, privateKeyPem: privateKey } = local.app;
  const forge = connectForge({ appId, privateKey, baseUrl: local.apiUrl });
  const id = local.context.records.repositoryByName('acme', 'blueprints')!.id;
  const left = forge.repository(installation!.id, { id, owner: 'acme', name: 'blueprints' });
  for (const asked of [
    left.get(),
    left.branchActivity('refs/heads/main'),
    left.pullsForCommit('a'.repeat(40)),
  ]) {
    await expect(asked).rejects.toMatchObject({ code: 'INSTALLATION_GONE', blame: 'user' });
  }
});
