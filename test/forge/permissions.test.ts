import nock from 'nock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { mockForge, ORIGIN, REPO } from './forge-mock.ts';

const permissionOf = (login: string): string => `${REPO}/collaborators/${login}/permission`;
const membershipOf = (login: string): string => `/api/v3/orgs/acme/teams/platform/memberships/${login}`;

beforeEach(() => nock.disableNetConnect());
afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
});

describe('who may', () => {
  test('strangers have no permission, trouble is no answer', async () => {
    const { repository } = mockForge();
    nock(ORIGIN).get(permissionOf('alice')).reply(200, { permission: 'write', role_name: 'maintain' });
    nock(ORIGIN).get(permissionOf('eve')).reply(404, { message: 'not a user' });
    nock(ORIGIN).get(permissionOf('bob')).times(4).reply(500, { message: 'oops' });
    expect(await repository.permission('alice')).toBe('maintain');
    expect(await repository.permission('eve')).toBe('none');
    await expect(repository.permission('bob')).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' });
  });

  test('only active members are in a team', async () => {
    const { repository } = mockForge();
    nock(ORIGIN).get(membershipOf('alice')).reply(200, { state: 'active', role: 'member' });
    nock(ORIGIN).get(membershipOf('bob')).reply(200, { state: 'pending', role: 'member' });
    nock(ORIGIN).get(membershipOf('eve')).reply(404, { message: 'Not Found' });
    nock(ORIGIN)
      .get(membershipOf('mallory'))
      // A young token is tried again.
      .times(4)
      .reply(403, { message: 'Resource not accessible by integration' });
    expect(await repository.teamMember('acme', 'platform', 'alice')).toBe(true);
    expect(await repository.teamMember('acme', 'platform', 'bob')).toBe(false);
    expect(await repository.teamMember('acme', 'platform', 'eve')).toBe(false);
    await expect(repository.teamMember('acme', 'platform', 'mallory')).rejects.toMatchObject({
      code: 'FORGE_FORBIDDEN',
    });
  });

  test('names with slashes and dots do not leave their place in the URL', async () => {
    const { repository, calls } = mockForge();
    const seen: string[] = [];
    nock(ORIGIN)
      .get(/collaborators/)
      .reply(404, (request: Request) => {
        seen.push(new URL(request.url).pathname);
        return { message: 'Not Found' };
      });
    expect(await repository.permission('../../../user?x=')).toBe('none');
    expect(seen).toEqual([`${REPO}/collaborators/..%2F..%2F..%2Fuser%3Fx%3D/permission`]);
    expect(calls.at(-1)?.route).toBe('/repos/{owner}/{repo}/collaborators/{username}/permission');
  });
});
