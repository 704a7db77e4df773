import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { testForge } from './forge-fixture.ts';
import type { TestForge } from './forge-fixture.ts';

let box: TestForge;
beforeAll(async () => {
  box = await testForge();
});
afterAll(() => box[Symbol.asyncDispose]());

const repo = { owner: 'acme', repo: 'blueprints' };
const text = (content: string): string => Buffer.from(content).toString('base64');
const status = (code: number, message?: RegExp) =>
  expect.objectContaining({
    status: code,
    ...(message === undefined ? {} : { message: expect.stringMatching(message) }),
  });

describe('repositories', () => {
  test('are made, read, changed, renamed with a redirect, and deleted', async () => {
    const { rest } = box.as('alice-token');
    const made = await rest.repos.createInOrg({ org: 'acme', name: 'fresh', private: true, auto_init: true });
    expect(made.data).toMatchObject({ full_name: 'acme/fresh', private: true, visibility: 'private' });
    expect((await rest.repos.getContent({ owner: 'acme', repo: 'fresh', path: 'README.md' })).status).toBe(
      200,
    );
    await expect(rest.repos.createInOrg({ org: 'acme', name: 'Fresh' })).rejects.toEqual(status(422));

    await rest.repos.update({ owner: 'acme', repo: 'fresh', name: 'newer', description: 'Newer' });
    const moved = await fetch(`${box.forge.apiUrl}/repos/acme/fresh/topics?x=1`, {
      redirect: 'manual',
      headers: { authorization: 'Bearer alice-token' },
    });
    expect(moved.status).toBe(301);
    expect(moved.headers.get('location')).toMatch(/\/repositories\/\d+\/topics\?x=1$/);
    expect((await rest.repos.get({ owner: 'acme', repo: 'fresh' })).data.full_name).toBe('acme/newer');
    await box.git(box.directory, 'clone', '-q', box.remote('alice-token', 'acme/fresh'), 'renamed');

    await rest.repos.replaceAllTopics({ owner: 'acme', repo: 'newer', names: ['kpt', 'portico'] });
    expect((await rest.repos.getAllTopics({ owner: 'acme', repo: 'newer' })).data.names).toEqual([
      'kpt',
      'portico',
    ]);
    await rest.repos.update({ owner: 'acme', repo: 'newer', archived: true });
    await expect(rest.git.createBlob({ owner: 'acme', repo: 'newer', content: 'x' })).rejects.toEqual(
      status(403, /archived/),
    );
    await rest.repos.delete({ owner: 'acme', repo: 'newer' });
    await expect(rest.repos.get({ owner: 'acme', repo: 'newer' })).rejects.toEqual(status(404));
  });

  test('hide from outsiders and refuse those with too few rights', async () => {
    await expect(box.as('eve-token').rest.repos.get(repo)).rejects.toEqual(status(404));
    await expect(box.as().rest.repos.get(repo)).rejects.toEqual(status(404));
    expect((await box.as().rest.repos.get({ owner: 'acme', repo: 'open' })).status).toBe(200);
    await expect(box.as('bob-token').rest.repos.update({ ...repo, description: 'x' })).rejects.toEqual(
      status(403),
    );
    await expect(box.as('nonsense').rest.repos.get(repo)).rejects.toEqual(status(401, /Bad credentials/));
  });

  test('tell who may do what, as collaborators come and go', async () => {
    const { rest } = box.as('alice-token');
    const of = async (username: string) =>
      (await rest.repos.getCollaboratorPermissionLevel({ ...repo, username })).data;
    expect(await of('alice')).toMatchObject({ permission: 'admin', role_name: 'admin' });
    expect(await of('bob')).toMatchObject({ permission: 'read', role_name: 'read' });
    expect(await of('eve')).toMatchObject({ permission: 'none', role_name: 'none' });
    await rest.repos.addCollaborator({ ...repo, username: 'eve', permission: 'maintain' });
    expect(await of('eve')).toMatchObject({ permission: 'write', role_name: 'maintain' });
    await rest.repos.removeCollaborator({ ...repo, username: 'eve' });
    expect(await of('eve')).toMatchObject({ permission: 'none' });
    const people = (await rest.repos.listCollaborators(repo)).data.map((user) => [
      user.login,
      user.role_name,
    ]);
    expect(people).toEqual([
      ['alice', 'admin'],
      ['bob', 'read'],
    ]);
  });
});

