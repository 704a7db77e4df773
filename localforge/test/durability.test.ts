// @module-tag story
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Octokit } from '@octokit/rest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startForge } from '../src/forge.ts';
import { QUIET, SMALL_CONFIG, testForge } from './forge-fixture.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'durable-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const repo = { owner: 'acme', repo: 'open' };
const put = (client: Octokit, path: string) =>
  client.rest.repos.createOrUpdateFileContents({ ...repo, path, message: path, content: '' });

/** A forge in a process of its own, which says its address when it is ready. `dieAfter`: kills itself at that effect. */
async function startProcess(
  dataDir: string,
  dieAfter = 0,
): Promise<{ child: ChildProcess; exited: Promise<unknown>; api: string }> {
  const forge = new URL('../src/forge.ts', import.meta.url).href;
  const script = `
    const { startForge } = await import(${JSON.stringify(forge)});
    const forge = await startForge({ dataDir: ${JSON.stringify(dataDir)}, config: ${JSON.stringify(SMALL_CONFIG)} });
    let left = ${dieAfter};
    forge.onEffect(() => { left -= 1; if (left === 0) process.kill(process.pid, 'SIGKILL'); });
    process.stdout.write(forge.apiUrl);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [address] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, exited, api: address.toString() };
}

const alice = (api: string): Octokit => new Octokit({ baseUrl: api, auth: 'alice-token', log: QUIET });

describe('the data directory', () => {
  test('is all that there is: started again the forge goes on, after SIGKILL too', async () => {
    const dataDir = join(directory, 'killed');
    const first = await startProcess(dataDir, 3);
    await put(alice(first.api), 'one');
    await put(alice(first.api), 'two');
    // The third write takes effect and is never answered.
    await expect(put(alice(first.api), 'three')).rejects.toBeDefined();
    await first.exited;

    const second = await startProcess(dataDir);
    const client = alice(second.api);
    const commits = (await client.rest.repos.listCommits(repo)).data.map((commit) => commit.commit.message);
    expect(commits).toEqual(['three', 'two', 'one']);
    await put(client, 'four');
    await expect(startForge({ dataDir, config: SMALL_CONFIG })).rejects.toMatchObject({
      code: 'FORGE_DATA_IN_USE',
    });
    const repository = (await client.rest.repos.get(repo)).data;
    second.child.kill('SIGKILL');
    await second.exited;

    await using third = await startForge({ dataDir, config: SMALL_CONFIG });
    const after = alice(third.apiUrl);
    expect((await after.rest.repos.get(repo)).data.id).toBe(repository.id);
    expect((await after.rest.repos.listCommits(repo)).data).toHaveLength(4);
  });

  test('keeps the key, the tokens and what was not sent yet', async () => {
    const dataDir = join(directory, 'kept');
    const one = await startForge({ dataDir, config: SMALL_CONFIG });
    const key = one.app.privateKeyPem;
    // Nobody listens there: the delivery fails, and is still listed afterwards.
    one.setAppWebhookUrl('http://127.0.0.1:9/');
    await put(alice(one.apiUrl), 'x');
    await one.close();
    await one.close();
    await using two = await startForge({ dataDir });
    await two.settled();
    expect(two.app.privateKeyPem).toBe(key);
    expect((await alice(two.apiUrl).rest.users.getAuthenticated()).data.login).toBe('alice');
    const deliveries = two.context.records.deliveries.all().slice(0, 2);
    expect(deliveries.map((delivery) => [delivery.event, delivery.state, delivery.statusCode])).toEqual([
      ['create', 'done', 0],
      ['push', 'done', 0],
    ]);
  });

  test('tells of refs that moved just before the process died', async () => {
    const dataDir = join(directory, 'journal');
    const one = await startForge({ dataDir, config: SMALL_CONFIG });
    const made = await put(alice(one.apiUrl), 'x');
    const { context } = one;
    const repository = context.records.repositoryByName('acme', 'open')!;
    const sha = made.data.commit.sha!;
    // What a kill between git's update and the webhooks leaves: a journal entry, and the ref moved.
    context.store
      .collection<{ id: number; repositoryId: number; userId: number; updates: unknown[]; told: boolean }>(
        'ref_journal',
      )
      .insert({
        repositoryId: repository.id,
        userId: context.records.accountByLogin('alice')!.id,
        updates: [{ ref: 'refs/heads/late', before: null, after: sha, forced: false }],
        told: false,
      });
    await context.git(repository).updateRefs([{ ref: 'refs/heads/late', before: null, after: sha }]);
    one.setAppWebhookUrl('http://127.0.0.1:9/');
    await one.close();
    await using two = await startForge({ dataDir });
    await two.settled();
    const events = two.context.records.deliveries.all().map((delivery) => delivery.event);
    expect(events.slice(0, 2)).toEqual(['create', 'push']);
  });
});

describe('the configuration', () => {
  test('imports folders and git repositories, once', async () => {
    const folder = join(directory, 'folder');
    await mkdir(join(folder, 'pkg'), { recursive: true });
    await writeFile(join(folder, 'pkg', 'Kptfile'), 'kind: Kptfile\n');
    await writeFile(join(folder, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
    await using box = await testForge();
    const source = join(directory, 'source');
    await box.git(directory, 'init', '-q', '-b', 'trunk', source);
    await writeFile(join(source, 'a'), 'a');
    await box.git(source, 'add', '-A');
    await box.git(source, 'commit', '-qm', 'A');
    await box.git(source, 'tag', '-a', '-m', 'One', 'pkg/v1');
    const config = {
      tokens: { t: { login: 'alice' } },
      repos: [
        { owner: 'alice', name: 'folder', from: './folder' },
        { owner: 'alice', name: 'source', from: source },
      ],
    };
    const dataDir = join(directory, 'imported');
    for (const _time of [1, 2]) {
      await using forge = await startForge({ dataDir, config, configDirectory: directory });
      const { rest } = new Octokit({ baseUrl: forge.apiUrl, auth: 't' });
      const tree = await rest.git.getTree({
        owner: 'alice',
        repo: 'folder',
        tree_sha: 'main',
        recursive: '1',
      });
      expect(tree.data.tree.map((entry) => [entry.path, entry.mode])).toEqual([
        ['pkg', '040000'],
        ['pkg/Kptfile', '100644'],
        ['run.sh', '100755'],
      ]);
      expect((await rest.repos.listCommits({ owner: 'alice', repo: 'folder' })).data).toHaveLength(1);
      const other = { owner: 'alice', repo: 'source' };
      expect((await rest.repos.get(other)).data.default_branch).toBe('trunk');
      expect((await rest.repos.listTags(other)).data).toMatchObject([{ name: 'pkg/v1' }]);
    }
  });

  test.each([
    [{ repos: [{ owner: 'nobody', name: 'x' }] }, /nobody/],
    [
      { repos: [{ owner: 'alice', name: 'x', from: './none' }], users: [{ login: 'alice' }] },
      /nothing at that path/,
    ],
    [{ users: [{ login: 'a b' }] }, /users\.0\.login/],
    [{ nonsense: 1 } as never, /nonsense/],
  ])('is refused with the place when it is wrong: %j', async (config, message) => {
    await expect(
      startForge({ dataDir: join(directory, 'wrong'), config, configDirectory: directory }),
    ).rejects.toThrow(message);
  });
});
