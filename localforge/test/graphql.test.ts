import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { closeClean, collaboration, names, refused, REPO } from './collaboration-fixture.ts';
import type { Collaboration } from './collaboration-fixture.ts';

let forge: Collaboration;
let number: number;
let id: string;

beforeAll(async () => {
  forge = await collaboration();
  await forge.commit('draft', { 'new.yaml': 'a: 1\n' }, { from: 'main' });
  const { data } = await forge.bob.rest.pulls.create({
    ...REPO,
    title: 'x',
    head: 'draft',
    base: 'main',
    draft: true,
  });
  number = data.number;
  id = data.node_id;
});
afterAll(() => closeClean(forge));

const READY =
  'mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft number } } }';
const DRAFT =
  'mutation($id: ID!) { convertPullRequestToDraft(input: {pullRequestId: $id}) { pullRequest { isDraft } } }';

/** The `errors` of an answer. */
async function errors(call: Promise<unknown>): Promise<{ type?: string; path?: unknown; message: string }[]> {
  return JSON.parse((await refusedGraphql(call)) ?? '[]') as { type?: string; message: string }[];
}

async function refusedGraphql(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    return JSON.stringify((error as { errors?: unknown }).errors);
  }
}

describe('draft and ready', () => {
  test('a pull request is made ready and taken back', async () => {
    forge.hooks();
    expect(await forge.app.graphql(READY, { id })).toEqual({
      markPullRequestReadyForReview: { pullRequest: { isDraft: false, number } },
    });
    expect(await forge.bob.graphql(DRAFT, { id })).toMatchObject({
      convertPullRequestToDraft: { pullRequest: { isDraft: true } },
    });
    const sent = forge.hooks();
    expect(names(sent)).toEqual(['pull_request.ready_for_review', 'pull_request.converted_to_draft']);
    expect(sent[0]!.payload.pull_request.draft).toBe(false);
    expect((await forge.bob.rest.pulls.get({ ...REPO, pull_number: number })).data.draft).toBe(true);
  });

  test('readers may not, and what is hidden is not found', async () => {
    expect(await errors(forge.eve.graphql(READY, { id }))).toMatchObject([
      { type: 'FORBIDDEN', path: ['markPullRequestReadyForReview'] },
    ]);
    expect(await errors(forge.bob.graphql(READY, { id: 'PullRequest_OTk5' }))).toMatchObject([
      { type: 'NOT_FOUND' },
    ]);
    expect(await errors(forge.bob.graphql(READY, { id: 'nonsense' }))).toMatchObject([{ type: 'NOT_FOUND' }]);
  });
});

describe('comments', () => {
  const MINIMIZE =
    'mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { minimizedComment { isMinimized minimizedReason } } }';

  test('are minimised and shown again', async () => {
    const { data } = await forge.app.rest.issues.createComment({
      ...REPO,
      issue_number: number,
      body: 'Old',
    });
    expect(await forge.app.graphql(MINIMIZE, { id: data.node_id })).toEqual({
      minimizeComment: { minimizedComment: { isMinimized: true, minimizedReason: 'outdated' } },
    });
    const query =
      'query($id: ID!) { node(id: $id) { id ... on IssueComment { body isMinimized author { login __typename } pullRequest { number } } } }';
    expect(await forge.bob.graphql(query, { id: data.node_id })).toEqual({
      node: {
        id: data.node_id,
        body: 'Old',
        isMinimized: true,
        author: { login: 'local-app', __typename: 'Bot' },
        pullRequest: { number },
      },
    });
    const restore =
      'mutation($id: ID!) { unminimizeComment(input: {subjectId: $id}) { unminimizedComment { isMinimized } } }';
    expect(await forge.app.graphql(restore, { id: data.node_id })).toMatchObject({
      unminimizeComment: { unminimizedComment: { isMinimized: false } },
    });
    expect(await errors(forge.eve.graphql(MINIMIZE, { id: data.node_id }))).toMatchObject([
      { type: 'FORBIDDEN' },
    ]);
  });

  test('reviews and review comments too', async () => {
    const review = await forge.carol.rest.pulls.createReview({
      ...REPO,
      pull_number: number,
      event: 'COMMENT',
      body: 'x',
      comments: [{ path: 'new.yaml', line: 1, body: 'y' }],
    });
    const [comment] = (await forge.carol.rest.pulls.listReviewComments({ ...REPO, pull_number: number }))
      .data;
    for (const node of [review.data.node_id, comment!.node_id]) {
      expect(await forge.bob.graphql(MINIMIZE, { id: node })).toMatchObject({
        minimizeComment: { minimizedComment: { isMinimized: true } },
      });
    }
  });
});

