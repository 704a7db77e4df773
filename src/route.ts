/** Pure: which jobs an event asks for. An event only says where to look; what is done is decided by what is found. */
import { z } from 'zod';

import { parseIssueForm } from './command/issue-form.ts';
import { mayHoldCommands } from './command/parse.ts';
import {
  branchJob,
  commentJob,
  commitJob,
  dashboardEditedJob,
  dashboardJob,
  fixJob,
  mergeGroupJob,
  proposalJob,
  publicationJob,
  recheckJob,
  repositoryJob,
  repositorySweepJob,
  rolloutJob,
  strangerJob,
  sweepJob,
  updateBranchJob,
} from './reconcile/jobs.ts';
import { RETIREMENT_LABEL } from './reconcile/pending-retirements.ts';
import type { Job, RepositoryRef } from './reconcile/ports.ts';

const pullNumbers = z
  .array(z.object({ number: z.number() }))
  .nullish()
  .transform((pulls) => (pulls ?? []).map(({ number }) => number));

const Payload = z.object({
  action: z.string().optional(),
  installation: z.object({ id: z.number() }).optional(),
  repository: z
    .object({
      id: z.number(),
      name: z.string(),
      owner: z.object({ login: z.string() }),
      default_branch: z.string().optional(),
    })
    .optional(),
  ref: z.string().optional(),
  ref_type: z.string().optional(),
  sender: z
    .object({ id: z.number().optional(), type: z.string().optional(), login: z.string().optional() })
    .optional(),
  pull_request: z
    .object({
      number: z.number(),
      body: z.string().nullish(),
      created_at: z.string().optional(),
      user: z.object({ id: z.number().optional(), login: z.string(), type: z.string().optional() }).nullish(),
      // Null where the fork is gone.
      head: z.object({ repo: z.object({ id: z.number() }).nullish() }).nullish(),
    })
    .optional(),
  issue: z
    .object({
      number: z.number(),
      body: z.string().nullish(),
      created_at: z.string().optional(),
      user: z.object({ id: z.number().optional(), login: z.string(), type: z.string().optional() }).nullish(),
      labels: z.array(z.object({ name: z.string() })).nullish(),
    })
    .optional(),
  comment: z.object({ id: z.number(), body: z.string().nullish() }).optional(),
  review: z.object({ id: z.number(), body: z.string().nullish() }).optional(),
  merge_group: z
    .object({ head_sha: z.string(), head_ref: z.string(), base_sha: z.string(), base_ref: z.string() })
    .optional(),
  check_run: z
    .object({
      name: z.string(),
      head_sha: z.string(),
      check_suite: z.object({ head_branch: z.string().nullish() }).nullish(),
      pull_requests: pullNumbers,
      app: z.object({ id: z.number() }).nullish(),
    })
    .optional(),
  check_suite: z
    .object({ head_sha: z.string(), head_branch: z.string().nullish(), pull_requests: pullNumbers })
    .optional(),
  /** Of a status: those whose newest commit it is about, ten at most. */
  branches: z.array(z.object({ name: z.string() })).nullish(),
  requested_action: z.object({ identifier: z.string() }).nullish(),
});

type Event = z.infer<typeof Payload>;

const PULL_ACTIONS = new Set([
  'opened',
  'reopened',
  'synchronize',
  'edited',
  'ready_for_review',
  'converted_to_draft',
  'closed',
]);

/** The command, and nothing else. */
const CANCEL = /^\s*\/portico[ \t]+cancel\s*$/i;

