import { readFileSync } from 'node:fs';

import nock from 'nock';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';

import { mockForge, ORIGIN, REPO } from './forge-mock.ts';

/** Replies of api.github.com as Octokit's maintainers recorded them, to the calls that our client makes too. */
const { replies } = z
  .object({
    replies: z.array(
      z.object({
        scenario: z.string(),
        call: z.string(),
        status: z.number(),
        headers: z.record(z.string(), z.string()),
        response: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(new URL('../contract/recorded-replies.json', import.meta.url), 'utf8')));

const read = new Set<string>();

/** The next such call is answered as it was recorded. */
function answer(scenario: string, call: string): void {
  const found = replies.find((one) => one.scenario === scenario && one.call === call)!;
  const [method = '', path = ''] = call.split(' ');
  const pattern = new RegExp(
    `^${path.replace('/repos/{owner}/{repo}', REPO).replaceAll(/\{\w+\}/g, '[^/]+')}(?:\\?|$)`,
  );
  nock(ORIGIN).intercept(pattern, method).reply(found.status, found.response, here(found.headers));
  read.add(`${scenario} ${call}`);
}

/** Addresses of github.com are those of the forge of this test. */
function here(headers: Readonly<Record<string, string>>): Record<string, string> {
  const moved = Object.entries(headers).map(([name, value]) => [
    name,
    value.replaceAll('https://api.github.com', `${ORIGIN}/api/v3`),
  ]);
  return Object.fromEntries(moved) as Record<string, string>;
}

afterEach(() => nock.cleanAll());

test('every recorded reply to a call of ours is read', async () => {
  const { repository } = mockForge();

  answer('get-repository', 'GET /repos/{owner}/{repo}');
  expect(await repository.get()).toMatchObject({
    fullName: 'octokit-fixture-org/hello-world',
    defaultBranch: 'master',
    visibility: 'public',
    archived: false,
  });

  answer('add-labels-to-issue', 'POST /repos/{owner}/{repo}/issues');
  expect(await repository.createIssue({ title: 'x', body: 'x' })).toMatchObject({
    number: 1,
    state: 'open',
    labels: [],
  });
  answer('add-labels-to-issue', 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels');
  await repository.addLabels(1, ['Foo']);
  answer('labels', 'GET /repos/{owner}/{repo}/labels/{name}');
  expect(await repository.hasLabel('test-label')).toBe(true);

  answer('create-status', 'GET /repos/{owner}/{repo}/commits/{ref}/status');
  expect(await repository.combinedStatus('0'.repeat(40))).toMatchObject({
    state: 'failure',
    statuses: [
      { context: 'example/1', state: 'failure' },
      { context: 'example/2', state: 'success' },
    ],
  });

  answer('paginate-issues', 'GET /repos/{owner}/{repo}/issues');
  const issues = await repository.listIssues({});
  expect(issues.map(({ number }) => number)).toEqual([13, 12, 11]);

  for (const scenario of ['release-assets', 'release-assets-conflict']) {
    answer(scenario, 'GET /repos/{owner}/{repo}/releases/tags/{tag}');
    expect(await repository.getRelease('v1.0.0')).toMatchObject({ tag: 'v1.0.0' });
  }

  // A former name leads to the number of the repository, and the client follows.
  answer('rename-repository', 'GET /repos/{owner}/{repo}');
  const renamed = replies.find(({ scenario }) => scenario === 'get-repository')!.response;
  const followed = nock(ORIGIN).get('/api/v3/repositories/1000').reply(200, renamed);
  expect(await repository.get()).toMatchObject({ id: 1000 });
  expect(followed.isDone()).toBe(true);

  expect([...read].sort()).toEqual(
    [...new Set(replies.map(({ scenario, call }) => `${scenario} ${call}`))].sort(),
  );
  process.stdout.write(`recorded replies: ${read.size} of ${replies.length} read\n`);
});
