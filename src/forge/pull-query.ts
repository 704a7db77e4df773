/**
 * Pull requests as GraphQL tells them, and the check by which an answer is taken. What is not plainly there (more than one page, an account that
 * is gone or of a rarer kind, a field of null that decides something) is not taken, and is read by REST, which says it in other words.
 * Names of fields: https://docs.github.com/en/graphql/reference/objects
 */

import { z } from 'zod';

import type { Comment } from '../reconcile/forge/comments.ts';
import type { Pull } from '../reconcile/forge/pulls.ts';
import type { Review } from '../reconcile/forge/reviews.ts';
import type { RawCheckRun } from './answer-shapes.ts';
import { authorOf } from './repository-context.ts';

const ACCOUNT = '__typename login ... on User { databaseId } ... on Bot { databaseId }';

const PULL = `number id state isDraft locked merged mergedAt title body url createdAt mergeStateStatus
  mergedBy { ${ACCOUNT} } mergeCommit { oid } author { ${ACCOUNT} }
  labels(first: 100) { pageInfo { hasNextPage } nodes { name } }
  headRefName headRefOid headRepository { databaseId nameWithOwner owner { login } }
  baseRefName baseRepository { databaseId name nameWithOwner owner { login } visibility isArchived isFork url defaultBranchRef { name } }`;

const runs = (more = ''): string =>
  `pageInfo { hasNextPage } nodes { databaseId name externalId status conclusion title startedAt ${more} }`;

const REPOSITORY = 'repository(owner: $owner, name: $name, followRenames: false)';

/** One point: of lists within lists it asks for at most eighty, and a hundred such requests are one (https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api). */
export const LOOK = `query Look($owner: String!, $name: String!, $number: Int!, $app: Int!) {
  rateLimit { remaining resetAt }
  ${REPOSITORY} { databaseId pullRequest(number: $number) { ${PULL}
    comments(first: 100) { pageInfo { hasNextPage } nodes { fullDatabaseId id body createdAt updatedAt author { ${ACCOUNT} } } }
    reviews(first: 100) { pageInfo { hasNextPage } nodes { fullDatabaseId id state body submittedAt commit { oid } author { ${ACCOUNT} } } }
    drafted: timelineItems(first: 100, itemTypes: [CONVERT_TO_DRAFT_EVENT]) {
      pageInfo { hasNextPage } nodes { ... on ConvertToDraftEvent { createdAt actor { __typename login } } } }
    commits(last: 1) { nodes { commit { oid checkSuites(first: 2, filterBy: { appId: $app }) { pageInfo { hasNextPage } nodes {
      databaseId app { databaseId }
      latest: checkRuns(first: 40, filterBy: { checkType: LATEST }) { ${runs('annotations(first: 1) { totalCount }')} }
      all: checkRuns(first: 100, filterBy: { checkType: ALL }) { ${runs()} } } } } } }
  } }
}`;

/**
 * Of each branch what was not merged, and what was merged last: a branch may have brought a hundred updates. Each pull request that is
 * asked for has a list of labels, and a hundred lists are one point: 25 branches are three.
 */
export function branchPullsQuery(branches: number): string {
  const places = Array.from({ length: branches }, (_one, at) => at);
  const order = 'orderBy: { field: CREATED_AT, direction: DESC }';
  const of = (at: number): string => `
    other${at}: pullRequests(first: 10, states: [OPEN, CLOSED], headRefName: $branch${at}, ${order}) { ...Found }
    merged${at}: pullRequests(first: 1, states: [MERGED], headRefName: $branch${at}, ${order}) { nodes { ...Told } }`;
  return `query BranchPulls($owner: String!, $name: String!, ${places.map((at) => `$branch${at}: String!`).join(', ')}) {
  rateLimit { remaining resetAt }
  ${REPOSITORY} { databaseId ${places.map(of).join('')} }
}
fragment Found on PullRequestConnection { pageInfo { hasNextPage } nodes { ...Told } }
fragment Told on PullRequest { ${PULL} }`;
}

const node = { id: z.string() };
const number = z.int();
const time = z.string().refine((text) => !Number.isNaN(Date.parse(text)));
const oid = z.string().regex(/^[0-9a-f]{40,64}$/);
const owner = z.object({ login: z.string() });

/** GraphQL names a bot without what REST adds to its login. */
const account = z
  .object({ __typename: z.enum(['User', 'Bot']), login: z.string().min(1), databaseId: number })
  .transform(({ __typename: type, login, databaseId: id }) => {
    const isBare = type === 'Bot' && !login.endsWith('[bot]');
    return { login: isBare ? `${login}[bot]` : login, id, type };
  });

