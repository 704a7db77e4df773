import { afterAll, beforeAll, expect, test } from 'vitest';

import { collaboration, REPO } from './collaboration-fixture.ts';
import type { Collaboration } from './collaboration-fixture.ts';

let forge: Collaboration;

beforeAll(async () => {
  forge = await collaboration();
});
afterAll(() => forge[Symbol.asyncDispose]());

async function activities(query: { ref?: string; per_page?: number; actor?: string }): Promise<string[]> {
  const { data } = await forge.eve.rest.repos.listActivities({ ...REPO, ...query });
  return data.map((one) => `${one.actor?.login} ${one.activity_type} ${one.ref}`);
}

test('who moved a branch is told, whatever the commits say', async () => {
  const { git } = forge.bob.rest;
  const main = await git.getRef({ ...REPO, ref: 'heads/main' });
  const { sha } = main.data.object;
  const { tree } = (await git.getCommit({ ...REPO, commit_sha: sha })).data;
  const person = { name: 'alice', email: 'alice@example.com' };
  const made = async (message: string): Promise<string> =>
    (
      await git.createCommit({
        ...REPO,
        message,
        tree: tree.sha,
        parents: [sha],
        author: person,
        committer: person,
      })
    ).data.sha;
  await git.createRef({ ...REPO, ref: 'refs/heads/told', sha });
  const one = await made('One');
  await git.updateRef({ ...REPO, ref: 'heads/told', sha: one });
  const two = await made('Two');
  await forge.carol.rest.git.updateRef({ ...REPO, ref: 'heads/told', sha: two, force: true });
  await git.deleteRef({ ...REPO, ref: 'heads/told' });
  expect(await activities({ ref: 'told' })).toEqual([
    'bob branch_deletion refs/heads/told',
    'carol force_push refs/heads/told',
    'bob push refs/heads/told',
    'bob branch_creation refs/heads/told',
  ]);
  expect(await activities({ ref: 'refs/heads/told', actor: 'carol' })).toEqual([
    'carol force_push refs/heads/told',
  ]);
  const { data } = await forge.eve.rest.repos.listActivities({ ...REPO, ref: 'told', direction: 'asc' });
  expect(data.map(({ before, after }) => [before, after])).toEqual([
    ['0'.repeat(40), sha],
    [sha, one],
    [one, two],
    [two, '0'.repeat(40)],
  ]);
});

test('a merge is told as one, and pages are reached by cursors', async () => {
  await forge.commit('merged', { 'merged.yaml': 'a: 1\n' });
  const { data } = await forge.bob.rest.pulls.create({ ...REPO, title: 'M', head: 'merged', base: 'main' });
  await forge.known(data.number);
  await forge.carol.rest.pulls.merge({ ...REPO, pull_number: data.number });
  expect(await activities({ ref: 'main', per_page: 1 })).toEqual(['carol pr_merge refs/heads/main']);
  const whole = await activities({ per_page: 100 });
  const paged: string[] = [];
  let after: string | undefined;
  do {
    const page = await forge.eve.rest.repos.listActivities({
      ...REPO,
      per_page: 2,
      ...(after !== undefined && { after }),
    });
    paged.push(...page.data.map((one) => `${one.actor?.login} ${one.activity_type} ${one.ref}`));
    const next = /<([^>]+)>; rel="next"/.exec(page.headers.link ?? '')?.[1];
    after = next === undefined ? undefined : (new URL(next).searchParams.get('after') ?? undefined);
  } while (after !== undefined);
  expect(paged).toEqual(whole);
  expect(whole.length).toBeGreaterThan(4);
});
