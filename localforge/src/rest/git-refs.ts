import { z } from 'zod';

import type { AppPermission } from '../access.ts';
import type { ForgeContext } from '../context.ts';
import { isRefName, isSha } from '../git-refs.ts';
import type { GitRef } from '../git-repository.ts';
import { nodeId } from '../node-id.ts';
import type { RepositoryRecord } from '../records.ts';
import type { RefsResult } from '../refs.ts';
import { conflict, forbidden, notFound, unprocessable } from '../refusal.ts';
import { bodyOf, created, noContent, ok, paginated } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';

export const CONTENTS_READ = { app: ['contents:read'] as AppPermission[], user: 'read' } as const;
export const CONTENTS_WRITE = { app: ['contents:write'] as AppPermission[], user: 'write' } as const;

const createBody = z.object({ ref: z.string(), sha: z.string() });
const updateBody = z.object({ sha: z.string(), force: z.boolean().default(false) });

/** `/git/ref`, `/git/refs`, `/git/matching-refs`. */
export function addGitRefRoutes(context: ForgeContext, router: Router): void {
  router.repo('GET', '/git/ref/:ref{.+}', CONTENTS_READ, async (request) => {
    const found = await present(context, request);
    return ok(refShape(context, request.repository, found));
  });
  router.repo('GET', '/git/matching-refs/:ref{.+}', CONTENTS_READ, async (request) =>
    list(context, request, `refs/${request.param('ref')}`),
  );
  router.repo('GET', '/git/matching-refs', CONTENTS_READ, (request) => list(context, request, 'refs/'));
  router.repo('GET', '/git/refs', CONTENTS_READ, (request) => list(context, request, 'refs/'));
  router.repo('GET', '/git/refs/:ref{.+}', CONTENTS_READ, async (request) =>
    ok(refShape(context, request.repository, await present(context, request))),
  );

  router.repo('POST', '/git/refs', CONTENTS_WRITE, async (request) => {
    const { ref, sha } = bodyOf(request, createBody);
    if (!isRefName(ref) || ref.startsWith('refs/pull/'))
      throw unprocessable("Reference name must start with 'refs/' and be valid.");
    const object = isSha(sha) ? await context.git(request.repository).info(sha) : undefined;
    if (object === undefined) throw unprocessable('Object does not exist');
    if (ref.startsWith('refs/heads/') && object.type !== 'commit')
      throw unprocessable('Object is not a commit');
    const git = context.git(request.repository);
    if ((await git.ref(ref)) !== undefined) throw unprocessable('Reference already exists');
    const result = await context.refs.update(request.repository, [{ ref, before: null, after: sha }], {
      actor: request.actor(),
    });
    demandMoved(result, 'Reference already exists');
    const shape = refShape(context, request.repository, { ref, sha, type: object.type });
    return created(shape, { location: shape.url });
  });

  router.repo('PATCH', '/git/refs/:ref{.+}', CONTENTS_WRITE, async (request) => {
    const { sha, force } = bodyOf(request, updateBody);
    const git = context.git(request.repository);
    const ref = `refs/${request.param('ref')}`;
    const before = await git.ref(ref);
    if (before === undefined) throw unprocessable('Reference does not exist');
    const object = isSha(sha) ? await git.info(sha) : undefined;
    if (object === undefined) throw unprocessable('Object does not exist');
    if (ref.startsWith('refs/heads/') && object.type !== 'commit')
      throw unprocessable('Object is not a commit');
    if (!force && !(await isFastForward(context, request.repository, before, object.sha))) {
      throw unprocessable('Update is not a fast forward');
    }
    const result = await context.refs.update(request.repository, [{ ref, before: before.sha, after: sha }], {
      actor: request.actor(),
    });
    demandMoved(result, 'Reference cannot be updated');
    return ok(refShape(context, request.repository, { ref, sha, type: object.type }));
  });

  router.repo('DELETE', '/git/refs/:ref{.+}', CONTENTS_WRITE, async (request) => {
    const ref = `refs/${request.param('ref')}`;
    const before = await context.git(request.repository).ref(ref);
    if (before === undefined) throw unprocessable('Reference does not exist');
    if (ref === `refs/heads/${request.repository.defaultBranch}`) {
      throw unprocessable('Cannot delete the default branch');
    }
    const result = await context.refs.update(request.repository, [{ ref, before: before.sha, after: null }], {
      actor: request.actor(),
    });
    demandMoved(result, 'Reference cannot be deleted');
    return noContent();
  });
}

/** Turns a refusal of the ref service into GitHub's answer. */
export function demandMoved(result: RefsResult, otherwise: string): void {
  if (result.ok) return;
  const [refusal] = result.refusals;
  if (refusal?.reason === 'stale info') throw conflict('Reference was updated by someone else');
  if (refusal?.reason.includes('`workflows` permission')) throw forbidden(refusal.reason);
  const lines = refusal?.explanation ?? [];
  // Policy has lines to show; git's own reasons do not.
  throw unprocessable(lines.length === 0 ? otherwise : lines.join('\n'));
}

async function present(context: ForgeContext, request: RepositoryRequest): Promise<GitRef> {
  const found = await context.git(request.repository).ref(`refs/${request.param('ref')}`);
  if (found === undefined) throw notFound();
  return found;
}

async function list(
  context: ForgeContext,
  request: RepositoryRequest,
  prefix: string,
): Promise<ReturnType<typeof paginated>> {
  const refs = await context.git(request.repository).refs(prefix);
  // Without page parameters GitHub answers all of them at once here.
  if (request.query('per_page') === undefined && request.query('page') === undefined) {
    return ok(refs.map((ref) => refShape(context, request.repository, ref)));
  }
  return paginated(request, refs, (ref) => refShape(context, request.repository, ref));
}

/** Tags move freely only by force, branches along their history. */
async function isFastForward(
  context: ForgeContext,
  repository: RepositoryRecord,
  before: GitRef,
  after: string,
): Promise<boolean> {
  if (before.sha === after) return true;
  if (before.type !== 'commit') return false;
  return context.git(repository).isAncestor(before.sha, after);
}

interface RefShape {
  readonly ref: string;
  readonly node_id: string;
  readonly url: string;
  readonly object: { readonly sha: string; readonly type: string; readonly url: string };
}

/** `git-ref`. */
function refShape(context: ForgeContext, repository: RepositoryRecord, ref: GitRef): RefShape {
  const api = context.urls.repoApi(repository);
  return {
    ref: ref.ref,
    node_id: nodeId('Ref', `${repository.id}:${ref.ref}`),
    url: `${api}/git/${ref.ref}`,
    object: { sha: ref.sha, type: ref.type, url: `${api}/git/${ref.type}s/${ref.sha}` },
  };
}
