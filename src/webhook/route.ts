/** Pure: which jobs an event asks for. An event only says where to look; what is done is decided by what is found. */
import type { z } from 'zod';

import { parseIssueForm } from '../command/issue-form.ts';
import { mayHoldCommands } from '../command/parse.ts';
import { RETIREMENT_LABEL } from '../reconcile/draft/pending-retirements.ts';
import type { CommentTarget, Job } from '../reconcile/job.ts';
import {
  branchJob,
  commentJob,
  commitJob,
  dashboardEditedJob,
  dashboardJob,
  fixJob,
  mergeGroupJob,
  organizationRightsJob,
  proposalJob,
  publicationJob,
  recheckJob,
  repositoryJob,
  repositorySweepJob,
  restorationJob,
  rightsJob,
  rolloutJob,
  strangerJob,
  sweepJob,
  updateBranchJob,
} from '../reconcile/jobs.ts';
import type { RepositoryRef } from '../reconcile/ports.ts';
import { problemOf, READERS, type Payload } from './event-payload.ts';

/** What an event asks for. */
export interface Routed {
  readonly jobs: readonly Job[];
  /** Of an event that could not be read: what is wrong with it. Then nothing is asked for, and the sweep finds what it meant. */
  readonly unreadable?: string;
}

const PULL_ACTIONS = new Set([
  'opened',
  'reopened',
  'synchronize',
  'edited',
  'ready_for_review',
  'converted_to_draft',
  'closed',
]);

/** Of memberships, organizations and teams: those that give a right, or take one. */
const RIGHTS_ACTIONS = new Set([
  'added',
  'removed',
  'member_added',
  'member_removed',
  'added_to_repository',
  'removed_from_repository',
  'edited',
  'deleted',
]);

/** The command, and nothing else. */
const CANCEL = /^\s*\/portico[ \t]+cancel\s*$/i;

/** Unknown events and unknown actions ask for nothing. */
export function routeEvent(name: string, payload: unknown, ownAppId?: number): Routed {
  // Every App is told of these two.
  if (name === 'installation' || name === 'installation_repositories') return { jobs: [sweepJob()] };
  switch (name) {
    case 'push':
      return read(READERS.push, payload, (event) => pushed(repositoryOf(event), event.ref));
    case 'create':
    case 'delete':
      // A branch that comes or goes is a push too.
      return read(READERS[name], payload, (event) =>
        event.ref_type === 'tag' ? [repositoryJob(repositoryOf(event))] : [],
      );
    case 'pull_request':
      return read(READERS.pull_request, payload, pullChanged);
    case 'pull_request_review':
      return read(READERS.pull_request_review, payload, reviewed);
    case 'pull_request_review_comment':
      return read(READERS.pull_request_review_comment, payload, remarked);
    case 'issue_comment':
      return read(READERS.issue_comment, payload, commented);
    case 'issues':
      return read(READERS.issues, payload, (event) => {
        if (event.action === 'edited') return ticked(event);
        // What an issue asks for stands on the dashboard while it is open.
        if (event.action === 'closed' || event.action === 'reopened')
          return asksToRetire(event) ? [dashboardJob(repositoryOf(event))] : [];
        return event.action === 'opened' ? opened(repositoryOf(event), event.issue, event) : [];
      });
    case 'check_run':
      return read(READERS.check_run, payload, (event) => {
        if (event.action === 'completed') return completed(event, ownAppId);
        if (event.action === 'requested_action') return checkActionRequested(event);
        return event.action === 'rerequested' ? rerequestedRun(event) : [];
      });
    case 'check_suite':
      return read(READERS.check_suite, payload, (event) => {
        // It is completed with its last run, and told of behind that.
        if (event.action === 'completed') return waiting(repositoryOf(event), event.check_suite.head_branch);
        return event.action === 'rerequested' ? rerequestedSuite(event) : [];
      });
    case 'merge_group':
      return read(READERS.merge_group, payload, (event) => {
        const {
          head_sha: headSha,
          head_ref: headRef,
          base_sha: baseSha,
          base_ref: baseRef,
        } = event.merge_group;
        return event.action === 'checks_requested'
          ? [mergeGroupJob(repositoryOf(event), { headSha, headRef, baseSha, baseRef })]
          : [];
      });
    case 'status':
      return read(READERS.status, payload, (event) => {
        const repository = repositoryOf(event);
        const branches = (event.branches ?? []).flatMap((branch) => waiting(repository, branch?.name));
        return [rolloutJob(repository), ...failing(repository, event.state, event.sha), ...branches];
      });
    case 'deployment_status':
      return read(READERS.deployment_status, payload, (event) => {
        const repository = repositoryOf(event);
        const { deployment_status: status, deployment } = event;
        return [rolloutJob(repository), ...failing(repository, status?.state, deployment?.sha)];
      });
    case 'member':
      return read(READERS.member, payload, (event) => [rightsJob(repositoryOf(event))]);
    case 'membership':
    case 'organization':
    case 'team':
      return read(READERS[name], payload, rightsChanged);
    case 'repository':
      return read(READERS.repository, payload, (event) => [repositorySweepJob(repositoryOf(event))]);
    default:
      return { jobs: [] };
  }
}