describe('queries', () => {
  test('a repository, its pull request, the viewer and the limit', async () => {
    const query = `query {
      viewer { login }
      rateLimit { limit remaining cost }
      repository(owner: "acme", name: "blueprints") {
        nameWithOwner isPrivate viewerPermission
        pullRequest(number: ${number}) { id title state isDraft headRefName baseRefName mergeable mergeStateStatus reviewDecision author { login } autoMergeRequest { mergeMethod } }
        issue(number: ${number}) { id }
      }
    }`;
    expect(await forge.eve.graphql(query)).toMatchObject({
      viewer: { login: 'eve' },
      rateLimit: { cost: 1 },
      repository: {
        nameWithOwner: 'acme/blueprints',
        isPrivate: true,
        viewerPermission: 'READ',
        pullRequest: {
          id,
          title: 'x',
          state: 'OPEN',
          isDraft: true,
          author: { login: 'bob' },
          autoMergeRequest: null,
        },
        issue: null,
      },
    });
  });

  test('what GitHub’s schema does not have is refused', async () => {
    expect(await errors(forge.bob.graphql('{ viewer { shoeSize } }'))).toMatchObject([
      { message: expect.stringContaining('shoeSize') },
    ]);
    expect(
      await errors(forge.bob.graphql('{ repository(owner: "acme", name: "nothing") { id } }')),
    ).toMatchObject([{ type: 'NOT_FOUND', path: ['repository'] }]);
    expect((await refused(forge.as().graphql('{ viewer { login } }'))).status).toBe(401);
  });
});

test('a repository tells its settings, its default branch, its queue and its issues', async () => {
  await forge.bob.rest.issues.create({ ...REPO, title: 'first' });
  await forge.bob.rest.issues.create({ ...REPO, title: 'second' });
  const query = `query($owner: String!, $repo: String!, $after: String) { repository(owner: $owner, name: $repo) {
    isFork isArchived hasIssuesEnabled mergeCommitAllowed sshUrl parent { nameWithOwner } mergeQueue { id }
    defaultBranchRef { name target { oid } }
    issues(first: 1, after: $after, orderBy: { field: CREATED_AT, direction: ASC }, filterBy: { createdBy: "bob" }) {
      totalCount nodes { title state } pageInfo { endCursor hasNextPage } } } }`;
  const main = await forge.bob.rest.git.getRef({ ...REPO, ref: 'heads/main' });
  const { repository } = await forge.bob.graphql<{
    repository: { issues: { pageInfo: { endCursor: string } } };
  }>(query, REPO);
  expect(repository).toMatchObject({
    isFork: false,
    isArchived: false,
    hasIssuesEnabled: true,
    mergeCommitAllowed: true,
    parent: null,
    mergeQueue: null,
    defaultBranchRef: { name: 'main', target: { oid: main.data.object.sha } },
    issues: { totalCount: 2, nodes: [{ title: 'first', state: 'OPEN' }], pageInfo: { hasNextPage: true } },
  });
  const after = repository.issues.pageInfo.endCursor;
  expect(await forge.bob.graphql(query, { ...REPO, after })).toMatchObject({
    repository: { issues: { nodes: [{ title: 'second' }], pageInfo: { hasNextPage: false } } },
  });
});

const editedBy = (login: string) => ({
  node: { lastEditedAt: expect.any(String), includesCreatedEdit: true, editor: { login } },
});

test('an edited text says so, also within the second, and by whom', async () => {
  const edits = 'lastEditedAt includesCreatedEdit editor { login }';
  const query = `query($id: ID!) { node(id: $id) { ... on IssueComment { ${edits} } ... on PullRequestReview { ${edits} } ... on Issue { ${edits} } } }`;
  const untouched = { node: { lastEditedAt: null, includesCreatedEdit: false, editor: null } };
  const comment = await forge.bob.rest.issues.createComment({ ...REPO, issue_number: number, body: 'One' });
  expect(await forge.app.graphql(query, { id: comment.data.node_id })).toEqual(untouched);
  await forge.carol.rest.issues.updateComment({ ...REPO, comment_id: comment.data.id, body: 'Two' });
  expect(await forge.app.graphql(query, { id: comment.data.node_id })).toEqual(editedBy('carol'));

  const issue = await forge.bob.rest.issues.create({ ...REPO, title: 'Words', body: 'One' });
  await forge.alice.rest.issues.update({ ...REPO, issue_number: issue.data.number, title: 'Title' });
  expect(await forge.app.graphql(query, { id: issue.data.node_id })).toEqual(untouched);
  await forge.alice.rest.issues.update({ ...REPO, issue_number: issue.data.number, body: 'Two' });
  expect(await forge.app.graphql(query, { id: issue.data.node_id })).toEqual(editedBy('alice'));
});
