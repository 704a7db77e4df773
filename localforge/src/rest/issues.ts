import { z } from 'zod';

import type { IssueRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { changeIssue, issueById, labelsNamed, setAssignees, setLabels } from '../issues/change-issue.ts';
import { editPull } from '../pulls/edit-pull.ts';
import { pullById } from '../pulls/pull-events.ts';
import { refusal } from '../refusal.ts';
import { bodyOf, created, noContent, ok, paginated } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { issueShape } from '../shapes/issue.ts';
import type { Actor } from '../viewer.ts';
import { bodyText, editor, hasRole, issueAt, nextNumber, sorted, usersOf } from './writing.ts';

const labelNames = z.array(z.union([z.string(), z.object({ name: z.string() })]));

const creation = z.object({
  title: z.union([z.string().min(1).max(256), z.number()]),
  body: bodyText.nullish(),
  labels: labelNames.default([]),
  assignees: z.array(z.string()).default([]),
});

const edit = z.object({
  title: z.union([z.string().min(1).max(256), z.number()]).nullish(),
  body: bodyText.nullish(),
  state: z.enum(['open', 'closed']).optional(),
  state_reason: z.enum(['completed', 'not_planned', 'duplicate', 'reopened']).nullish(),
  labels: labelNames.optional(),
  assignees: z.array(z.string()).optional(),
});

const locking = z.object({
  lock_reason: z.enum(['off-topic', 'too heated', 'resolved', 'spam']).optional(),
});

const people = z.object({ assignees: z.array(z.string()).default([]) });

const ISSUE_READ = { app: ['issues:read', 'pull_requests:read'], user: 'read' } as const;
const ISSUE_WRITE = { app: ['issues:write', 'pull_requests:write'], user: 'read' } as const;

/** Issues, and the issue side of pull requests. */
export function addIssues(context: ForgeContext, router: Router): void {
  const shape = (request: RepositoryRequest, issue: IssueRecord): unknown =>
    issueShape(context, request.repository, issueById(context, issue.id));

  router.repo('GET', '/issues', ISSUE_READ, (request) =>
    paginated(request, listed(context, request), (issue) => shape(request, issue)),
  );

  router.repo('POST', '/issues', { app: ['issues:write'], user: 'read' }, async (request) => {
    const issue = await openIssue(context, request);
    const body = issueShape(context, request.repository, issue);
    return created(body, { location: String(body['url']) });
  });

  router.repo('GET', '/issues/:number', ISSUE_READ, (request) =>
    ok(shape(request, issueAt(context, request))),
  );

  router.repo('PATCH', '/issues/:number', ISSUE_WRITE, async (request) => {
    const issue = issueAt(context, request);
    await editIssue(context, request, issue);
    return ok(shape(request, issue));
  });

  router.repo('PUT', '/issues/:number/lock', { ...ISSUE_WRITE, user: 'write' }, async (request) => {
    const issue = issueAt(context, request);
    const { lock_reason: lockReason = null } = bodyOf(request, locking);
    await lock({ context, request, issue, locked: true, lockReason });
    return noContent();
  });

  router.repo('DELETE', '/issues/:number/lock', { ...ISSUE_WRITE, user: 'write' }, async (request) => {
    await lock({ context, request, issue: issueAt(context, request), locked: false, lockReason: null });
    return noContent();
  });

  router.repo('POST', '/issues/:number/assignees', { ...ISSUE_WRITE, user: 'triage' }, async (request) => {
    const issue = issueAt(context, request);
    const ids = usersOf(context, 'Issue', 'assignees', bodyOf(request, people).assignees);
    const wanted = [...new Set([...issue.assigneeIds, ...ids])];
    await setAssignees({
      context,
      repository: request.repository,
      issue,
      sender: request.actor().user,
      wanted,
    });
    return created(shape(request, issue));
  });

  router.repo('DELETE', '/issues/:number/assignees', { ...ISSUE_WRITE, user: 'triage' }, async (request) => {
    const issue = issueAt(context, request);
    const ids = usersOf(context, 'Issue', 'assignees', bodyOf(request, people).assignees);
    const wanted = issue.assigneeIds.filter((id) => !ids.includes(id));
    await setAssignees({
      context,
      repository: request.repository,
      issue,
      sender: request.actor().user,
      wanted,
    });
    return ok(shape(request, issue));
  });
}

async function openIssue(context: ForgeContext, request: RepositoryRequest): Promise<IssueRecord> {
  const { repository } = request;
  if (!repository.hasIssues) throw refusal(410, 'Issues has been disabled in this repository.');
  const wanted = bodyOf(request, creation);
  const actor = request.actor();
  const mayTriage = hasRole(request, actor, 'triage');
  // GitHub drops labels and assignees silently when the author may not set them.
  const labels = mayTriage ? labelsNamed(context, repository, actor.user, namesOf(wanted.labels)) : [];
  const assignees = mayTriage ? usersOf(context, 'Issue', 'assignees', wanted.assignees) : [];
  const now = context.now();
  const store = collaborationStore(context.store);
  const issue = store.issues.insert({
    repositoryId: repository.id,
    number: nextNumber(context, repository.id),
    userId: actor.user.id,
    viaApp: actor.kind === 'installation',
    title: String(wanted.title),
    body: wanted.body ?? null,
    state: 'open',
    stateReason: null,
    labelIds: labels.map((label) => label.id),
    assigneeIds: assignees,
    locked: false,
    lockReason: null,
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    closedById: null,
    pullId: null,
  });
  await changeIssue({ context, repository, issue, sender: actor.user, action: 'opened', change: () => {} });
  return issue;
}

async function editIssue(
  context: ForgeContext,
  request: RepositoryRequest,
  issue: IssueRecord,
): Promise<void> {
  const { repository } = request;
  const wanted = bodyOf(request, edit);
  const actor = editor(request, issue.userId, 'triage');
  const title = wanted.title === undefined || wanted.title === null ? undefined : String(wanted.title);
  if (issue.pullId !== null) {
    const pull = pullById(context, issue.pullId);
    await editPull({
      context,
      repository,
      pull,
      actor,
      edit: { title, body: wanted.body, state: wanted.state },
    });
  } else {
    await editText({
      context,
      repository,
      issue,
      actor,
      title: title ?? issue.title,
      wantedBody: wanted.body,
    });
    await editState({
      context,
      repository,
      issue,
      actor,
      state: wanted.state,
      reason: wanted.state_reason ?? null,
    });
  }
  if (!hasRole(request, actor, 'triage')) return;
  if (wanted.labels !== undefined) {
    const labels = labelsNamed(context, repository, actor.user, namesOf(wanted.labels));
    await setLabels({ context, repository, issue: issueById(context, issue.id), sender: actor.user, labels });
  }
  if (wanted.assignees !== undefined) {
    const ids = usersOf(context, 'Issue', 'assignees', wanted.assignees);
    await setAssignees({
      context,
      repository,
      issue: issueById(context, issue.id),
      sender: actor.user,
      wanted: ids,
    });
  }
}

async function editText({
  context,
  repository,
  issue,
  actor,
  title,
  wantedBody,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRequest['repository'];
  readonly issue: IssueRecord;
  readonly actor: Actor;
  readonly title: string;
  readonly wantedBody: string | null | undefined;
}): Promise<void> {
  const body = wantedBody === undefined ? issue.body : wantedBody;
  const changes = {
    ...(title === issue.title ? {} : { title: { from: issue.title } }),
    ...(body === issue.body ? {} : { body: { from: issue.body ?? '' } }),
  };
  if (Object.keys(changes).length === 0) return;
  const change = (): void => {
    const now = context.now();
    collaborationStore(context.store).issues.update(issue.id, {
      title,
      body,
      updatedAt: now,
      ...(body !== issue.body && { edit: { at: now, byId: actor.user.id } }),
    });
  };
  await changeIssue({
    context,
    repository,
    issue,
    sender: actor.user,
    action: 'edited',
    change,
    extra: { changes },
  });
}

async function editState({
  context,
  repository,
  issue,
  actor,
  state,
  reason,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRequest['repository'];
  readonly issue: IssueRecord;
  readonly actor: Actor;
  readonly state: 'open' | 'closed' | undefined;
  readonly reason: 'completed' | 'not_planned' | 'duplicate' | 'reopened' | null;
}): Promise<void> {
  if (state === undefined || state === issue.state) return;
  const closing = state === 'closed';
  const change = (): void => {
    const now = context.now();
    collaborationStore(context.store).issues.update(issue.id, {
      state,
      stateReason: reason ?? (closing ? 'completed' : 'reopened'),
      closedAt: closing ? now : null,
      closedById: closing ? actor.user.id : null,
      updatedAt: now,
    });
  };
  await changeIssue({
    context,
    repository,
    issue,
    sender: actor.user,
    action: closing ? 'closed' : 'reopened',
    change,
  });
}

async function lock({
  context,
  request,
  issue,
  locked,
  lockReason,
}: {
  readonly context: ForgeContext;
  readonly request: RepositoryRequest;
  readonly issue: IssueRecord;
  readonly locked: boolean;
  readonly lockReason: string | null;
}): Promise<void> {
  const change = (): void => {
    collaborationStore(context.store).issues.update(issue.id, { locked, lockReason });
  };
  const action = locked ? 'locked' : 'unlocked';
  await changeIssue({
    context,
    repository: request.repository,
    issue,
    sender: request.actor().user,
    action,
    change,
  });
}

function listed(context: ForgeContext, request: RepositoryRequest): IssueRecord[] {
  const { issues, comments, labels } = collaborationStore(context.store);
  const { records } = context;
  const state = request.query('state') ?? 'open';
  const since = request.query('since') ?? '';
  const idOf = (login: string): number => records.accountByLogin(login)?.id ?? -1;
  const creator = request.query('creator');
  const assignee = request.query('assignee');
  const wantedLabels = (request.query('labels') ?? '').split(',').filter((name) => name !== '');
  const labelIds = wantedLabels.map(
    (name) => labels.first('name', [request.repository.id, name.toLowerCase()])?.id ?? -1,
  );
  const found =
    state === 'all'
      ? issues.find('repository', [request.repository.id])
      : issues.find('state', [request.repository.id, state]);
  const wanted = found.filter(
    (issue) =>
      issue.updatedAt >= since &&
      (creator === undefined || issue.userId === idOf(creator)) &&
      isAssigned(issue, assignee, idOf) &&
      labelIds.every((id) => issue.labelIds.includes(id)),
  );
  const sort = request.query('sort');
  return sorted(
    wanted,
    (issue) => {
      if (sort === 'updated') return issue.updatedAt;
      return sort === 'comments' ? comments.count('issue', [issue.id]) : issue.number;
    },
    request.query('direction') ?? 'desc',
  );
}

function isAssigned(
  issue: IssueRecord,
  assignee: string | undefined,
  idOf: (login: string) => number,
): boolean {
  if (assignee === undefined) return true;
  if (assignee === '*') return issue.assigneeIds.length > 0;
  return assignee === 'none' ? issue.assigneeIds.length === 0 : issue.assigneeIds.includes(idOf(assignee));
}

function namesOf(labels: z.output<typeof labelNames>): string[] {
  return labels.map((label) => (typeof label === 'string' ? label : label.name));
}
