import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ProbotOctokit } from 'probot';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { appJwt, SMALL_CONFIG, testForge } from './forge-fixture.ts';
import type { TestForge } from './forge-fixture.ts';

let box: TestForge;
let installation: number;
const status = (code: number, message?: RegExp) =>
  expect.objectContaining({
    status: code,
    ...(message === undefined ? {} : { message: expect.stringMatching(message) }),
  });
const repo = { owner: 'acme', repo: 'blueprints' };

beforeAll(async () => {
  box = await testForge({
    ...SMALL_CONFIG,
    repos: [
      ...(SMALL_CONFIG.repos ?? []),
      { owner: 'alice', name: 'private', private: true },
      { owner: 'bob', name: 'one' },
      { owner: 'bob', name: 'two' },
    ],
    app: { installations: [{ account: 'acme' }, { account: 'bob', repositories: ['one'] }] },
  });
  for (const name of ['blueprints', 'open']) {
    await box.as('alice-token').rest.repos.createOrUpdateFileContents({
      owner: 'acme',
      repo: name,
      path: 'x',
      message: 'x',
      content: '',
    });
  }
  installation = (await box.asApp().rest.apps.getOrgInstallation({ org: 'acme' })).data.id;
});
afterAll(() => box[Symbol.asyncDispose]());

/** A client with an installation token of that scope, and the token. */
async function scoped(scope: { repositories?: string[]; permissions?: Record<string, string> } = {}) {
  const made = await box
    .asApp()
    .rest.apps.createInstallationAccessToken({ installation_id: installation, ...scope });
  return { client: box.as(made.data.token), ...made.data };
}

describe('the App', () => {
  test('proves itself with its key; nothing else passes', async () => {
    const { data } = await box.asApp().rest.apps.getAuthenticated();
    expect(data).toMatchObject({ id: box.forge.app.id, slug: 'local-app' });
    const now = Math.floor(Date.now() / 1000);
    const bad = [
      appJwt(box.forge, { exp: now + 1200 }),
      appJwt(box.forge, { exp: now - 1 }),
      appJwt(box.forge, { iss: 999 }),
      appJwt(box.forge, { iat: now + 600 }),
      appJwt({
        ...box.forge,
        app: {
          ...box.forge.app,
          privateKeyPem: generateKeyPairSync('rsa', { modulusLength: 2048 })
            .privateKey.export({ type: 'pkcs1', format: 'pem' })
            .toString(),
        },
      }),
      'alice-token',
    ];
    for (const token of bad) {
      await expect(box.as(token).rest.apps.getAuthenticated()).rejects.toEqual(status(401));
    }
    expect(
      (await box.as(appJwt(box.forge, { iss: box.forge.app.clientId })).rest.apps.getAuthenticated()).status,
    ).toBe(200);
    await expect(box.asApp().rest.repos.get(repo)).rejects.toEqual(status(403));
  });

  test('finds its installations by repository and account', async () => {
    const { rest } = box.asApp();
    expect((await rest.apps.getRepoInstallation(repo)).data.id).toBe(installation);
    expect((await rest.apps.getOrgInstallation({ org: 'acme' })).data.id).toBe(installation);
    await expect(rest.apps.getUserInstallation({ username: 'alice' })).rejects.toEqual(status(404));
    await expect(rest.apps.getRepoInstallation({ owner: 'alice', repo: 'private' })).rejects.toEqual(
      status(404),
    );
  });

  test('works with the client of Probot, which signs and fetches tokens by itself', async () => {
    const client = new ProbotOctokit({
      baseUrl: box.forge.apiUrl,
      auth: {
        appId: box.forge.app.id,
        privateKey: box.forge.app.privateKeyPem,
        installationId: installation,
      },
    });
    const { data } = await client.rest.apps.listReposAccessibleToInstallation();
    expect(data.repositories.map((one) => one.full_name)).toEqual(['acme/blueprints', 'acme/open']);
  });
});

describe('an installation on selected repositories', () => {
  test('reaches those, and gains and loses them', async () => {
    const { rest } = box.as('bob-token');
    const mine = (await rest.apps.listInstallationsForAuthenticatedUser()).data.installations;
    expect(mine).toMatchObject([{ repository_selection: 'selected', account: { login: 'bob' } }]);
    const { token } = (
      await box.asApp().rest.apps.createInstallationAccessToken({ installation_id: mine[0]!.id })
    ).data;
    const names = async () =>
      (await box.as(token).rest.apps.listReposAccessibleToInstallation()).data.repositories.map(
        (one) => one.name,
      );
    expect(await names()).toEqual(['one']);
    const two = (await rest.repos.get({ owner: 'bob', repo: 'two' })).data.id;
    const which = { installation_id: mine[0]!.id, repository_id: two };
    const write = () =>
      box.as(token).rest.repos.createOrUpdateFileContents({
        owner: 'bob',
        repo: 'two',
        path: 'x',
        message: 'x',
        content: '',
      });
    await expect(write()).rejects.toEqual(status(403));
    await rest.apps.addRepoToInstallationForAuthenticatedUser(which);
    expect(await names()).toEqual(['one', 'two']);
    expect((await write()).status).toBe(201);
    await rest.apps.removeRepoFromInstallationForAuthenticatedUser(which);
    expect(await names()).toEqual(['one']);
    const other = box.as('alice-token').rest.apps.addRepoToInstallationForAuthenticatedUser(which);
    await expect(other).rejects.toEqual(status(404));
  });
});

