/**
 * The fields of the forge's answers that Portico relies on, by route. A proxy may cut or replace an answer: what does not have them is a
 * failure of the forge, is never cached, and is asked for again. A field that no decision needs is not here, because an older GitHub
 * Enterprise Server may not have it; one that may be null may be absent too. Names of fields: https://docs.github.com/en/rest
 */
import { z } from 'zod';

const account = z.object({
  id: z.number().nullish(),
  login: z.string(),
  type: z.string().nullish(),
});

const repository = z.object({
  id: z.number(),
  name: z.string(),
  full_name: z.string(),
  owner: z.object({ login: z.string() }),
  default_branch: z.string().nullish(),
  visibility: z.string().nullish(),
  private: z.boolean(),
  archived: z.boolean().nullish(),
  fork: z.boolean(),
  html_url: z.string(),
  clone_url: z.string().nullish(),
  topics: z.array(z.string()).nullish(),
  custom_properties: z.record(z.string(), z.unknown()).nullish(),
});

const label = z.object({ name: z.string().nullish() });

/** A pull request as lists, single answers and commits give it; not every field is everywhere. */
const pull = z.object({
  number: z.number(),
  node_id: z.string(),
  state: z.string(),
  draft: z.boolean().nullish(),
  locked: z.boolean().nullish(),
  merged: z.boolean().nullish(),
  merged_at: z.string().nullish(),
  merged_by: account.nullish(),
  merge_commit_sha: z.string().nullish(),
  title: z.string(),
  body: z.string().nullish(),
  user: account.nullish(),
  labels: z.array(label),
  head: z.object({
    ref: z.string(),
    sha: z.string(),
    repo: z.object({ id: z.number(), full_name: z.string().nullish() }).nullish(),
  }),
  base: z.object({ ref: z.string(), repo: repository.nullish() }),
  html_url: z.string(),
  created_at: z.string(),
  mergeable: z.boolean().nullish(),
  mergeable_state: z.string().nullish(),
});

const issue = z.object({
  number: z.number(),
  node_id: z.string(),
  state: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  user: account.nullish(),
  labels: z.array(z.union([z.string(), label])),
  pull_request: z.unknown().nullish(),
  locked: z.boolean().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
});

const comment = z.object({
  id: z.number(),
  node_id: z.string(),
  user: account.nullish(),
  body: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  performed_via_github_app: z.object({ id: z.number() }).nullish(),
});

const review = z.object({
  id: z.number(),
  node_id: z.string(),
  user: account.nullish(),
  state: z.string(),
  body: z.string(),
  commit_id: z.string().nullish(),
  submitted_at: z.string().nullish(),
});

const checkRun = z.object({
  id: z.number(),
  name: z.string(),
  head_sha: z.string(),
  external_id: z.string().nullish(),
  status: z.string(),
  conclusion: z.string().nullish(),
  app: z.object({ id: z.number() }).nullish(),
  check_suite: z.object({ id: z.number() }).nullish(),
  output: z.object({ title: z.string().nullish(), annotations_count: z.number() }),
  started_at: z.string().nullish(),
});

const release = z.object({
  id: z.number(),
  tag_name: z.string(),
  name: z.string().nullish(),
  body: z.string().nullish(),
});

const installation = z.object({
  id: z.number(),
  account: z
    .object({ login: z.string().nullish(), slug: z.string().nullish(), type: z.string().nullish() })
    .nullish(),
  suspended_at: z.string().nullish(),
  permissions: z.record(z.string(), z.unknown()),
});

const activity = z.object({
  ref: z.string(),
  before: z.string().nullish(),
  after: z.string().nullish(),
  timestamp: z.string(),
  activity_type: z.string(),
  actor: account.nullish(),
});

const delivery = z.object({
  id: z.number(),
  guid: z.string(),
  delivered_at: z.string(),
  status_code: z.number(),
  event: z.string(),
  action: z.string().nullish(),
  installation_id: z.number().nullish(),
  repository_id: z.number().nullish(),
});

const rule = z.object({
  type: z.string(),
  parameters: z
    .looseObject({ required_status_checks: z.array(z.object({ context: z.string() })).nullish() })
    .nullish(),
});

const suite = z.object({
  id: z.number(),
  head_branch: z.string().nullish(),
  status: z.string().nullish(),
  latest_check_runs_count: z.number(),
});

const status = z.object({ context: z.string(), state: z.string(), updated_at: z.string() });

export type RawAccount = z.infer<typeof account>;
export type RawLabel = z.infer<typeof label>;
export type RawRepository = z.infer<typeof repository>;
export type RawPull = z.infer<typeof pull>;
export type RawIssue = z.infer<typeof issue>;
export type RawComment = z.infer<typeof comment>;
export type RawReview = z.infer<typeof review>;
export type RawCheckRun = z.infer<typeof checkRun>;
export type RawRelease = z.infer<typeof release>;
export type RawInstallation = z.infer<typeof installation>;
export type RawActivity = z.infer<typeof activity>;
export type RawDelivery = z.infer<typeof delivery>;
export type RawRule = z.infer<typeof rule>;