/** Unknown events, unknown actions and payloads of another shape ask for nothing. */
export function routeEvent(name: string, payload: unknown, ownAppId?: number): Job[] {
  const parsed = Payload.safeParse(payload);
  if (!parsed.success) return [];
  const event = parsed.data;
  if (name === 'installation' || name === 'installation_repositories') return [sweepJob()];
  if (event.repository === undefined || event.installation === undefined) return [];
  const repository: RepositoryRef = {
    installationId: event.installation.id,
    id: event.repository.id,
    owner: event.repository.owner.login,
    name: event.repository.name,
  };
  const number = event.pull_request?.number;
  switch (name) {
    case 'push':
      return pushed(repository, event.ref ?? '');
    case 'create':
    case 'delete':
      // A branch that comes or goes is a push too.
      return event.ref_type === 'tag' ? [repositoryJob(repository)] : [];
    case 'pull_request':
      if (number === undefined || !PULL_ACTIONS.has(event.action ?? '')) return [];
      return [
        lookAt(repository, number, event),
        ...(event.action === 'opened' ? opened(repository, event.pull_request, event) : []),
        ...(event.action === 'closed' ? [publicationJob(repository)] : []),
      ];
    case 'pull_request_review':
      if (number === undefined) return [];
      return [lookAt(repository, number, event), ...reviewed(repository, number, event)];
    case 'issue_comment': {
      const { issue, comment } = event;
      if (event.action !== 'created' || issue === undefined || comment === undefined) return [];
      return mayHoldCommands(comment.body ?? '')
        ? [
            commentJob(
              repository,
              issue.number,
              { kind: 'comment', id: comment.id },
              { heard: true, ...(CANCEL.test(comment.body ?? '') && { aside: true }) },
            ),
          ]
        : [];
    }
    case 'issues':
      if (event.action === 'edited') return ticked(repository, event);
      // What an issue asks for stands on the dashboard while it is open.
      if (event.action === 'closed' || event.action === 'reopened')
        return asksToRetire(event) ? [dashboardJob(repository)] : [];
      return event.action === 'opened' ? opened(repository, event.issue, event) : [];
    case 'check_run':
      if (event.action === 'completed') return completed(repository, event, ownAppId);
      return event.action === 'requested_action'
        ? pressed(repository, event)
        : rerequested(repository, event);
    case 'check_suite':
      // It is completed with its last run, and told of behind that.
      if (event.action === 'completed') return waiting(repository, event.check_suite?.head_branch);
      return rerequested(repository, event);
    case 'merge_group': {
      const { merge_group: group } = event;
      if (event.action !== 'checks_requested' || group === undefined) return [];
      const { head_sha: headSha, head_ref: headRef, base_sha: baseSha, base_ref: baseRef } = group;
      return [mergeGroupJob(repository, { headSha, headRef, baseSha, baseRef })];
    }
    case 'status':
      return [
        rolloutJob(repository),
        ...(event.branches ?? []).flatMap(({ name }) => waiting(repository, name)),
      ];
    case 'deployment_status':
      return [rolloutJob(repository)];
    case 'repository':
      return [repositorySweepJob(repository)];
    default:
      return [];
  }
}

/** What comes from a fork waits in another lane. The proposal itself decides: this spares a way round. */
function lookAt(repository: RepositoryRef, number: number, { pull_request: pull }: Event): Job {
  const job = proposalJob(repository, number);
  const head = pull?.head?.repo;
  if (head === undefined || head?.id === repository.id) return job;
  return strangerJob(job, pull?.user?.login ?? '');
}

function asksToRetire({ issue }: Event): boolean {
  return issue?.labels?.some(({ name }) => name === RETIREMENT_LABEL) ?? false;
}

/** A box of the dashboard, which is an issue of ours, was ticked by a person. */
function ticked(repository: RepositoryRef, { issue, sender }: Event): Job[] {
  const login = sender?.login;
  if (issue === undefined || login === undefined || sender?.type === 'Bot') return [];
  if (issue.user?.type !== 'Bot' || !/^- \[[xX]\] update now /m.test(issue.body ?? '')) return [];
  return [dashboardEditedJob(repository, { number: issue.number, login, id: sender?.id, isBot: false })];
}

