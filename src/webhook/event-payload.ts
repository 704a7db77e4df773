/**
 * What Portico reads of webhooks, event by event: of each no more than its jobs need, so that a field of another event never
 * keeps one from being heard. GitHub's descriptions call many fields optional or nullable, and it sends null where they say
 * that a field is absent (`check_run: null` in `deployment_status`): both are taken wherever a job can do without.
 */
import { z } from 'zod';

const account = z.object({
  id: z.number().nullish(),
  login: z.string(),
  type: z.string().nullish(),
});

const common = {
  action: z.string().nullish(),
  installation: z.object({ id: z.number() }),
  repository: z.object({
    id: z.number(),
    name: z.string(),
    /** Null in the description of a push; then its full name tells the owner. */
    owner: z.object({ login: z.string().nullish() }).nullish(),
    full_name: z.string().nullish(),
  }),
  /** Absent where nobody did it. */
  sender: account.partial().nullish(),
};

const opening = {
  number: z.number(),
  body: z.string().nullish(),
  created_at: z.string().nullish(),
  /** Null where the account is gone. */
  user: account.nullish(),
};

const pull = z.object({
  ...opening,
  /** Null where the fork is gone. */
  head: z.object({ repo: z.object({ id: z.number() }).nullish() }).nullish(),
});

const issue = z.object({
  ...opening,
  labels: z.array(z.object({ name: z.string().nullish() }).nullish()).nullish(),
});
const text = z.object({ id: z.number(), body: z.string().nullish(), user: opening.user });
const remark = text.extend({ created_at: opening.created_at });

const pullNumbers = z
  .array(z.object({ number: z.number() }).nullish())
  .nullish()
  .transform((pulls) => (pulls ?? []).flatMap((one) => one?.number ?? []));

const run = z.object({
  name: z.string(),
  head_sha: z.string(),
  check_suite: z.object({ head_branch: z.string().nullish() }).nullish(),
  pull_requests: pullNumbers,
  app: z.object({ id: z.number() }).nullish(),
  conclusion: z.string().nullish(),
});

const suite = z.object({
  head_sha: z.string(),
  head_branch: z.string().nullish(),
  pull_requests: pullNumbers,
});

const group = z.object({
  head_sha: z.string(),
  head_ref: z.string(),
  base_sha: z.string(),
  base_ref: z.string(),
});

const about = z.object(common);
/** Of an organization, or of a team, which may name a repository. */
const ofOrganization = z.object({
  ...common,
  repository: common.repository.nullish(),
});
const anything = z.object({});

/** The readers by the event that GitHub names in `X-GitHub-Event`. */
export const READERS = {
  check_run: z.object({
    ...common,
    check_run: run,
    requested_action: z.object({ identifier: z.string().nullish() }).nullish(),
  }),
  check_suite: z.object({ ...common, check_suite: suite }),
  create: z.object({ ...common, ref_type: z.string() }),
  delete: z.object({ ...common, ref_type: z.string() }),
  deployment_status: z.object({
    ...common,
    deployment: z.object({ sha: z.string().nullish() }).nullish(),
    deployment_status: z.object({ state: z.string().nullish() }).nullish(),
  }),
  installation: anything,
  installation_repositories: anything,
  issue_comment: z.object({ ...common, issue, comment: text }),
  issues: z.object({ ...common, issue }),
  member: about,
  membership: ofOrganization,
  merge_group: z.object({ ...common, merge_group: group }),
  organization: ofOrganization,
  pull_request: z.object({ ...common, pull_request: pull }),
  pull_request_review: z.object({ ...common, pull_request: pull, review: text }),
  pull_request_review_comment: z.object({ ...common, pull_request: pull, comment: remark }),
  push: z.object({ ...common, ref: z.string() }),
  repository: about,
  team: ofOrganization,
  status: z.object({
    ...common,
    sha: z.string().nullish(),
    state: z.string().nullish(),
    /** Those whose newest commit it is about, ten at most. */
    branches: z.array(z.object({ name: z.string().nullish() }).nullish()).nullish(),
  }),
} as const;

export type Payload<Name extends keyof typeof READERS> = z.infer<(typeof READERS)[Name]>;

/** The first thing that is not as the reader expects, without a value of the payload. */
export function problemOf({ issues: [first] }: z.ZodError): string {
  const path = first?.path.join('.') ?? '';
  return `${path === '' ? 'the payload' : path}: ${first?.code ?? 'invalid'}`;
}