const REPOSITORY = '/repos/{owner}/{repo}';
const PULL = `${REPOSITORY}/pulls/{pull_number}`;
const ISSUE = `${REPOSITORY}/issues/{issue_number}`;
const COMMIT = `${REPOSITORY}/commits/{ref}`;
const withId = z.object({ id: z.number() });
const withSha = z.object({ sha: z.string() });

const SHAPES: Readonly<Record<string, z.ZodType>> = {
  'GET /app': z.object({ id: z.number(), slug: z.string().nullish(), name: z.string() }),
  'GET /app/hook/deliveries': z.array(delivery),
  'GET /app/installations': z.array(installation),
  'GET /app/installations/{installation_id}': installation,
  'POST /app/installations/{installation_id}/access_tokens': z.object({
    token: z.string(),
    expires_at: z.string(),
  }),
  'GET /installation/repositories': z.object({ repositories: z.array(repository) }),
  'GET /users/{username}': withId,
  'GET /orgs/{org}/teams/{team_slug}/memberships/{username}': z.object({ state: z.string() }),
  'POST /graphql': z.union([
    z.object({ data: z.record(z.string(), z.unknown()) }),
    z.object({ errors: z.array(z.unknown()).min(1) }),
  ]),
  [`GET ${REPOSITORY}`]: repository,
  [`GET ${REPOSITORY}/installation`]: installation,
  [`GET ${REPOSITORY}/activity`]: z.array(activity),
  [`GET ${REPOSITORY}/branches/{branch}`]: z.object({
    protection: z
      .object({
        enabled: z.boolean().nullish(),
        required_status_checks: z.object({ contexts: z.array(z.string()).nullish() }).nullish(),
      })
      .nullish(),
  }),
  [`GET ${REPOSITORY}/rules/branches/{branch}`]: z.array(rule),
  [`GET ${REPOSITORY}/collaborators/{username}/permission`]: z.object({
    permission: z.string(),
    role_name: z.string().nullish(),
    user: withId.nullish(),
  }),
  [`GET ${REPOSITORY}/pulls`]: z.array(pull),
  [`POST ${REPOSITORY}/pulls`]: pull,
  [`GET ${REPOSITORY}/pulls/comments`]: z.array(comment.extend({ pull_request_url: z.string() })),
  [`GET ${PULL}`]: pull,
  [`PATCH ${PULL}`]: pull,
  [`PUT ${PULL}/merge`]: withSha,
  [`GET ${PULL}/reviews`]: z.array(review),
  [`POST ${PULL}/reviews`]: review,
  [`GET ${REPOSITORY}/commits/{commit_sha}/pulls`]: z.array(pull),
  [`GET ${REPOSITORY}/issues`]: z.array(issue),
  [`POST ${REPOSITORY}/issues`]: issue,
  [`GET ${ISSUE}`]: issue,
  [`GET ${ISSUE}/events`]: z.array(
    z.object({ event: z.string(), created_at: z.string(), actor: account.nullish() }),
  ),
  [`GET ${ISSUE}/comments`]: z.array(comment),
  [`POST ${ISSUE}/comments`]: comment,
  [`GET ${REPOSITORY}/issues/comments`]: z.array(comment.extend({ issue_url: z.string() })),
  [`GET ${REPOSITORY}/issues/comments/{comment_id}`]: comment,
  [`GET ${REPOSITORY}/issues/comments/{comment_id}/reactions`]: z.array(
    z.object({ id: z.number(), content: z.string(), user: account.nullish() }),
  ),
  [`GET ${COMMIT}/check-runs`]: z.object({ check_runs: z.array(checkRun) }),
  [`GET ${COMMIT}/check-suites`]: z.object({ check_suites: z.array(suite) }),
  [`GET ${COMMIT}/status`]: z.object({ state: z.string(), statuses: z.array(status) }),
  [`POST ${REPOSITORY}/check-runs`]: withId,
  [`PATCH ${REPOSITORY}/check-runs/{check_run_id}`]: withId,
  [`GET ${REPOSITORY}/deployments`]: z.array(withId.extend({ environment: z.string() })),
  [`GET ${REPOSITORY}/deployments/{deployment_id}/statuses`]: z.array(
    z.object({ state: z.string(), created_at: z.string() }),
  ),
  [`POST ${REPOSITORY}/git/commits`]: withSha,
  [`GET ${REPOSITORY}/releases`]: z.array(release),
  [`GET ${REPOSITORY}/releases/tags/{tag}`]: release,
  [`POST ${REPOSITORY}/releases`]: release,
  [`PATCH ${REPOSITORY}/releases/{release_id}`]: release,
};

/**
 * What is wrong with the body of a successful answer to a call (`GET /repos/{owner}/{repo}`): the first field that is missing or of
 * another type; undefined if nothing is wrong, and for calls whose answer is not read.
 */
export function faultOfAnswer(call: string, body: unknown): string | undefined {
  const issue = SHAPES[call]?.safeParse(body).error?.issues[0];
  if (issue === undefined) return undefined;
  return `the answer has no valid ${issue.path.length === 0 ? 'content' : issue.path.join('.')}`;
}