/** An update that merges itself waits for its checks; a rollout for those of others on what was published, such as Argo CD's. */
function completed(
  repository: RepositoryRef,
  { check_run: run }: Event,
  ownAppId: number | undefined,
): Job[] {
  const branch = run?.check_suite?.head_branch;
  if (branch?.startsWith('portico/') === true) return waiting(repository, branch);
  const app = run?.app?.id;
  return app === undefined || app === ownAppId ? [] : [rolloutJob(repository)];
}

function waiting(repository: RepositoryRef, branch: string | null | undefined): Job[] {
  return branch?.startsWith('portico/update/') === true ? [updateBranchJob(repository, branch)] : [];
}

/** A check that is asked for again, or all of a commit. */
function rerequested(
  repository: RepositoryRef,
  { action, check_run: run, check_suite: suite }: Event,
): Job[] {
  if (action !== 'rerequested') return [];
  const again = run === undefined ? {} : { check: run.name };
  const numbers = run?.pull_requests ?? suite?.pull_requests ?? [];
  if (numbers.length > 0) return numbers.map((number) => recheckJob(repository, number, again));
  const sha = run?.head_sha ?? suite?.head_sha;
  const branch = run?.check_suite?.head_branch ?? suite?.head_branch ?? null;
  return sha === undefined ? [] : [commitJob(repository, { sha, branch }, { again })];
}

/** The button of a check. The forge tells it to the App alone that the check is of. */
function pressed(repository: RepositoryRef, event: Event): Job[] {
  const { check_run: run, requested_action: action, sender } = event;
  if (run === undefined || action?.identifier !== 'fix' || sender?.login === undefined) return [];
  const { name: check, head_sha: headSha } = run;
  const { login: by, id: byId } = sender;
  if (run.pull_requests.length > 0) {
    return run.pull_requests.map((number) => fixJob(repository, { number, check, headSha, by, byId }));
  }
  const branch = run.check_suite?.head_branch ?? null;
  return [commitJob(repository, { sha: headSha, branch }, { pressed: { check, by, byId } })];
}

/**
 * The text that opens an issue or a pull request: an issue that is one of our forms is a command, and commands in any other are
 * answered with where they belong. Only by whoever wrote it: what was moved here was written for another place.
 */
function opened(
  repository: RepositoryRef,
  opening: Event['issue'] | Event['pull_request'],
  { issue, sender }: Event,
): Job[] {
  const { number, body, user, created_at: createdAt } = opening ?? {};
  if (number === undefined || !user || createdAt === undefined || user.login !== sender?.login) return [];
  const { login: author, id: authorId, type } = user;
  const form = { author, authorId, authorIsBot: type === 'Bot', body: body ?? '', createdAt };
  if (issue !== undefined && parseIssueForm(form.body) !== undefined) {
    return [commentJob(repository, number, { kind: 'form', id: -number }, { form })];
  }
  if (form.authorIsBot || !mayHoldCommands(form.body)) return [];
  return [commentJob(repository, number, { kind: 'opening', id: -number }, { form })];
}

/** Any branch may be the registered one: which it is, the configuration says. */
function pushed(repository: RepositoryRef, ref: string): Job[] {
  if (ref.startsWith('refs/tags/')) return [repositoryJob(repository)];
  if (ref.startsWith('refs/heads/drafts/') || ref.startsWith('refs/heads/portico/')) return [];
  if (ref.startsWith('refs/heads/gh-readonly-queue/')) return [];
  return [branchJob(repository, ref)];
}

function reviewed(repository: RepositoryRef, number: number, event: Pick<Event, 'action' | 'review'>): Job[] {
  const { review } = event;
  if (event.action !== 'submitted' || review === undefined || !mayHoldCommands(review.body ?? '')) return [];
  return [commentJob(repository, number, { kind: 'review', id: review.id }, { heard: true })];
}

/** Whether what a webhook says can be read at all. */
export function readsPayload(payload: unknown): boolean {
  return Payload.safeParse(payload).success;
}
