import type { Pull } from '../reconcile/forge/pulls.ts';
import type { RepositoryFacts } from '../reconcile/forge/repository.ts';
import type { RawPull } from './answer-shapes.ts';
import { authorOf, labelNames } from './repository-context.ts';
import { toRepository } from './repository.ts';

/** A pull request as it was read, with what is waited for before it is merged. */
export interface PullRead extends Pull {
  /** Null until the forge has computed it, and always null in lists. */
  readonly mergeable: boolean | null;
}

export function toPull(raw: RawPull): PullRead {
  return {
    number: raw.number,
    nodeId: raw.node_id,
    state: raw.state === 'open' ? 'open' : 'closed',
    draft: raw.draft ?? false,
    locked: raw.locked ?? false,
    merged: raw.merged ?? typeof raw.merged_at === 'string',
    mergedAt: raw.merged_at ?? null,
    mergedBy: raw.merged_by?.login ?? null,
    mergeCommitSha: raw.merge_commit_sha ?? null,
    title: raw.title,
    body: raw.body ?? '',
    ...authorOf(raw.user),
    labels: labelNames(raw.labels),
    headRef: raw.head.ref,
    headSha: raw.head.sha,
    headRepositoryId: raw.head.repo?.id ?? null,
    headRepository: raw.head.repo?.full_name ?? null,
    baseRef: raw.base.ref,
    ...(raw.base.repo && { baseRepository: withoutLabels(toRepository(raw.base.repo)) }),
    htmlUrl: raw.html_url,
    createdAt: raw.created_at,
    mergeable: raw.mergeable ?? null,
    mergeableState: raw.mergeable_state ?? null,
  };
}

/** A pull request tells no custom properties, which are labels too: half of them would be wrong. */
function withoutLabels({ labels: _labels, ...repository }: RepositoryFacts): Omit<RepositoryFacts, 'labels'> {
  return repository;
}
