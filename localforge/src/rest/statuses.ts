import { z } from 'zod';

import { latestStatuses } from '../checks-of-commit.ts';
import { putStatus } from '../checks/put-status.ts';
import type { StatusRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { unprocessable } from '../refusal.ts';
import { bodyOf, created, linkHeader, ok, pageOf, paginated } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { simpleStatus, statusShape } from '../shapes/deployment.ts';
import { repositoryShape } from '../shapes/repository.ts';

/** GitHub keeps no more statuses of one commit and context. */
const MAX_STATUSES = 1000;

const creation = z.object({
  state: z.enum(['error', 'failure', 'pending', 'success']),
  target_url: z.string().nullish(),
  description: z.string().max(140).nullish(),
  context: z.string().min(1).default('default'),
});

/** Commit statuses. */
export function addStatuses(context: ForgeContext, router: Router): void {
  const read = { app: ['statuses:read'], user: 'read' } as const;
  const { statuses } = collaborationStore(context.store);

  router.repo('POST', '/statuses/:sha', { app: ['statuses:write'], user: 'write' }, async (request) => {
    const { repository } = request;
    const wanted = bodyOf(request, creation);
    const git = context.git(repository);
    const sha = await git.resolve(request.param('sha'));
    if (sha === undefined) throw unprocessable(`No commit found for SHA: ${request.param('sha')}`);
    const same = statuses.find('sha', [repository.id, sha]).filter((one) => one.context === wanted.context);
    if (same.length >= MAX_STATUSES) {
      throw unprocessable('This SHA and context has reached the maximum number of statuses.');
    }
    const actor = request.actor();
    const status = await putStatus(context, {
      repository,
      sha,
      by: actor.user,
      appId: actor.kind === 'installation' ? actor.appId : null,
      state: wanted.state,
      context: wanted.context,
      description: wanted.description ?? null,
      targetUrl: wanted.target_url ?? null,
    });
    const body = statusShape(context, repository, status);
    return created(body, { location: String(body['url']) });
  });

  router.repo('GET', '/commits/:ref{.+}/statuses', read, async (request) => {
    const sha = await commitOf(context, request);
    const found = statuses.find('sha', [request.repository.id, sha], { order: 'desc' });
    return paginated(request, found, (status) => statusShape(context, request.repository, status));
  });

  router.repo('GET', '/commits/:ref{.+}/status', read, async (request) => {
    const { repository } = request;
    const sha = await commitOf(context, request);
    const found = latestStatuses(context, repository.id, sha);
    const page = pageOf(request);
    const shown = found.slice(page.offset, page.offset + page.perPage);
    return {
      ...ok({
        state: combined(found),
        statuses: shown.map((status) => simpleStatus(context, repository, status)),
        sha,
        total_count: found.length,
        repository: repositoryShape(context, repository),
        commit_url: context.urls.repoApi(repository, `/commits/${sha}`),
        url: context.urls.repoApi(repository, `/commits/${sha}/status`),
      }),
      headers: linkHeader(request, page, found.length),
    };
  });
}

async function commitOf(context: ForgeContext, request: RepositoryRequest): Promise<string> {
  const sha = await context.git(request.repository).resolve(request.param('ref'));
  if (sha === undefined) throw unprocessable(`No commit found for SHA: ${request.param('ref')}`);
  return sha;
}

function combined(statuses: readonly StatusRecord[]): string {
  if (statuses.some((status) => status.state === 'error' || status.state === 'failure')) return 'failure';
  if (statuses.length === 0 || statuses.some((status) => status.state === 'pending')) return 'pending';
  return 'success';
}
