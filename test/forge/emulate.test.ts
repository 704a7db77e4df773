import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

import { APP_PERMISSIONS } from '../../src/forge/app-permissions.ts';
import type { Forge } from '../../src/forge/forge-api.ts';
import type { ForgeCall } from '../../src/forge/forge-types.ts';
import { connectForge } from '../../src/forge/forge.ts';
import type { Forge as RepositoryForge } from '../../src/reconcile/forge/forge.ts';

/**
 * A second forge that others wrote from GitHub's documentation (https://github.com/vercel-labs/emulate): what it and the
 * local forge agree on is not our reading alone. It is loaded by name, so that types and tests need it only here.
 */
const NAME: string = 'emulate';

interface Emulator {
  readonly url: string;
  readonly generatedSecrets: readonly { readonly kind: string; readonly value: string }[];
  close(): Promise<void>;
}

const seed = {
  github: {
    users: [{ login: 'alice' }],
    orgs: [{ login: 'acme', members: [{ login: 'alice', role: 'admin' }] }],
    repos: [{ owner: 'acme', name: 'blueprints', private: true, auto_init: true }],
    apps: [
      {
        app_id: 7,
        slug: 'portico',
        name: 'Portico',
        permissions: APP_PERMISSIONS,
        events: ['push'],
        installations: [{ installation_id: 100, account: 'acme', repository_selection: 'all' }],
      },
    ],
  },
};

/** It answers 404 to these, whatever is asked. */
const NOT_THERE = [
  'GET /app/hook/deliveries',
  'GET /installation/repositories',
  'GET /repos/{owner}/{repo}/activity',
  'GET /repos/{owner}/{repo}/commits/{ref}/status',
  'GET /repos/{owner}/{repo}/issues/comments',
  'GET /repos/{owner}/{repo}/rules/branches/{branch}',
];

let emulator: Emulator;
let forge: Forge;
let repository: RepositoryForge;
let repositoryId: number;
const calls: ForgeCall[] = [];

beforeAll(async () => {
  const { createEmulator } = (await import(NAME)) as {
    createEmulator: (options: object) => Promise<Emulator>;
  };
  emulator = await createEmulator({ service: 'github', port: 0, seed });
  const key = emulator.generatedSecrets.find(({ kind }) => kind === 'github.app_private_key')!.value;
  forge = connectForge({
    appId: 7,
    privateKey: key,
    baseUrl: emulator.url,
    backoffMs: 5,
    onCall: (call) => calls.push(call),
  });
  const installation = await forge.repositoryInstallation('acme', 'blueprints');
  const { id } = (await forge.repositoryAt('acme', 'blueprints'))!;
  repositoryId = id;
  repository = forge.repository(installation!.id, { id, owner: 'acme', name: 'blueprints' });
});
afterAll(() => emulator.close());