function read<Reader extends z.ZodType>(
  reader: Reader,
  payload: unknown,
  jobs: (event: z.infer<Reader>) => readonly Job[],
): Routed {
  const parsed = reader.safeParse(payload);
  if (!parsed.success) return { jobs: [], unreadable: problemOf(parsed.error) };
  return { jobs: jobs(parsed.data) };
}

function repositoryOf({ installation, repository }: Payload<'repository'>): RepositoryRef {
  const { id, owner, name, full_name: fullName } = repository;
  const login = owner?.login ?? fullName?.split('/', 1)[0] ?? '';
  return { installationId: installation.id, id, owner: login, name };
}

/** Who may do what has changed: in one repository where the event names it, else in all that the App is shown. */
function rightsChanged(event: Payload<'team'>): Job[] {
  const { action, installation, repository } = event;
  if (!RIGHTS_ACTIONS.has(action ?? '')) return [];
  return repository
    ? [rightsJob(repositoryOf({ ...event, repository }))]
    : [organizationRightsJob(installation.id)];
}

function pullChanged(event: Payload<'pull_request'>): Job[] {
  const { action, pull_request: pull } = event;
  if (!PULL_ACTIONS.has(action ?? '')) return [];
  const repository = repositoryOf(event);
  return [
    lookAt(repository, pull),
    ...(action === 'opened' ? opened(repository, pull, event) : []),
    ...(action === 'closed' ? [publicationJob(repository)] : []),
  ];
}

function commented(event: Payload<'issue_comment'>): Job[] {
  const { action, issue, comment } = event;
  const body = comment.body ?? '';
  if (action !== 'created' || !mayHoldCommands(body)) return [];
  const source = { kind: 'comment' as const, id: comment.id };
  const how = { author: comment.user?.login, ...(CANCEL.test(body) && { aside: true as const }) };
  return [commentJob(repositoryOf(event), issue.number, source, how)];
}

/** What comes from a fork waits in another lane. The proposal itself decides: this spares a way round. */
function lookAt(repository: RepositoryRef, pull: Payload<'pull_request'>['pull_request']): Job {
  const job = proposalJob(repository, pull.number);
  const head = pull.head?.repo;
  if (head === undefined || head?.id === repository.id) return job;
  return strangerJob(job, pull.user?.login ?? '');
}

function asksToRetire({ issue }: Payload<'issues'>): boolean {
  return issue.labels?.some((label) => label?.name === RETIREMENT_LABEL) ?? false;
}

/** A box of the dashboard, which is an issue of ours, was ticked by a person. */
function ticked(event: Payload<'issues'>): Job[] {
  const { issue, sender } = event;
  const login = sender?.login;
  if (login === undefined || sender?.type === 'Bot') return [];
  if (issue.user?.type !== 'Bot' || !/^- \[[xX]\] update now /m.test(issue.body ?? '')) return [];
  const edited = { number: issue.number, login, id: sender?.id ?? undefined, isBot: false };
  return [dashboardEditedJob(repositoryOf(event), edited)];
}

/** An update that merges itself waits for its checks; a rollout for those of others on what was published, such as Argo CD's. */
function completed(event: Payload<'check_run'>, ownAppId: number | undefined): Job[] {
  const { check_suite: suite, app } = event.check_run;
  const repository = repositoryOf(event);
  if (suite?.head_branch?.startsWith('portico/') === true) return waiting(repository, suite.head_branch);
  if (!app || app.id === ownAppId) return [];
  const { conclusion, head_sha: sha } = event.check_run;
  return [rolloutJob(repository), ...failing(repository, conclusion, sha)];
}

/** As statuses, deployments and check runs call it. */
const FAILURES: readonly string[] = ['failure', 'error', 'timed_out', 'cancelled'];

/** What was published may fail with it. */
function failing(
  repository: RepositoryRef,
  state: string | null | undefined,
  sha: string | null | undefined,
): Job[] {
  return sha && state && FAILURES.includes(state) ? [restorationJob(repository, sha)] : [];
}

