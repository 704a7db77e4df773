import type { HttpExchange } from '@portico/localforge/exchanges';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import {
  closeClean,
  collaboration,
  REPO,
  type Collaboration,
} from '../../localforge/test/collaboration-fixture.ts';
import { connectForge } from '../../src/forge/forge.ts';
import { lookIn } from '../../src/forge/pull-query.ts';
import type { CheckInput } from '../../src/reconcile/forge/checks.ts';
import type { Forge } from '../../src/reconcile/forge/forge.ts';
import { openForgeDoor, type ForgeDoor, type InsteadOfForge } from '../reconcile/forge-door.ts';

/** One query for all that a look at a pull request reads: it must tell what the single reads tell, or leave it to them. */
let local: Collaboration;
let door: ForgeDoor;
let repository: Forge;
let number: number;
let head: string;
/** Calls of the bot since the test began, as `GET /pulls/1` or `POST /graphql`. */
let calls: string[] = [];
let lastGraphql: HttpExchange | undefined;

const ALL_READS = 7;

async function connect(): Promise<Forge> {
  const { id: appId, privateKeyPem: privateKey } = local.forge.app;
  const forge = connectForge({ appId, privateKey, baseUrl: door.apiUrl, backoffMs: 1 });
  const installation = (await forge.repositoryInstallation(REPO.owner, REPO.repo))!;
  const known = (await forge.repositories(installation.id)).find(({ name }) => name === REPO.repo)!;
  return forge.repository(installation.id, known);
}

/** Everything that a look reads, by name. */
async function read(forge: Forge): Promise<Record<string, unknown>> {
  return {
    pull: await forge.getPull(number),
    comments: await forge.listComments(number),
    reviews: await forge.listReviews(number),
    drafted: await forge.draftedAt(number, 'bob'),
    checks: await forge.ourChecks(head),
    history: await forge.checkHistory(head, 'portico'),
    written: await forge.putChecks([]),
  };
}

/** Without what is beside what the ports promise: the test merge, and through which App somebody commented. */
function plain({ pull, comments, ...rest }: Record<string, unknown>): unknown {
  const { mergeable: _one, authorIsBot: _other, mergeCommitSha, ...told } = pull as Record<string, unknown>;
  const listed = (comments ?? []) as readonly Record<string, unknown>[];
  return {
    ...rest,
    pull: { ...told, mergeCommitSha: told['merged'] === true ? mergeCommitSha : null },
    comments: listed.map(({ appId: _id, ...comment }) => comment),
  };
}

const check = (conclusion: 'success' | 'failure', externalId: string): CheckInput => ({
  name: 'portico',
  headSha: head,
  externalId,
  status: 'completed',
  conclusion,
  title: conclusion,
  summary: conclusion,
});

beforeAll(async () => {
  local = await collaboration();
  door = await openForgeDoor(local.forge.apiUrl);
  head = await local.commit('change', { 'app/cm.yaml': 'a: 1\n' }, { from: 'main' });
  const { bob, carol, alice } = local;
  const made = await bob.rest.pulls.create({
    ...REPO,
    title: 'Change',
    body: 'Why',
    head: 'change',
    base: 'main',
  });
  ({ number } = made.data);
  await bob.graphql(
    'mutation($id: ID!) { convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } } }',
    { id: made.data.node_id },
  );
  repository = await connect();
  await repository.createComment(number, 'mine');
  await alice.rest.issues.createComment({ ...REPO, issue_number: number, body: 'hers' });
  await alice.rest.issues.addLabels({ ...REPO, issue_number: number, labels: ['bug'] });
  await carol.rest.pulls.createReview({ ...REPO, pull_number: number, event: 'APPROVE', body: 'yes' });
  await carol.rest.pulls.createReview({ ...REPO, pull_number: number, event: 'REQUEST_CHANGES', body: 'no' });
  await repository.putCheck(check('failure', 'one'));
  await repository.putCheck({
    ...check('failure', 'two'),
    annotations: [{ path: 'x', startLine: 1, endLine: 1, level: 'warning', message: 'm' }],
  });
  await repository.putCheck(check('success', 'two'));
  await local.known(number);
  local.forge.onExchange((exchange) => {
    if (exchange.url.pathname.endsWith('/graphql')) lastGraphql = exchange;
  });
});
beforeEach(async () => {
  await local.known(number);
  calls = [];
  watch();
});
afterAll(async () => {
  await door[Symbol.asyncDispose]();
  await closeClean(local);
});

