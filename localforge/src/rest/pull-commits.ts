import type { ForgeContext } from '../context.ts';
import type { RepositoryRecord } from '../records.ts';
import { notFound } from '../refusal.ts';
import { linkHeader, pageOf } from '../request.ts';
import type { ForgeRequest, Reply, RepositoryRequest } from '../request.ts';
import { commitShape } from '../shapes/commit.ts';
import type { Shape } from '../shapes/shape.ts';

/** One page of a list of commits, of which only those shown are read. */
export async function commitShapes(
  context: ForgeContext,
  request: RepositoryRequest & ForgeRequest,
  shas: readonly string[],
): Promise<Reply> {
  const page = pageOf(request);
  const shown = shas.slice(page.offset, page.offset + page.perPage);
  const body: Shape[] = [];
  for (const sha of shown) body.push(await loadCommitShape(context, request.repository, sha));
  return { status: 200, body, headers: linkHeader(request, page, shas.length) };
}

/** `commit` of an object that must exist. */
export async function loadCommitShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  sha: string,
): Promise<Shape> {
  const commit = await context.git(repository).commit(sha);
  if (commit === undefined) throw notFound();
  return commitShape(context, repository, commit);
}