describe('an installation token', () => {
  test('acts as the bot where the installation reaches, and nowhere else', async () => {
    const { client } = await scoped();
    const made = await client.rest.repos.createOrUpdateFileContents({
      ...repo,
      path: 'bot',
      message: 'Bot',
      content: '',
    });
    const commit = await client.rest.repos.getCommit({ ...repo, ref: made.data.commit.sha! });
    expect(commit.data.author).toMatchObject({ login: 'local-app[bot]', type: 'Bot' });
    await expect(client.rest.repos.get({ owner: 'alice', repo: 'private' })).rejects.toEqual(status(404));
    await expect(client.rest.repos.update({ ...repo, description: 'x' })).rejects.toEqual(
      status(403, /Resource not accessible by integration/),
    );
    await expect(client.rest.users.getAuthenticated()).rejects.toEqual(status(403));
  });

  test('can be narrowed to repositories and permissions, never widened', async () => {
    const narrow = await scoped({ repositories: ['open'], permissions: { contents: 'read' } });
    expect(narrow).toMatchObject({
      repository_selection: 'selected',
      permissions: { contents: 'read', metadata: 'read' },
    });
    expect(narrow.repositories!.map((one) => one.name)).toEqual(['open']);
    const { client } = narrow;
    expect((await client.rest.apps.listReposAccessibleToInstallation()).data.total_count).toBe(1);
    await expect(client.rest.repos.get(repo)).rejects.toEqual(status(404));
    await expect(client.rest.git.createBlob({ owner: 'acme', repo: 'open', content: '' })).rejects.toEqual(
      status(403),
    );
    await expect(scoped({ permissions: { administration: 'write' } })).rejects.toEqual(status(422));
    await expect(scoped({ permissions: { contents: 'admin' } })).rejects.toEqual(status(422));
    await expect(scoped({ repositories: ['private'] })).rejects.toEqual(status(422));
  });

  test('ends when it is revoked or the installation is suspended', async () => {
    const { client } = await scoped();
    await client.rest.apps.revokeInstallationAccessToken();
    await expect(client.rest.repos.get(repo)).rejects.toEqual(status(401));
    const other = (await scoped()).client;
    await box.asApp().rest.apps.suspendInstallation({ installation_id: installation });
    await expect(other.rest.repos.get(repo)).rejects.toEqual(status(403, /suspended/));
    await box.asApp().rest.apps.unsuspendInstallation({ installation_id: installation });
    expect((await other.rest.repos.get(repo)).status).toBe(200);
  });

  test('pushes with git, except workflows', async () => {
    const { token } = await scoped({ repositories: ['blueprints'], permissions: { contents: 'write' } });
    const work = join(box.directory, 'app');
    await box.git(box.directory, 'clone', '-q', box.remote(token, 'acme/blueprints'), work);
    await writeFile(join(work, 'y'), 'y');
    await box.git(work, 'add', '-A');
    await box.git(work, 'commit', '-qm', 'y');
    await box.git(work, 'push', '-q', 'origin', 'HEAD:refs/heads/drafts/y/w');
    await mkdir(join(work, '.github/workflows'), { recursive: true });
    await writeFile(join(work, '.github/workflows/ci.yml'), 'on: push\n');
    await box.git(work, 'add', '-A');
    await box.git(work, 'commit', '-qm', 'ci');
    const refused = await box.tryGit(work, 'push', 'origin', 'HEAD:refs/heads/drafts/y/w');
    expect(refused.output).toContain('without `workflows` permission');
    const path = '.github/workflows/ci.yml';
    const api = box
      .as(token)
      .rest.repos.createOrUpdateFileContents({ ...repo, path, message: 'x', content: '' });
    await expect(api).rejects.toEqual(status(403));
    await box.git(work, 'push', '-q', box.remote('alice-token', 'acme/blueprints'), 'HEAD:refs/heads/ci');
    // What is there already, the App may build on.
    await box.git(work, 'push', '-q', 'origin', 'HEAD:refs/heads/drafts/y/w');
    const outside = await box.tryGit(work, 'push', box.remote(token, 'acme/open'), 'HEAD:refs/heads/x');
    expect(outside.ok).toBe(false);
  });
});