/** Of numbers that a GraphQL `Int` may not hold. */
const bigNumber = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

/** The whole list, or nothing. */
function whole<Item extends z.ZodType>(item: Item) {
  return z
    .object({ pageInfo: z.object({ hasNextPage: z.literal(false) }), nodes: z.array(item) })
    .transform(({ nodes }) => nodes);
}

const baseRepository = z
  .object({
    databaseId: number,
    name: z.string(),
    nameWithOwner: z.string(),
    owner,
    visibility: z.enum(['PUBLIC', 'INTERNAL', 'PRIVATE']),
    isArchived: z.boolean(),
    isFork: z.boolean(),
    url: z.string(),
    defaultBranchRef: z.object({ name: z.string() }),
  })
  .transform(({ databaseId: id, visibility, ...told }) => ({
    id,
    owner: told.owner.login,
    name: told.name,
    fullName: told.nameWithOwner,
    defaultBranch: told.defaultBranchRef.name,
    visibility: ({ PUBLIC: 'public', INTERNAL: 'internal', PRIVATE: 'private' } as const)[visibility],
    archived: told.isArchived,
    fork: told.isFork,
    htmlUrl: told.url,
    cloneUrl: `${told.url}.git`,
  }));

const pullSchema = z
  .object({
    ...node,
    number,
    state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
    isDraft: z.boolean(),
    locked: z.boolean(),
    merged: z.boolean(),
    mergedAt: time.nullable(),
    mergedBy: account.nullable(),
    mergeCommit: z.object({ oid }).nullable(),
    title: z.string(),
    body: z.string(),
    url: z.string(),
    createdAt: z.string(),
    mergeStateStatus: z.string(),
    author: account,
    labels: whole(z.object({ name: z.string() })),
    headRefName: z.string(),
    headRefOid: oid,
    headRepository: z.object({ databaseId: number, nameWithOwner: z.string(), owner }),
    baseRefName: z.string(),
    baseRepository,
  })
  // A merge of which not all is told is asked for once more.
  .refine(
    ({ merged, mergedAt, mergedBy, mergeCommit }) =>
      !merged || (mergedAt !== null && mergedBy !== null && mergeCommit !== null),
  )
  .transform((told): Pull => ({
    number: told.number,
    nodeId: told.id,
    state: told.state === 'OPEN' ? 'open' : 'closed',
    draft: told.isDraft,
    locked: told.locked,
    merged: told.merged,
    mergedAt: told.mergedAt,
    mergedBy: told.mergedBy?.login ?? null,
    mergeCommitSha: told.mergeCommit?.oid ?? null,
    title: told.title,
    body: told.body,
    ...writerOf(told.author),
    labels: told.labels.map(({ name }) => name),
    headRef: told.headRefName,
    headSha: told.headRefOid,
    headRepositoryId: told.headRepository.databaseId,
    headRepository: told.headRepository.nameWithOwner,
    baseRef: told.baseRefName,
    baseRepository: told.baseRepository,
    htmlUrl: told.url,
    createdAt: told.createdAt,
    mergeableState: told.mergeStateStatus.toLowerCase(),
  }));

function writerOf(user: z.output<typeof account>): { author: string; authorId: number | undefined } {
  const { author, authorId } = authorOf(user);
  return { author, authorId };
}

const comment = z
  .object({
    ...node,
    fullDatabaseId: bigNumber,
    body: z.string(),
    createdAt: time,
    updatedAt: time,
    author: account,
  })
  .transform(({ fullDatabaseId: id, id: nodeId, author, ...told }): Comment => ({
    id,
    nodeId,
    ...authorOf(author),
    // GraphQL does not say it; whether a comment is ours then follows from its author.
    appId: null,
    ...told,
  }));

