// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** Events of people and teams alone: no sweep, no command and no push. */
let stage: Stage;

const FILES = below('web', smallPackage('web'));

beforeAll(async () => {
  stage = await startStage({
    role: { files: FILES },
    team: {
      files: FILES,
      spec: 'branch: main\npublish: { requireApprovals: 1 }\naccess: { approve: ["@acme/platform"] }',
    },
    granted: { files: FILES, collaborators: { carol: 'write' } },
  });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

const ORG = { org: 'acme', username: 'bob' };

test.each([
  [
    'a role in the repository',
    'role',
    (has: boolean) =>
      stage.as('alice').rest.repos.addCollaborator({
        owner: 'acme',
        repo: 'role',
        username: 'bob',
        permission: has ? 'push' : 'pull',
      }),
  ],
  [
    'a place in a team',
    'team',
    (has: boolean) =>
      has
        ? stage.as('alice').rest.teams.addOrUpdateMembershipForUserInOrg({ ...ORG, team_slug: 'platform' })
        : stage.as('alice').rest.teams.removeMembershipForUserInOrg({ ...ORG, team_slug: 'platform' }),
  ],
  [
    'what a team may do in the repository',
    'granted',
    (has: boolean) =>
      stage.as('alice').rest.teams.addOrUpdateRepoPermissionsInOrg({
        org: 'acme',
        team_slug: 'platform',
        owner: 'acme',
        repo: 'granted',
        permission: has ? 'push' : 'pull',
      }),
  ],
] as const)(
  'the button waits as soon as who approved has lost %s, and no longer when it is back',
  async (...row) => {
    const [, name, give] = row;
    await stage.as('alice').rest.orgs.setMembershipForUser(ORG);
    if (name === 'granted')
      await stage.as('alice').rest.teams.addOrUpdateMembershipForUserInOrg({ ...ORG, team_slug: 'platform' });
    await give(true);
    const repo = stage.repository(name);
    const { number } = await repo.propose('next', { 'web/config.yaml': configMap('web', { color: 'red' }) });
    const portico = async (): Promise<unknown> => (await repo.checksOf(number)).get('portico')?.conclusion;
    await repo.review(number, 'APPROVE');
    expect(await portico()).toBe('success');
    await give(false);
    await stage.idle();
    expect(await portico()).toBe('action_required');
    await give(true);
    await stage.idle();
    expect(await portico()).toBe('success');
  },
);
