import type { Pull } from '../reconcile/forge/pulls.ts';
import type { RepositoryFacts } from '../reconcile/forge/repository.ts';
import { authorOf, labelNames } from './repository-context.ts';
import { toRepository, type RawRepository } from './repository.ts';

/** A pull request as it was read, with what is waited for before it is merged. */
export interface PullRead extends Pull {
  /** Null until the forge has computed it, and always null in lists. */
  readonly mergeable: boolean | null;
}

interface RawUser {
  readonly id?: number;
  readonly login: string;
  readonly type?: string;
}

/** A pull request as lists, single answers and commits give it; not every field is everywhere. */
interface RawPull {
  readonly number: number;
  readonly node_id: string;
  readonly state: string;
  readonly draft?: boolean;
  readonly locked?: boolean;
  readonly merged?: boolean;
  readonly merged_at?: string | null;
  readonly merged_by?: RawUser | null;
  readonly merge_commit_sha?: string | null;
  readonly title: string;
  readonly body: string | null;
  readonly user: RawUser | null;
  readonly labels: readonly { readonly name?: string }[];
  readonly head: {
    readonly ref: string;
    readonly sha: string;
    readonly repo: { readonly id: number; readonly full_name?: string } | null;
  };
  readonly base: { readonly ref: string; readonly repo?: RawRepository };
  readonly html_url: string;
  readonly created_at: string;
  readonly mergeable?: boolean | null;
  readonly mergeable_state?: string;
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
