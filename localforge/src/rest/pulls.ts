import { z } from 'zod';

import type { PullRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { editPull } from '../pulls/edit-pull.ts';
import { repositoryOfHead } from '../pulls/head-repository.ts';
import { startTestMerge } from '../pulls/mergeability.ts';
import { openPull } from '../pulls/open-pull.ts';
import { presentPull } from '../pulls/pull-events.ts';
import { created, bodyOf, ok, paginated } from '../request.ts';
import type { Reply, RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { issueOf, simplePull } from '../shapes/pull.ts';
import { changeText } from './pull-files.ts';
import { pullText, editor, pullAt, sorted } from './writing.ts';

const creation = z.object({
  title: z.string().min(1).max(256),
  head: z.string().min(1),
  head_repo: z.string().optional(),
  base: z.string().min(1),
  body: pullText.nullish(),
  draft: z.boolean().default(false),
  maintainer_can_modify: z.boolean().default(true),
});

const edit = z.object({
  title: z.string().min(1).max(256).optional(),
  body: pullText.nullish(),
  state: z.enum(['open', 'closed']).optional(),
  base: z.string().min(1).optional(),
  maintainer_can_modify: z.boolean().optional(),
});

/** Pull requests: create, get, list, change. */
export function addPulls(context: ForgeContext, router: Router): void {
  const write = { app: ['pull_requests:write'], user: 'read' } as const;
  const read = { app: ['pull_requests:read'], user: 'read' } as const;

  router.repo('POST', '/pulls', { app: ['pull_requests:write'], user: 'read' }, async (request) => {
    const wanted = bodyOf(request, creation);
    const pull = await openPull(context, request.repository, request.actor(), {
      title: wanted.title,
      body: wanted.body ?? null,
      head: wanted.head,
      base: wanted.base,
      draft: wanted.draft,
      maintainerCanModify: wanted.maintainer_can_modify,
    });
    const body = await presentPull(context, request.repository, pull.id);
    return created(body, { location: String(body['url']) });
  });

  router.repo('GET', '/pulls', read, (request) =>
    paginated(request, listed(context, request), (pull) => simplePull(context, request.repository, pull)),
  );

  router.repo('GET', '/pulls/:number', read, async (request) => {
    const pull = pullAt(context, request);
    const text = await changeText(context, request, pull);
    if (text !== undefined) return text;
    const body = await presentPull(context, request.repository, pull.id);
    startTestMerge(context, request.repository, pull);
    return ok(body);
  });

  router.repo('PATCH', '/pulls/:number', write, async (request): Promise<Reply> => {
    const pull = pullAt(context, request);
    const actor = editor(request, issueOf(context, pull).userId);
    const { maintainer_can_modify: canModify, ...wanted } = bodyOf(request, edit);
    await editPull({ context, repository: request.repository, pull, actor, edit: wanted });
    if (canModify !== undefined) {
      collaborationStore(context.store).pulls.update(pull.id, { maintainerCanModify: canModify });
    }
    return ok(await presentPull(context, request.repository, pull.id));
  });
}

function listed(context: ForgeContext, request: RepositoryRequest): PullRecord[] {
  const { pulls, issues, comments } = collaborationStore(context.store);
  const state = request.query('state') ?? 'open';
  const base = request.query('base');
  const head = headFilter(context, request);
  const found =
    head === undefined
      ? pulls.find('repository', [request.repository.id])
      : pulls
          .find('head', [head.repositoryId, head.branch])
          .filter((pull) => pull.repositoryId === request.repository.id);
  const wanted = found.filter(
    (pull) =>
      (state === 'all' || issues.get(pull.issueId)?.state === state) &&
      (base === undefined || pull.baseRef === base),
  );
  const sort = request.query('sort') ?? 'created';
  const direction = request.query('direction') ?? (sort === 'created' ? 'desc' : 'asc');
  return sorted(
    wanted,
    (pull) => {
      if (sort === 'updated') return issues.get(pull.issueId)?.updatedAt ?? '';
      if (sort === 'popularity') return comments.count('issue', [pull.issueId]);
      return pull.number;
    },
    direction,
  );
}

/** `owner:branch` of the `head` filter; GitHub ignores a value without owner. */
function headFilter(
  context: ForgeContext,
  request: RepositoryRequest,
): { readonly repositoryId: number; readonly branch: string } | undefined {
  const head = request.query('head');
  if (head === undefined || !head.includes(':')) return undefined;
  const [owner = '', ...branch] = head.split(':');
  const source = repositoryOfHead(context, request.repository, owner);
  return { repositoryId: source?.id ?? 0, branch: branch.join(':') };
}