describe('organizations', () => {
  test('show members and teams to members alone', async () => {
    const { rest } = box.as('bob-token');
    expect((await rest.orgs.getMembershipForUser({ org: 'acme', username: 'alice' })).data.role).toBe(
      'admin',
    );
    expect((await rest.teams.list({ org: 'acme' })).data.map((team) => team.slug)).toEqual(['platform']);
    const inTeam = (await rest.teams.listMembersInOrg({ org: 'acme', team_slug: 'platform' })).data;
    expect(inTeam.map((user) => user.login)).toEqual(['alice']);
    const who = { org: 'acme', team_slug: 'platform', username: 'alice' };
    expect((await rest.teams.getMembershipForUserInOrg(who)).data.state).toBe('active');
    await expect(rest.teams.getMembershipForUserInOrg({ ...who, username: 'bob' })).rejects.toEqual(
      status(404),
    );
    await expect(box.as('eve-token').rest.teams.list({ org: 'acme' })).rejects.toEqual(status(403));
  });
});

describe('teams', () => {
  test('give and take rights as people and repositories come and go', async () => {
    const { rest } = box.as('alice-token');
    const team = { org: 'acme', team_slug: 'platform' };
    const role = async () =>
      (await rest.repos.getCollaboratorPermissionLevel({ ...repo, username: 'bob' })).data.role_name;
    await rest.teams.addOrUpdateRepoPermissionsInOrg({ ...team, ...repo, permission: 'maintain' });
    expect(await role()).toBe('read');
    await rest.teams.addOrUpdateMembershipForUserInOrg({ ...team, username: 'bob' });
    expect(await role()).toBe('maintain');
    await rest.teams.removeMembershipForUserInOrg({ ...team, username: 'bob' });
    expect(await role()).toBe('read');
    const outsider = { ...team, username: 'eve' };
    await expect(rest.teams.addOrUpdateMembershipForUserInOrg(outsider)).rejects.toEqual(status(422));
    await rest.orgs.setMembershipForUser({ org: 'acme', username: 'eve' });
    expect((await box.as('eve-token').rest.repos.get(repo)).status).toBe(200);
    await rest.orgs.removeMembershipForUser({ org: 'acme', username: 'eve' });
    await expect(box.as('eve-token').rest.repos.get(repo)).rejects.toEqual(status(404));
    const byMember = box.as('bob-token').rest.orgs.setMembershipForUser({ org: 'acme', username: 'eve' });
    await expect(byMember).rejects.toEqual(status(403));
  });
});

