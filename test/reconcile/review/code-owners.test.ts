import { expect, test } from 'vitest';

import { defaultRepositoryConfig } from '../../../src/config/parse-repository-config.ts';
import type { RepositoryAccess } from '../../../src/reconcile/ports.ts';
import { MAX_QUESTIONS, ownersMissing } from '../../../src/reconcile/review/code-owners.ts';

/** A change of `file`, where CODEOWNERS says `owners`. */
async function missing(
  owners: string,
  people: readonly string[],
  isMember: (team: string, login: string) => boolean,
): Promise<{ readonly missing: Awaited<ReturnType<typeof ownersMissing>>; readonly asked: number }> {
  let asked = 0;
  const git = {
    readFile: () => Promise.resolve(new TextEncoder().encode(`* ${owners}\n`)),
    changedPaths: () => Promise.resolve([{ path: 'file' }]),
  } as unknown as RepositoryAccess['git'];
  const forge = {
    teamMember: (_org: string, team: string, login: string) => {
      asked += 1;
      return Promise.resolve(isMember(team, login));
    },
  } as unknown as RepositoryAccess['forge'];
  const config = defaultRepositoryConfig();
  const snapshot = { config, base: 'b', mergeBase: 'b', head: { oid: 'h' } } as never;
  return { missing: await ownersMissing({ git, forge }, snapshot, people), asked };
}

const teams = (count: number): string =>
  Array.from({ length: count }, (_, at) => `@acme/team-${at}`).join(' ');

const isLast = (team: string): boolean => team === 'team-19';

test('past so many questions of teams an owner is still missing, and that is said', async () => {
  const people = Array.from({ length: 30 }, (_, at) => `person-${at}`);
  const { missing: left, asked } = await missing(teams(20), people, isLast);
  expect(asked).toBe(MAX_QUESTIONS);
  expect(left).toMatchObject([{ path: 'file', notAsked: true }]);
  expect((await missing(teams(5), people, () => false)).missing[0]).not.toHaveProperty('notAsked');
  expect((await missing(teams(5), people, (team) => team === 'team-4')).missing).toEqual([]);
});

test('a person who owns it is found without a question', async () => {
  expect(await missing(`${teams(20)} @Person-1`, ['person-1'], () => false)).toEqual({
    missing: [],
    asked: 0,
  });
});