/** Writes calls down, and answers queries otherwise where asked to. */
function watch(instead?: () => InsteadOfForge | undefined): void {
  door.watch(({ method, path }) => {
    if (path.endsWith('/access_tokens') || path === '/app') return;
    calls.push(`${method} ${path.replace('/repos/acme/blueprints', '').replace('/api', '')}`);
    return path.endsWith('/graphql') ? instead?.() : undefined;
  });
}

/** Lists of an answer that are changed. */
type Lists = Record<
  'comments' | 'reviews' | 'drafted',
  { readonly nodes: object[]; readonly pageInfo: { hasNextPage: boolean } }
>;

/** The answer to a look, changed. */
async function answered(change: (pull: Lists, data: { rateLimit: unknown }) => unknown): Promise<void> {
  await repository.lookingAt(number).getPull(number);
  const body = JSON.parse(lastGraphql!.replyBody) as {
    data: { rateLimit: unknown; repository: { pullRequest: Lists } };
  };
  change(body.data.repository.pullRequest, body.data);
  calls = [];
  watch(() => ({ status: 200, body }));
}

describe('what a look says', () => {
  test('is what the single reads say, by one call', async () => {
    const singly = plain(await read(repository));
    calls = [];
    expect(plain(await read(repository.lookingAt(number)))).toEqual(singly);
    expect(calls).toEqual(['POST /graphql']);
  });

  test('of a merged one, and of one that is none', async () => {
    await local.commit('merged', { 'app/other.yaml': 'b: 1\n' }, { from: 'main' });
    const { data } = await local.bob.rest.pulls.create({ ...REPO, title: 'M', head: 'merged', base: 'main' });
    await local.known(data.number);
    await local.alice.rest.pulls.merge({ ...REPO, pull_number: data.number });
    const merged = (await repository.getPull(data.number))!;
    expect(merged).toMatchObject({ merged: true, mergedBy: 'alice' });
    calls = [];
    const told = await repository.lookingAt(data.number).getPull(data.number);
    expect(plain({ pull: told })).toEqual(plain({ pull: merged }));
    expect(calls).toEqual(['POST /graphql']);
    expect(await repository.lookingAt(9_999).getPull(9_999)).toBeNull();
    calls = [];
    const found = await repository.pullsOfBranches(['merged', 'nothing', 'change']);
    expect(found.get('merged')).toEqual([told]);
    expect(found.get('nothing')).toEqual([]);
    expect(found.get('change')).toMatchObject([{ number, state: 'open' }]);
    expect(calls).toEqual(['POST /graphql']);
  });

  test('is given once, and nothing of before a write after it', async () => {
    const look = repository.lookingAt(number);
    await look.getPull(number);
    const { id } = await look.createComment(number, 'later');
    expect((await look.listComments(number)).map((one) => one.id)).toContain(id);
    await look.getPull(number);
    await local.alice.rest.pulls.update({ ...REPO, pull_number: number, title: 'Changed' });
    expect((await look.getPull(number))?.title).toBe('Changed');
    expect(calls.filter((call) => call.startsWith('GET'))).toEqual([]);
  });

  test('a check is written among those that it found', async () => {
    const look = repository.lookingAt(number);
    await look.putChecks([check('success', 'two')]);
    expect(calls).toEqual(['POST /graphql']);
    const { id } = (await repository.ourChecks(head)).find(({ name }) => name === 'portico')!;
    calls = [];
    await look.putChecks([{ ...check('success', 'two'), summary: 'other words' }]);
    expect(calls).toEqual(['POST /graphql', `PATCH /check-runs/${id}`]);
  });
});