const review = z
  .object({
    ...node,
    fullDatabaseId: bigNumber,
    state: z.enum(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED', 'PENDING']),
    body: z.string(),
    submittedAt: time.nullable(),
    commit: z.object({ oid }),
    author: account,
  })
  .transform(({ fullDatabaseId: id, id: nodeId, author, commit, ...told }): Review => ({
    id,
    nodeId,
    ...authorOf(author),
    ...told,
    commitId: commit.oid,
  }));

const drafted = z
  .object({
    createdAt: time,
    actor: z.object({ __typename: z.string(), login: z.string() }).nullable(),
  })
  .transform(({ createdAt: at, actor }) => ({
    at,
    login: actor?.__typename === 'Bot' ? `${actor.login.replace(/\[bot\]$/, '')}[bot]` : (actor?.login ?? ''),
  }));

const run = z.object({
  databaseId: number,
  name: z.string(),
  externalId: z.string().nullable(),
  status: z.string(),
  conclusion: z.string().nullable(),
  title: z.string().nullable(),
  startedAt: time.nullable(),
  annotations: z.object({ totalCount: number }).optional(),
});

const suite = z.object({
  databaseId: number,
  app: z.object({ databaseId: number }),
  latest: whole(run.required()),
  all: whole(run),
});

/** Check runs of one App at the last commit of a pull request. */
export interface HeadRuns {
  readonly sha: string;
  readonly latest: readonly RawCheckRun[];
  readonly all: readonly RawCheckRun[];
}

const headRuns = z
  .object({
    nodes: z.tuple([z.object({ commit: z.object({ oid, checkSuites: whole(suite) }) })]),
  })
  .transform(({ nodes: [{ commit }] }): HeadRuns => {
    const runsIn = (which: 'latest' | 'all'): RawCheckRun[] =>
      commit.checkSuites
        .flatMap((one) => one[which].map((told) => toRawRun(told, { sha: commit.oid, suite: one })))
        // Whoever takes the first of a name takes the newest, as in the list of REST.
        .toSorted((a, b) => b.id - a.id);
    return { sha: commit.oid, latest: runsIn('latest'), all: runsIn('all') };
  });

function toRawRun(
  { databaseId: id, name, ...told }: z.output<typeof run>,
  at: { readonly sha: string; readonly suite: Pick<z.output<typeof suite>, 'databaseId' | 'app'> },
): RawCheckRun {
  return {
    id,
    name,
    head_sha: at.sha,
    external_id: told.externalId,
    status: told.status.toLowerCase(),
    conclusion: told.conclusion?.toLowerCase() ?? null,
    app: { id: at.suite.app.databaseId },
    check_suite: { id: at.suite.databaseId },
    output: { title: told.title, annotations_count: told.annotations?.totalCount ?? 0 },
    started_at: told.startedAt,
  };
}

/** A pull request, and what is read beside it; null for what is not told plainly. */
export interface PullLook {
  readonly pull: Pull;
  readonly comments: readonly Comment[] | null;
  readonly reviews: readonly Review[] | null;
  readonly drafted: readonly z.output<typeof drafted>[] | null;
  /** The latest run of each name, and all that there were. */
  readonly latest: HeadRuns | null;
  readonly history: HeadRuns | null;
}

const lookSchema = z.object({
  pullRequest: z.object({
    comments: whole(comment).nullable().catch(null),
    reviews: whole(review).nullable().catch(null),
    drafted: whole(drafted).nullable().catch(null),
    commits: headRuns.nullable().catch(null),
  }),
});

/** What `LOOK` answers of a repository; null where the pull request itself is not told plainly. */
export function lookIn(repository: unknown, repositoryId: number): PullLook | null {
  const pull = z.object({ pullRequest: pullSchema }).safeParse(repository).data?.pullRequest;
  const parts = lookSchema.safeParse(repository).data?.pullRequest;
  if (pull === undefined || parts === undefined) return null;
  const { commits: runs, ...lists } = parts;
  // The checks of a fork's commits may be those of the fork.
  const isOwn = pull.headRepositoryId === repositoryId && runs?.sha === pull.headSha;
  return { pull, ...lists, latest: isOwn ? runs : null, history: isOwn ? runs : null };
}

/** What that query answers of a repository, for each branch, newest first; null where it is not plainly there. */
export function branchPullsIn(repository: unknown, branches: number): readonly (readonly Pull[] | null)[] {
  const found = (repository ?? {}) as Readonly<Record<string, unknown>>;
  const schema = z.object({ other: whole(pullSchema), merged: z.object({ nodes: z.array(pullSchema) }) });
  return Array.from({ length: branches }, (_one, at) => {
    const { data } = schema.safeParse({ other: found[`other${at}`], merged: found[`merged${at}`] });
    if (data === undefined) return null;
    return [...data.other, ...data.merged.nodes].toSorted((a, b) => b.number - a.number);
  });
}

/** What every answer tells of the limit; null where the forge has none. */
export function rateLimitIn(data: unknown): { readonly remaining: number; readonly resetAt: string } | null {
  const schema = z.object({ rateLimit: z.object({ remaining: number, resetAt: time }) });
  return schema.safeParse(data).data?.rateLimit ?? null;
}
