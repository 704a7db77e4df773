import { emitFor } from '../acting.ts';
import type { StatusRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { retryAutoMergeAt } from '../pulls/auto-merge.ts';
import type { AccountRecord, RepositoryRecord } from '../records.ts';
import { loadCommitShape } from '../rest/pull-commits.ts';
import { statusShape } from '../shapes/deployment.ts';
import type { Shape } from '../shapes/shape.ts';

interface NewStatus {
  readonly repository: RepositoryRecord;
  readonly sha: string;
  readonly by: AccountRecord;
  readonly appId?: number | null;
  readonly context: string;
  readonly state: StatusRecord['state'];
  readonly description?: string | null;
  readonly targetUrl?: string | null;
}

/** Stores a status of a commit, tells of it, and looks at what waited for it. */
export async function putStatus(
  context: ForgeContext,
  { repository, sha, by, appId = null, description = null, targetUrl = null, ...fields }: NewStatus,
): Promise<StatusRecord> {
  const commit = await loadCommitShape(context, repository, sha);
  const branches = await branchesAt(context, repository, sha);
  const status = context.store.transaction(() => {
    const made = collaborationStore(context.store).statuses.insert({
      repositoryId: repository.id,
      sha,
      state: fields.state,
      context: fields.context,
      description,
      targetUrl,
      creatorId: by.id,
      appId,
      createdAt: context.now(),
    });
    emitFor({
      context,
      repository,
      sender: by,
      event: 'status',
      action: '',
      payload: payload({ context, repository, status: made, commit, branches }),
    });
    return made;
  });
  retryAutoMergeAt(context, repository, sha);
  return status;
}

/** At most ten branches whose tip it is. */
async function branchesAt(
  context: ForgeContext,
  repository: RepositoryRecord,
  sha: string,
): Promise<Shape[]> {
  const refs = await context.git(repository).refs('refs/heads/');
  return refs
    .filter((ref) => ref.sha === sha)
    .slice(0, 10)
    .map((ref) => ({
      name: ref.ref.slice('refs/heads/'.length),
      commit: { sha, url: context.urls.repoApi(repository, `/commits/${sha}`) },
      protected: false,
    }));
}

function payload({
  context,
  repository,
  status,
  commit,
  branches,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly status: StatusRecord;
  readonly commit: Shape;
  readonly branches: readonly Shape[];
}): Shape {
  const shown = statusShape(context, repository, status);
  return {
    id: status.id,
    sha: status.sha,
    name: context.urls.fullName(repository),
    target_url: status.targetUrl,
    avatar_url: shown['avatar_url'],
    context: status.context,
    description: status.description,
    state: status.state,
    commit,
    branches,
    created_at: status.createdAt,
    updated_at: status.createdAt,
  };
}