describe('what GraphQL does not tell plainly is read by itself', () => {
  test.each<[string, (pull: Lists) => unknown, string[]]>([
    ['more than a page', ({ comments }) => (comments.pageInfo.hasNextPage = true), ['/issues/1/comments']],
    [
      'an account that is gone',
      ({ reviews }) => Object.assign(reviews.nodes[0]!, { author: null }),
      ['/pulls/1/reviews'],
    ],
    [
      'a commit that is gone',
      ({ reviews }) => Object.assign(reviews.nodes[0]!, { commit: null }),
      ['/pulls/1/reviews'],
    ],
    ['more drafts than a page', ({ drafted }) => (drafted.pageInfo.hasNextPage = true), ['/issues/1/events']],
  ])('%s', async (_what, change, routes) => {
    const singly = plain(await read(repository));
    await answered(change);
    expect(plain(await read(repository.lookingAt(number)))).toEqual(singly);
    expect(calls.filter((call) => call.startsWith('GET'))).toEqual(
      routes.map((route) => `GET ${route.replace('1', String(number))}`),
    );
  });

  test('where the limit of GraphQL is spent, or nearly, all are', async () => {
    const singly = plain(await read(repository));
    local.forge.knobs.graphqlFault = { kind: 'untyped', times: 1 };
    const look = repository.lookingAt(number);
    expect(plain(await read(look))).toEqual(singly);
    expect(calls.length).toBeGreaterThanOrEqual(ALL_READS);

    repository = await connect();
    const resetAt = new Date(Date.now() + 60_000).toISOString();
    await answered((_pull, data) => (data.rateLimit = { remaining: 499, resetAt }));
    await repository.lookingAt(number).getPull(number);
    watch();
    calls = [];
    await repository.lookingAt(number).getPull(number);
    expect(calls).toEqual([`GET /pulls/${number}`]);
    repository = await connect();
  });

  test('a server that lacks a field is not asked again', async () => {
    const errors = [
      {
        message: "Field 'fullDatabaseId' doesn't exist on type 'IssueComment'",
        extensions: { code: 'undefinedField' },
      },
    ];
    watch(() => ({ status: 200, body: { errors } }));
    for (const _again of [1, 2])
      expect((await repository.lookingAt(number).getPull(number))?.number).toBe(number);
    expect(calls).toEqual(['POST /graphql', `GET /pulls/${number}`, `GET /pulls/${number}`]);
    repository = await connect();
  });

  test('a null anywhere is either no difference or no answer', async () => {
    await repository.lookingAt(number).getPull(number);
    const { data } = JSON.parse(lastGraphql!.replyBody) as { data: { repository: { databaseId: number } } };
    const { databaseId: id } = data.repository;
    const whole = lookIn(data.repository, id)!;
    expect(Object.values(whole)).not.toContain(null);
    const paths = pathsOf(data.repository);
    expect(paths.length).toBeGreaterThan(150);
    // These may be null: what they stand for is then not there.
    const MAY_BE =
      /\.(mergedAt|mergedBy|mergeCommit|title|startedAt|conclusion|externalId|submittedAt|actor)$/;
    for (const path of paths.filter((one) => !MAY_BE.test(`.${one.join('.')}`))) {
      for (const value of [null, undefined]) {
        const told = lookIn(withAt(data.repository, path, value), id);
        for (const [part, known] of Object.entries(whole)) {
          const now = told?.[part as keyof typeof whole] ?? null;
          if (now !== null) expect(now, `${part} without ${path.join('.')}`).toEqual(known);
        }
      }
    }
  });
});

function pathsOf(value: unknown): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    [key],
    ...pathsOf(inner).map((rest) => [key, ...rest]),
  ]);
}

function withAt(
  value: unknown,
  [key = '', ...rest]: readonly (string | number)[],
  put: null | undefined,
): unknown {
  const there = value as Record<string, unknown>;
  const changed = rest.length === 0 ? put : withAt(there[key], rest, put);
  if (!Array.isArray(value)) return { ...there, [key]: changed };
  return value.with(Number(key), changed);
}