/** What Portico does by git. */
async function commit(branch: string, path: string): Promise<string> {
  const token = await forge.tokenFor(100, repositoryId);
  const call = async (method: string, rest: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${emulator.url}/repos/acme/blueprints/${rest}`, {
      method,
      headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return answer.json();
  };
  const { object } = z
    .object({ object: z.object({ sha: z.string() }) })
    .parse(await call('GET', 'git/ref/heads/main'));
  await call('POST', 'git/refs', { ref: `refs/heads/${branch}`, sha: object.sha });
  const made = await call('PUT', `contents/${path}`, { message: 'x', content: 'eDogMQo=', branch });
  return z.object({ commit: z.object({ sha: z.string() }) }).parse(made).commit.sha;
}

test('the App, accounts and rights', async () => {
  expect(await forge.app()).toMatchObject({ id: 7, slug: 'portico', botLogin: 'portico[bot]' });
  expect(await forge.installations()).toMatchObject([{ id: 100, account: 'acme', suspended: false }]);
  expect(await forge.accountId(100, 'alice')).toBeGreaterThan(0);
  expect(await repository.get()).toMatchObject({ defaultBranch: 'main', visibility: 'private' });
  expect(await repository.permission('alice')).toBe('admin');
  expect(await repository.permission('nobody')).toBe('none');
  expect(await repository.teamMember('acme', 'platform', 'alice')).toBe(false);
});

test('issues, labels and comments', async () => {
  const { number } = await repository.createIssue({ title: 'Dashboard', body: 'x' });
  await repository.addLabels(number, ['portico', 'more']);
  expect(await repository.hasLabel('more')).toBe(true);
  expect(await repository.labelsEverOn(number)).toContain('more');
  await repository.removeLabel(number, 'more');
  await repository.updateIssue(number, { body: 'y' });
  expect(await repository.getIssue(number)).toMatchObject({ body: 'y', labels: ['portico'] });
  expect(await repository.listIssues({ labels: ['portico'] })).toMatchObject([{ number }]);
  expect(await repository.upsertSticky(number, '<!-- m -->', 'one')).toMatchObject({ written: 'created' });
  expect(await repository.upsertSticky(number, '<!-- m -->', 'one')).toMatchObject({ written: 'unchanged' });
  expect(await repository.upsertSticky(number, '<!-- m -->', 'two')).toMatchObject({ written: 'updated' });
  const [comment] = await repository.listComments(number);
  expect(await repository.getComment(comment!.id)).toMatchObject({
    author: 'portico[bot]',
    authorIsBot: true,
  });
});

test('a pull request from its opening to the release', async () => {
  const head = await commit('drafts/app/v1', 'app/a.yaml');
  const { pull } = await repository.createPull({
    title: 'x',
    body: 'b',
    head: 'drafts/app/v1',
    base: 'main',
  });
  expect(await repository.pullsForHead({ branch: 'drafts/app/v1' })).toMatchObject([{ number: pull.number }]);
  expect(await repository.listOpenPulls()).toMatchObject([{ number: pull.number }]);
  await repository.updatePull(pull.number, { body: 'new' });
  const check = {
    name: 'portico',
    headSha: head,
    externalId: 'x',
    status: 'completed',
    conclusion: 'success',
  } as const;
  const said = { ...check, title: 'Fine', summary: 'All is well.' };
  expect(await repository.putCheck(said)).toMatchObject({ written: 'created' });
  // Its checks name no App, so that Portico takes none of them for its own.
  expect(await repository.listChecks(head)).toMatchObject([
    { name: 'portico', conclusion: 'success', appId: null },
  ]);
  expect(await repository.putCheck(said)).toMatchObject({ written: 'created' });
  await repository.remark(pull.number, { body: 'x', commitId: head, comments: [] });
  expect(await repository.listReviews(pull.number)).toMatchObject([{ body: 'x', author: 'portico[bot]' }]);
  const { headSha } = (await repository.getPull(pull.number))!;
  expect(await repository.mergePull(pull.number, { sha: headSha, method: 'merge' })).toMatchObject({
    ok: true,
  });
  expect(await repository.getPull(pull.number)).toMatchObject({ merged: true });
  const release = { tag: 'app/v1', name: 'app v1', body: 'x' };
  expect(await repository.upsertRelease(release)).toMatchObject({ written: 'created' });
  expect(await repository.upsertRelease(release)).toMatchObject({ written: 'unchanged' });
  await repository.removeRelease('app/v1');
  expect(await repository.getRelease('app/v1')).toBeNull();
});

test('what it does not have is counted', async () => {
  const refused = [
    () => forge.failedDeliveries(new Date(0)),
    () => forge.repositories(100),
    () => repository.combinedStatus('main'),
    () => repository.listRecentComments(new Date(0)),
    () => repository.branchRules('main'),
  ];
  for (const call of refused) await expect(call()).rejects.toMatchObject({ code: 'FORGE_NOT_FOUND' });
  expect(await repository.branchActivity('refs/heads/main')).toBeNull();
  expect(kinds(false).filter((kind) => !kinds(true).includes(kind))).toEqual(
    expect.arrayContaining(NOT_THERE),
  );
  process.stdout.write(
    `emulate: ${kinds(true).length} kinds of calls understood, ${NOT_THERE.length} not there\n`,
  );
  expect(kinds(true).length).toBeGreaterThanOrEqual(30);
});

/** Calls that it answered well at least once, or refused. */
function kinds(isDone: boolean): string[] {
  const made = calls.filter(({ status }) => status < 400 === isDone);
  return [...new Set(made.map(({ method, route }) => `${method} ${route}`))].sort();
}
