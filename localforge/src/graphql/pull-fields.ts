/** The lists of `PullRequest`, and the repositories and people that it names beside its author. */
import { appShape } from '../actors/apps.ts';
import { latestRuns } from '../checks-of-commit.ts';
import type {
  CheckRunRecord,
  CheckSuiteRecord,
  CommentRecord,
  IssueEventRecord,
  PullRecord,
  ReviewRecord,
} from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import { nodeId } from '../node-id.ts';
import { headRepositoryOf } from '../pulls/head-repository.ts';
import type { RepositoryRecord } from '../records.ts';
import { issueOf } from '../shapes/pull.ts';
import { visible, type GraphqlCall } from './call.ts';
import { connection, type Page } from './connection.ts';

type Fields = Record<string, unknown>;

/** Nodes that these fields lead to. */
export interface PullNodes {
  account(accountId: number): Fields;
  repository(repository: RepositoryRecord): Fields;
  comment(comment: CommentRecord): Fields;
  review(review: ReviewRecord): Fields;
}

export function pullFields(
  call: GraphqlCall,
  repository: RepositoryRecord,
  pull: PullRecord,
  nodes: PullNodes,
): Fields {
  const { context } = call;
  const store = collaborationStore(context.store);
  const issue = issueOf(context, pull);
  return {
    locked: issue.locked,
    mergedBy: () => (pull.mergedById === null ? null : nodes.account(pull.mergedById)),
    mergeCommit: () =>
      pull.mergeCommitSha === null ? null : commitNode(call, repository, pull.mergeCommitSha),
    headRepository: () => {
      const source = headRepositoryOf(context, repository, pull);
      return source === undefined || !visible(call, source.id) ? null : nodes.repository(source);
    },
    baseRepository: () => nodes.repository(repository),
    labels: (page: Page) => {
      const labels = issue.labelIds.flatMap((id) => store.labels.get(id) ?? []);
      return connection('labels', labels, page, ({ id, name, color, description }) => ({
        id: nodeId('Label', id),
        name,
        color,
        description,
      }));
    },
    comments: (page: Page) =>
      connection('comments', store.comments.find('issue', [issue.id]), page, (one) => nodes.comment(one)),
    reviews: (page: Page) => {
      // A pending review is its author's alone.
      const shown = store.reviews
        .find('pull', [pull.id])
        .filter(({ state, userId }) => state !== 'PENDING' || userId === call.actor.user.id);
      return connection('reviews', shown, page, (one) => nodes.review(one));
    },
    timelineItems: (page: Page & { readonly itemTypes?: readonly string[] }) => {
      const { itemTypes = ['CONVERT_TO_DRAFT_EVENT'] } = page;
      // Of all events these alone are kept.
      const events = store.issueEvents
        .find('issue', [issue.id])
        .filter(({ event }) => event === 'convert_to_draft' && itemTypes.includes('CONVERT_TO_DRAFT_EVENT'));
      return connection('timelineItems', events, page, (event) => draftedNode(event, nodes));
    },
    commits: async (page: Page) => {
      const git = context.git(repository);
      const shas = await git.log({ include: [pull.headSha], exclude: [pull.baseSha], reverse: true });
      return connection('commits', shas, page, (sha) => ({
        id: nodeId('PullRequestCommit', `${pull.id}/${sha}`),
        commit: commitNode(call, repository, sha),
      }));
    },
  };
}

function draftedNode({ id, createdAt, userId }: IssueEventRecord, nodes: PullNodes): Fields {
  return {
    __typename: 'ConvertToDraftEvent',
    id: nodeId('ConvertToDraftEvent', id),
    createdAt,
    actor: () => nodes.account(userId),
  };
}

/** `Commit`, with the suites of checks that it has in this repository. */
export function commitNode(call: GraphqlCall, repository: RepositoryRecord, oid: string): Fields {
  return {
    __typename: 'Commit',
    id: nodeId('Commit', `${repository.id}/${oid}`),
    oid,
    checkSuites: (page: Page & { readonly filterBy?: { readonly appId?: number } }) => {
      const app = page.filterBy?.appId;
      const suites = collaborationStore(call.context.store)
        .suites.find('sha', [repository.id, oid])
        .filter(({ appId }) => app === undefined || appId === app);
      return connection('checkSuites', suites, page, (suite) => suiteNode(call, repository, suite));
    },
  };
}

interface RunsWanted extends Page {
  readonly filterBy?: {
    readonly appId?: number;
    readonly checkName?: string;
    readonly checkType?: 'ALL' | 'LATEST';
  };
}

function suiteNode(call: GraphqlCall, repository: RepositoryRecord, suite: CheckSuiteRecord): Fields {
  const { context } = call;
  const app = appShape(context, suite.appId);
  return {
    id: nodeId('CheckSuite', suite.id),
    databaseId: suite.id,
    app: {
      id: nodeId('App', suite.appId),
      databaseId: suite.appId,
      name: app['name'],
      slug: app['slug'],
    },
    checkRuns: (page: RunsWanted) => {
      const { appId, checkName, checkType = 'LATEST' } = page.filterBy ?? {};
      const runs =
        checkType === 'ALL'
          ? collaborationStore(context.store).runs.find('suite', [suite.id])
          : latestRuns(context, repository.id, suite.headSha).filter(({ suiteId }) => suiteId === suite.id);
      const wanted = runs
        .filter((run) => appId === undefined || run.appId === appId)
        .filter(({ name }) => checkName === undefined || name === checkName);
      return connection('checkRuns', wanted, page, (run) => runNode(call, repository, suite, run));
    },
  };
}

function runNode(
  call: GraphqlCall,
  repository: RepositoryRecord,
  suite: CheckSuiteRecord,
  run: CheckRunRecord,
): Fields {
  return {
    id: nodeId('CheckRun', run.id),
    databaseId: run.id,
    name: run.name,
    externalId: run.externalId ?? '',
    status: run.status.toUpperCase(),
    conclusion: run.conclusion?.toUpperCase() ?? null,
    title: run.title,
    summary: run.summary,
    text: run.text,
    startedAt: run.startedAt,
    completedAt: run.completedAt,
    annotations: () => ({
      totalCount: collaborationStore(call.context.store).annotations.count('run', [run.id]),
    }),
    checkSuite: () => suiteNode(call, repository, suite),
  };
}
