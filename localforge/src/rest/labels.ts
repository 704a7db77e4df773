import { z } from 'zod';

import { emitFor } from '../acting.ts';
import type { LabelRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { issueById, labelsNamed, setLabels } from '../issues/change-issue.ts';
import { nodeId } from '../node-id.ts';
import { invalid, notFound, refusal } from '../refusal.ts';
import { bodyOf, created, noContent, ok, paginated } from '../request.ts';
import type { Reply, RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { simpleUser } from '../shapes/account.ts';
import { labelShape } from '../shapes/issue.ts';
import { issueAt } from './writing.ts';

const color = z.string().regex(/^[0-9a-fA-F]{6}$/);
const creation = z.object({
  name: z.string().min(1).max(50),
  color: color.default('ededed'),
  description: z.string().max(100).nullish(),
});
const edit = z.object({
  new_name: z.string().min(1).max(50).optional(),
  color: color.optional(),
  description: z.string().max(100).nullish(),
});
const names = z.union([
  z.object({ labels: z.array(z.union([z.string(), z.object({ name: z.string() })])).default([]) }),
  z.array(z.union([z.string(), z.object({ name: z.string() })])),
  z.string(),
]);

const ANY_READ = { app: ['issues:read', 'pull_requests:read'], user: 'read' } as const;
const ANY_WRITE = { app: ['issues:write', 'pull_requests:write'], user: 'triage' } as const;

const NODES = {
  labeled: 'LabeledEvent',
  unlabeled: 'UnlabeledEvent',
  convert_to_draft: 'ConvertToDraftEvent',
  base_ref_changed: 'BaseRefChangedEvent',
} as const;

/** Labels of a repository, and on issues and pull requests. */
export function addLabels(context: ForgeContext, router: Router): void {
  const { labels } = collaborationStore(context.store);

  router.repo('GET', '/labels', ANY_READ, (request) =>
    paginated(request, labels.find('repository', [request.repository.id]), (label) =>
      labelShape(context, request.repository, label),
    ),
  );

  router.repo('POST', '/labels', { ...ANY_WRITE, user: 'write' }, (request) => {
    const { description = null, ...wanted } = bodyOf(request, creation);
    if (labels.first('name', [request.repository.id, wanted.name.toLowerCase()]) !== undefined) {
      throw invalid({ resource: 'Label', code: 'already_exists', field: 'name' });
    }
    const label = context.store.transaction(() => {
      const made = labels.insert({
        ...wanted,
        repositoryId: request.repository.id,
        description,
        default: false,
      });
      tell({ context, request, label: made, action: 'created' });
      return made;
    });
    const body = labelShape(context, request.repository, label);
    return created(body, { location: String(body['url']) });
  });

  router.repo('GET', '/labels/:name', ANY_READ, (request) =>
    ok(labelShape(context, request.repository, labelAt(context, request))),
  );

  router.repo('PATCH', '/labels/:name', { ...ANY_WRITE, user: 'write' }, (request) => {
    const label = labelAt(context, request);
    const wanted = bodyOf(request, edit);
    const name = wanted.new_name ?? label.name;
    const taken = labels.first('name', [request.repository.id, name.toLowerCase()]);
    if (taken !== undefined && taken.id !== label.id) {
      throw invalid({ resource: 'Label', code: 'already_exists', field: 'name' });
    }
    const changed = context.store.transaction(() => {
      const description = wanted.description === undefined ? label.description : wanted.description;
      const edited = labels.update(label.id, { name, color: wanted.color ?? label.color, description });
      tell({
        context,
        request,
        label: edited,
        action: 'edited',
        extra: {
          changes: {
            ...(name === label.name ? {} : { name: { from: label.name } }),
            ...(edited.color === label.color ? {} : { color: { from: label.color } }),
            ...(description === label.description ? {} : { description: { from: label.description ?? '' } }),
          },
        },
      });
      return edited;
    });
    return ok(labelShape(context, request.repository, changed));
  });

  router.repo('DELETE', '/labels/:name', { ...ANY_WRITE, user: 'write' }, (request) => {
    const label = labelAt(context, request);
    context.store.transaction(() => {
      labels.remove(label.id);
      tell({ context, request, label, action: 'deleted' });
    });
    return noContent();
  });

  router.repo('GET', '/issues/:number/labels', ANY_READ, (request) => {
    const present = presentLabels(context, issueAt(context, request).labelIds);
    return paginated(request, present, (label) => labelShape(context, request.repository, label));
  });

  // Of all events of an issue these alone are kept.
  router.repo('GET', '/issues/:number/events', ANY_READ, (request) => {
    const { issueEvents } = collaborationStore(context.store);
    return paginated(request, issueEvents.find('issue', [issueAt(context, request).id]), (one) => ({
      id: one.id,
      node_id: nodeId(NODES[one.event], one.id),
      url: context.urls.repoApi(request.repository, `/issues/events/${one.id}`),
      actor: simpleUser(context, context.records.account(one.userId)),
      event: one.event,
      commit_id: null,
      commit_url: null,
      performed_via_github_app: null,
      created_at: one.createdAt,
      ...(one.name !== undefined && { label: { name: one.name, color: one.color } }),
    }));
  });

  router.repo('POST', '/issues/:number/labels', ANY_WRITE, (request) => {
    const issue = issueAt(context, request);
    const present = presentLabels(context, issue.labelIds);
    return put(context, request, [...present.map((label) => label.name), ...namesIn(request)]);
  });

  router.repo('PUT', '/issues/:number/labels', ANY_WRITE, (request) =>
    put(context, request, namesIn(request)),
  );

  router.repo('DELETE', '/issues/:number/labels', ANY_WRITE, async (request) => {
    await put(context, request, []);
    return noContent();
  });

  router.repo('DELETE', '/issues/:number/labels/:name', ANY_WRITE, (request) => {
    const issue = issueAt(context, request);
    const label = labels.first('name', [request.repository.id, request.param('name').toLowerCase()]);
    if (label === undefined || !issue.labelIds.includes(label.id)) throw refusal(404, 'Label does not exist');
    const others = presentLabels(context, issue.labelIds).filter((each) => each.id !== label.id);
    return put(
      context,
      request,
      others.map((each) => each.name),
    );
  });
}

async function put(
  context: ForgeContext,
  request: RepositoryRequest,
  wanted: readonly string[],
): Promise<Reply> {
  const issue = issueAt(context, request);
  const sender = request.actor().user;
  const records = labelsNamed(context, request.repository, sender, wanted);
  await setLabels({ context, repository: request.repository, issue, sender, labels: records });
  const present = presentLabels(context, issueById(context, issue.id).labelIds);
  return ok(present.map((label) => labelShape(context, request.repository, label)));
}

function namesIn(request: RepositoryRequest): string[] {
  const body = bodyOf(request, names);
  const list = typeof body === 'string' ? [body] : Array.isArray(body) ? body : body.labels;
  return list.map((label) => (typeof label === 'string' ? label : label.name));
}

function presentLabels(context: ForgeContext, ids: readonly number[]): LabelRecord[] {
  const { labels } = collaborationStore(context.store);
  return ids.map((id) => labels.get(id)).filter((label) => label !== undefined);
}

function labelAt(context: ForgeContext, request: RepositoryRequest): LabelRecord {
  const { labels } = collaborationStore(context.store);
  const label = labels.first('name', [request.repository.id, request.param('name').toLowerCase()]);
  if (label === undefined) throw notFound();
  return label;
}

function tell({
  context,
  request,
  label,
  action,
  extra = {},
}: {
  readonly context: ForgeContext;
  readonly request: RepositoryRequest;
  readonly label: LabelRecord;
  readonly action: string;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}): void {
  const shown = labelShape(context, request.repository, label);
  emitFor({
    context,
    repository: request.repository,
    sender: request.actor().user,
    event: 'label',
    action,
    payload: { label: shown, ...extra },
  });
}