describe('contents', () => {
  test('need the blob id of what they replace', async () => {
    const { rest } = box.as('alice-token');
    const file = { ...repo, path: 'pkg/ä b.yaml', message: 'Change' };
    const made = await rest.repos.createOrUpdateFileContents({ ...file, content: text('a: 1\n') });
    expect(made.status).toBe(201);
    const sha = made.data.content!.sha!;
    await expect(rest.repos.createOrUpdateFileContents({ ...file, content: text('a: 2\n') })).rejects.toEqual(
      status(422, /sha/),
    );
    const stale = { ...file, content: text('a: 2\n'), sha: '0'.repeat(40) };
    await expect(rest.repos.createOrUpdateFileContents(stale)).rejects.toEqual(status(409, /does not match/));
    const changed = await rest.repos.createOrUpdateFileContents({ ...file, content: text('a: 2\n'), sha });
    expect(changed.status).toBe(200);
    expect(changed.data.commit.parents!.map((parent) => parent.sha)).toEqual([made.data.commit.sha]);

    const dir = await rest.repos.getContent({ ...repo, path: 'pkg' });
    expect(dir.data).toMatchObject([{ name: 'ä b.yaml', path: 'pkg/ä b.yaml', type: 'file', size: 5 }]);
    const raw = await rest.repos.getContent({ ...repo, path: file.path, mediaType: { format: 'raw' } });
    expect(raw.data).toBe('a: 2\n');
    const old = await rest.repos.getContent({ ...repo, path: file.path, ref: made.data.commit.sha! });
    expect(old.data).toMatchObject({ content: expect.stringContaining(text('a: 1\n')) });
    await expect(rest.repos.deleteFile({ ...file, sha })).rejects.toEqual(status(409));
    const gone = await rest.repos.deleteFile({ ...file, sha: changed.data.content!.sha! });
    expect(gone.data.content).toBeNull();
    await expect(rest.repos.getContent({ ...repo, path: file.path })).rejects.toEqual(status(404));
  });

  test.each(['../x', 'a//b', '.git/config'])('refuse the path %s', async (path) => {
    const url = `${box.forge.apiUrl}/repos/acme/blueprints/contents/${path.split('/').map(encodeURIComponent).join('/').replaceAll('..', '%2e%2e')}`;
    const answer = await fetch(url, {
      method: 'PUT',
      headers: { authorization: 'token alice-token' },
      body: JSON.stringify({ message: 'x', content: '' }),
    });
    expect([404, 422]).toContain(answer.status);
  });
});

/** A request as nobody's library would make it: status and message. */
const post = async (body: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${box.forge.url}/repos/acme/blueprints/git/refs`, {
    method: 'POST',
    headers: { authorization: 'Bearer alice-token', ...headers },
    body,
  });
  return [answer.status, ((await answer.json()) as { message: string }).message];
};

describe('answers', () => {
  test('have an ETag, 304 for who has it already, pages, and the rate limit', async () => {
    const { rest } = box.as('alice-token');
    const first = await rest.repos.get(repo);
    expect(Number(first.headers['x-ratelimit-remaining'])).toBeGreaterThan(0);
    expect(first.headers['x-github-request-id']).toBeDefined();
    const again = rest.repos.get({ ...repo, headers: { 'if-none-match': first.headers.etag! } });
    await expect(again).rejects.toEqual(status(304));

    const before = (await rest.rateLimit.get()).data.rate.used;
    for (const name of ['one', 'two', 'three']) {
      await rest.git.createRef({
        ...repo,
        ref: `refs/heads/page/${name}`,
        sha: (await rest.git.getRef({ ...repo, ref: 'heads/main' })).data.object.sha,
      });
    }
    expect((await rest.rateLimit.get()).data.rate.used).toBe(before + 7);
    const page = await rest.repos.listBranches({ ...repo, per_page: 2 });
    expect(page.data).toHaveLength(2);
    expect(page.headers.link).toContain('rel="next"');
    const all = await box.as('alice-token').paginate(rest.repos.listBranches, { ...repo, per_page: 2 });
    expect(all).toHaveLength(4);
  });

  test('refuse what is not JSON, an unknown version, a missing field', async () => {
    expect(await post('{')).toEqual([400, 'Problems parsing JSON']);
    expect((await post('{}', { 'x-github-api-version': '1999-01-01' }))[0]).toBe(400);
    expect(await post('{"ref":"refs/heads/x"}')).toEqual([
      422,
      expect.stringContaining('"sha" wasn\'t supplied'),
    ]);
  });

  test('a secondary limit can be switched on, and passes', async () => {
    const { rest } = box.as('alice-token');
    box.forge.knobs.secondaryLimit = { status: 403, retryAfter: 7, times: 1 };
    const refused = await rest.git.createBlob({ ...repo, content: 'x' }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 403, response: { headers: { 'retry-after': '7' } } });
    expect((await rest.git.createBlob({ ...repo, content: 'x' })).status).toBe(201);
  });
});
