import { cp } from 'node:fs/promises';
import { join } from 'node:path';

import { Octokit } from '@octokit/rest';
import { expect, test } from 'vitest';

import { collaborationStore } from '../src/collaboration-store.ts';
import { startForge } from '../src/forge.ts';
import { squashCommit } from '../src/merge-engine.ts';
import { collaboration, REPO } from './collaboration-fixture.ts';
import type { Collaboration } from './collaboration-fixture.ts';

test('a squash whose process dies between the branch and the record is merged, once, at the next start', async () => {
  await using first = await collaboration();
  const { context } = first.forge;
  await first.commit('draft', { 'a.yaml': 'a: 1\n' }, { from: 'main' });
  const { data } = await first.bob.rest.pulls.create({
    ...REPO,
    title: 'Squash me',
    head: 'draft',
    base: 'main',
  });
  await first.forge.settled();

  // What mergePull has done when it is killed after the ref has moved and before anybody was told.
  const repository = context.records.repositoryByName('acme', 'blueprints')!;
  const git = context.git(repository);
  const store = collaborationStore(context.store);
  const pull = store.pulls.first('number', [repository.id, data.number])!;
  const base = (await git.ref('refs/heads/main'))!.sha;
  const person = { name: 'bob', email: 'bob@example.com', date: context.now() };
  const squashed = await squashCommit(git, {
    base,
    head: pull.headSha,
    message: 'x',
    author: person,
    committer: person,
  });
  if (!squashed.clean) throw new Error('the squash has conflicts');
  const bob = context.records.accountByLogin('bob')!;
  store.pulls.update(pull.id, { pendingMerge: { sha: squashed.sha, baseSha: base, byId: bob.id } });
  const update = { ref: 'refs/heads/main', before: base, after: squashed.sha };
  context.store.collection('ref_journal').insert({
    repositoryId: repository.id,
    userId: bob.id,
    updates: [{ ...update, forced: false }],
    told: false,
  } as never);
  await git.updateRefs([update]);
  await using second = await startForge({ dataDir: await snapshot(first) });
  const again = new Octokit({ baseUrl: second.apiUrl, auth: 'bob-token' });
  expect((await again.rest.pulls.get({ ...REPO, pull_number: data.number })).data).toMatchObject({
    merged: true,
    merge_commit_sha: squashed.sha,
    merged_by: { login: 'bob' },
    changed_files: 1,
  });
  const closed = second.context.records.deliveries
    .all()
    .filter(
      (delivery) =>
        delivery.event === 'pull_request' && delivery.action === 'closed' && delivery.hookId !== null,
    );
  expect(closed.length).toBe(1);
});

test('what is known of issues and pull requests outlives a restart', async () => {
  await using first = await collaboration();
  const head = await first.commit('draft', { 'a.yaml': 'a: 1\n' }, { from: 'main' });
  const { data } = await first.bob.rest.pulls.create({ ...REPO, title: 'Keep', head: 'draft', base: 'main' });
  await first.app.rest.checks.create({ ...REPO, name: 'portico', head_sha: head, conclusion: 'success' });
  await first.bob.rest.issues.createComment({ ...REPO, issue_number: data.number, body: 'Hi' });
  await using second = await startForge({ dataDir: await snapshot(first) });
  const again = new Octokit({ baseUrl: second.apiUrl, auth: 'bob-token' });
  const one = { ...REPO, pull_number: data.number };
  expect((await again.rest.pulls.get(one)).data).toMatchObject({ title: 'Keep', comments: 1, state: 'open' });
  const runs = (await again.rest.checks.listForRef({ ...REPO, ref: head })).data;
  expect(runs.check_runs.map((run) => [run.name, run.conclusion])).toEqual([['portico', 'success']]);
  expect((await again.rest.pulls.merge(one)).data.merged).toBe(true);
});

/** What is on disk at this moment, as a killed process leaves it. */
async function snapshot({ directory, forge }: Collaboration): Promise<string> {
  await forge.settled();
  const copy = join(directory, 'copy');
  await cp(join(directory, 'data'), copy, { recursive: true });
  return copy;
}
