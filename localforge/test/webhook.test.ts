import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { Webhooks } from '@octokit/webhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { testForge } from './forge-fixture.ts';
import type { TestForge } from './forge-fixture.ts';

const tags = (...names: string[]) => names.map((name) => `HEAD:refs/tags/${name}`);

interface Received {
  readonly event: string;
  readonly guid: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly payload: Record<string, unknown>;
}

const isSigned = (one: Received, secret: string): Promise<boolean> =>
  new Webhooks({ secret }).verify(one.body, one.headers['x-hub-signature-256']!);

let box: TestForge;
let server: Server;
let url: string;
let received: Received[] = [];
let answer = 202;
/** The receiver answers when this is settled. */
let gate: Promise<void> = Promise.resolve();
const repo = { owner: 'acme', repo: 'blueprints' };

beforeAll(async () => {
  box = await testForge();
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const headers = request.headers as Record<string, string>;
      const payload = JSON.parse(body) as Record<string, unknown>;
      // Every push also asks for checks; that has tests of its own.
      if (headers['x-github-event'] !== 'check_suite') {
        received.push({
          event: headers['x-github-event']!,
          guid: headers['x-github-delivery']!,
          headers,
          body,
          payload,
        });
      }
      void gate.then(() => response.writeHead(answer).end('seen'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  box.forge.setAppWebhookUrl(url);
  await put('first');
});
afterAll(async () => {
  await box[Symbol.asyncDispose]();
  server.close();
});
beforeEach(async () => {
  await box.forge.settled();
  received = [];
  answer = 202;
});

const put = (path: string) =>
  box
    .as('alice-token')
    .rest.repos.createOrUpdateFileContents({ ...repo, path, message: `Add ${path}`, content: '' });

describe('deliveries', () => {
  test('are signed, named and shaped as GitHub does it', async () => {
    const made = await put('second.yaml');
    await box.forge.settled();
    expect(received.map((one) => one.event)).toEqual(['push']);
    const [push] = received;
    expect(await isSigned(push!, box.forge.app.webhookSecret)).toBe(true);
    expect(await isSigned(push!, 'another')).toBe(false);
    expect(push!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-github-hook-installation-target-type': 'integration',
      'x-github-hook-installation-target-id': String(box.forge.app.id),
    });
    expect(push!.headers['user-agent']).toMatch(/^GitHub-Hookshot\//);
    expect(push!.payload).toMatchObject({
      ref: 'refs/heads/main',
      after: made.data.commit.sha,
      created: false,
      forced: false,
      commits: [{ id: made.data.commit.sha, added: ['second.yaml'], author: { username: 'alice' } }],
      head_commit: { message: 'Add second.yaml' },
      repository: { full_name: 'acme/blueprints' },
      organization: { login: 'acme' },
      sender: { login: 'alice' },
      installation: { id: expect.any(Number) },
    });
  });

  test('of pushes: create and delete, three tags but not four', async () => {
    const work = join(box.directory, 'tags');
    await box.git(box.directory, 'clone', '-q', box.remote('alice-token', 'acme/blueprints'), work);
    const push = async (...specs: string[]) => {
      received = [];
      await box.git(work, 'push', '-q', 'origin', ...specs);
      await box.forge.settled();
      return received.map((one) => `${one.event} ${String(one.payload['ref'])}`);
    };
    expect(await push('HEAD:refs/heads/drafts/p/w')).toEqual([
      'create drafts/p/w',
      'push refs/heads/drafts/p/w',
    ]);
    expect(received[1]!.payload).toMatchObject({ created: true, commits: [] });
    expect((await push(...tags('a', 'b', 'c'))).toSorted()).toEqual([
      'create a',
      'create b',
      'create c',
      'push refs/tags/a',
      'push refs/tags/b',
      'push refs/tags/c',
    ]);
    expect(await push(...tags('d', 'e', 'f', 'g'))).toEqual([]);
    expect(await push(':refs/tags/a')).toEqual(['delete a', 'push refs/tags/a']);
    expect(await push('HEAD:refs/portico/published/p/v1')).toEqual([]);
  });

  test('are kept and can be sent again under the same id; nothing is sent again by itself', async () => {
    answer = 500;
    await put('third');
    await box.forge.settled();
    const { rest } = box.asApp();
    const all = (await rest.apps.listWebhookDeliveries({ per_page: 5 })).data;
    const listed = all.filter((one) => one.event === 'push').slice(0, 1);
    expect(listed).toMatchObject([
      { event: 'push', status_code: 500, redelivery: false, guid: received[0]!.guid },
    ]);
    const whole = (await rest.apps.getWebhookDelivery({ delivery_id: listed[0]!.id })).data;
    expect(whole.request.payload).toEqual(received[0]!.payload);
    expect(whole.response.payload).toBe('seen');
    answer = 202;
    await rest.apps.redeliverWebhookDelivery({ delivery_id: listed[0]!.id });
    await box.forge.settled();
    expect(received.map((one) => one.guid)).toEqual([listed[0]!.guid, listed[0]!.guid]);
    expect(received[1]!.body).toBe(received[0]!.body);
    const after = (await rest.apps.listWebhookDeliveries({ per_page: 5 })).data;
    const again = after.filter((one) => one.guid === listed[0]!.guid);
    expect(again.map((one) => [one.redelivery, one.status_code])).toEqual([
      [true, 202],
      [false, 500],
    ]);
    await expect(box.as('alice-token').rest.apps.listWebhookDeliveries()).rejects.toMatchObject({
      status: 401,
    });
  });

  test('follow what happens to repositories', async () => {
    const { rest } = box.as('alice-token');
    await rest.repos.createInOrg({ org: 'acme', name: 'moving', private: true });
    await rest.repos.update({ owner: 'acme', repo: 'moving', name: 'moved', private: false, archived: true });
    await rest.repos.update({ owner: 'acme', repo: 'moved', archived: false });
    await rest.repos.delete({ owner: 'acme', repo: 'moved' });
    await box.forge.settled();
    expect(received.map((one) => `${one.event}.${String(one.payload['action'])}`)).toEqual([
      'repository.created',
      'installation_repositories.added',
      'repository.renamed',
      'repository.publicized',
      'repository.archived',
      'repository.unarchived',
      'repository.deleted',
      'installation_repositories.removed',
    ]);
  });
});

describe('membership', () => {
  test('is told to the App', async () => {
    const { rest } = box.as('alice-token');
    const who = { org: 'acme', team_slug: 'platform', username: 'bob' };
    await rest.teams.addOrUpdateMembershipForUserInOrg(who);
    await rest.teams.removeMembershipForUserInOrg(who);
    await rest.repos.addCollaborator({ ...repo, username: 'eve', permission: 'triage' });
    await rest.repos.removeCollaborator({ ...repo, username: 'eve' });
    await box.forge.settled();
    expect(received.map((one) => `${one.event}.${String(one.payload['action'])}`)).toEqual([
      'membership.added',
      'membership.removed',
      'member.added',
      'member.removed',
    ]);
  });
});

describe('repository hooks', () => {
  test('get a ping and the events they ask for, with their own secret', async () => {
    const { rest } = box.as('alice-token');
    const hook = await rest.repos.createWebhook({
      ...repo,
      config: { url: `${url}/repo`, content_type: 'json', secret: 'hush' },
      events: ['create'],
    });
    await rest.git.createRef({
      ...repo,
      ref: 'refs/heads/hooked',
      sha: (await put('fourth')).data.commit.sha!,
    });
    await box.forge.settled();
    const own = received.filter(
      (one) => one.headers['x-github-hook-installation-target-type'] === 'repository',
    );
    expect(own.map((one) => one.event)).toEqual(['ping', 'create']);
    expect(own[1]!.payload).not.toHaveProperty('installation');
    expect(await isSigned(own[1]!, 'hush')).toBe(true);
    const deliveries = await rest.repos.listWebhookDeliveries({ ...repo, hook_id: hook.data.id });
    expect(deliveries.data.map((one) => one.event)).toEqual(['create', 'ping']);
    expect((await rest.repos.getWebhook({ ...repo, hook_id: hook.data.id })).data.config.secret).toBe(
      '********',
    );
    await rest.repos.deleteWebhook({ ...repo, hook_id: hook.data.id });
    await expect(box.as('bob-token').rest.repos.listWebhooks(repo)).rejects.toMatchObject({ status: 403 });
  });
});

describe('knobs', () => {
  test('lose, duplicate and reorder what is sent', async () => {
    const { webhooks } = box.forge.knobs;
    webhooks.lose = (delivery) => delivery.event === 'create';
    webhooks.duplicate = 1;
    const { sha } = (await put('fifth')).data.commit;
    await box.as('alice-token').rest.git.createRef({ ...repo, ref: 'refs/heads/lossy', sha: sha! });
    await box.forge.settled();
    expect(received.map((one) => one.event)).toEqual(['push', 'push', 'push', 'push']);
    expect(new Set(received.map((one) => one.guid)).size).toBe(2);
    const { data } = await box.asApp().rest.apps.listWebhookDeliveries();
    const lost = data.filter((one) => one.status === 'lost');
    expect(lost).toMatchObject([{ event: 'create', status_code: 0 }]);

    received = [];
    Object.assign(webhooks, { lose: 0, duplicate: 0, reorder: 100, delay: 2 });
    // While the receiver holds the first delivery, all others come to wait behind it.
    const held = Promise.withResolvers<void>();
    gate = held.promise;
    await put('sixth');
    const names = Array.from({ length: 8 }, (_, index) => `r${index}`);
    for (const name of names) {
      await box.as('alice-token').rest.git.createRef({ ...repo, ref: `refs/heads/${name}`, sha: sha! });
    }
    held.resolve();
    await box.forge.settled();
    Object.assign(webhooks, { reorder: 0, delay: 0 });
    const order = received.filter((one) => one.event === 'create').map((one) => String(one.payload['ref']));
    expect(order.toSorted()).toEqual(names);
    expect(order).not.toEqual(names);
  });
});