function waiting(repository: RepositoryRef, branch: string | null | undefined): Job[] {
  return branch?.startsWith('portico/update/') === true ? [updateBranchJob(repository, branch)] : [];
}

/** A check that is asked for again. */
function rerequestedRun(event: Payload<'check_run'>): Job[] {
  const { name: check, pull_requests: numbers, head_sha: sha, check_suite: suite } = event.check_run;
  return again(repositoryOf(event), numbers, { sha, branch: suite?.head_branch ?? null }, { check });
}

/** All checks of a commit are asked for again. */
function rerequestedSuite(event: Payload<'check_suite'>): Job[] {
  const { pull_requests: numbers, head_sha: sha, head_branch: branch } = event.check_suite;
  return again(repositoryOf(event), numbers, { sha, branch: branch ?? null }, {});
}

function again(
  repository: RepositoryRef,
  numbers: readonly number[],
  commit: { readonly sha: string; readonly branch: string | null },
  which: { readonly check?: string },
): Job[] {
  if (numbers.length > 0) return numbers.map((number) => recheckJob(repository, number, which));
  return [commitJob(repository, commit, { wish: 'checks', again: which })];
}

/** The button of a check. The forge tells it to the App alone that the check is of. */
function checkActionRequested(event: Payload<'check_run'>): Job[] {
  const { check_run: run, requested_action: action, sender } = event;
  const by = sender?.login;
  if (action?.identifier !== 'fix' || by === undefined) return [];
  const repository = repositoryOf(event);
  const { name: check, head_sha: headSha, pull_requests: numbers } = run;
  const byId = sender?.id ?? undefined;
  if (numbers.length > 0) {
    return numbers.map((number) => fixJob(repository, { number, check, headSha, by, byId }));
  }
  const branch = run.check_suite?.head_branch ?? null;
  return [commitJob(repository, { sha: headSha, branch }, { wish: 'fix', pressed: { check, by, byId } })];
}

/**
 * The text that opens an issue or a pull request: an issue that is one of our forms is a command, and commands in any other are
 * answered with where they belong. Only by whoever wrote it: what was moved here was written for another place.
 */
function opened(
  repository: RepositoryRef,
  opening: Payload<'issues'>['issue'],
  event: Payload<'issues'> | Payload<'pull_request'>,
): Job[] {
  const { number } = opening;
  const form = writtenBy(opening, event);
  if (form === undefined) return [];
  if ('issue' in event && parseIssueForm(form.body) !== undefined) {
    return [commentJob(repository, number, { kind: 'form', id: -number }, { form })];
  }
  if (form.authorIsBot || !mayHoldCommands(form.body)) return [];
  return [commentJob(repository, number, { kind: 'opening', id: -number }, { form })];
}

/** A comment on lines of a change. Commands there are answered with where they belong. */
function remarked(event: Payload<'pull_request_review_comment'>): Job[] {
  const { action, comment, pull_request: pull } = event;
  const form = writtenBy(comment, event);
  if (action !== 'created' || form === undefined) return [];
  if (form.authorIsBot || !mayHoldCommands(form.body)) return [];
  return [commentJob(repositoryOf(event), pull.number, { kind: 'line', id: comment.id }, { form })];
}

/** The text as it was sent; undefined where somebody else sent it than who wrote it. */
function writtenBy(
  { body, user, created_at: createdAt }: Pick<Payload<'issues'>['issue'], 'body' | 'user' | 'created_at'>,
  { sender }: Pick<Payload<'issues'>, 'sender'>,
): CommentTarget['form'] {
  if (!user || typeof createdAt !== 'string' || user.login !== sender?.login) return undefined;
  const { login: author, id, type } = user;
  return { author, authorId: id ?? undefined, authorIsBot: type === 'Bot', body: body ?? '', createdAt };
}

/** Any branch may be the registered one: which it is, the configuration says. */
function pushed(repository: RepositoryRef, ref: string): Job[] {
  if (ref.startsWith('refs/tags/')) return [repositoryJob(repository)];
  if (ref.startsWith('refs/heads/drafts/') || ref.startsWith('refs/heads/portico/')) return [];
  if (ref.startsWith('refs/heads/gh-readonly-queue/')) return [];
  return [branchJob(repository, ref)];
}

function reviewed(event: Payload<'pull_request_review'>): Job[] {
  const { action, review, pull_request: pull } = event;
  const repository = repositoryOf(event);
  const look = lookAt(repository, pull);
  if (action !== 'submitted' || !mayHoldCommands(review.body ?? '')) return [look];
  const source = { kind: 'review' as const, id: review.id };
  return [look, commentJob(repository, pull.number, source, { author: review.user?.login })];
}
