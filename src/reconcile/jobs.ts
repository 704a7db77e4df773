/** Pure: the jobs there are, and the key of each. Of two jobs with the same key that wait, the newer stays. */
import type { Job, RepositoryRef } from './ports.ts';

export function sweepJob(): Job {
  return { kind: 'sweep', key: 'all', data: {} };
}

export function repositorySweepJob(repository: RepositoryRef): Job {
  return { kind: 'sweep-repository', key: `sweep:${repository.id}`, data: { repository } };
}

/** A branch was pushed. */
export function branchJob(repository: RepositoryRef, ref: string): Job {
  return { kind: 'branch', key: `branch:${repository.id}:${ref}`, data: { repository, ref } };
}

/** Index the repository and look at everything downstream of it. */
export function repositoryJob(repository: RepositoryRef): Job {
  return { kind: 'repository', key: `repository:${repository.id}`, data: { repository } };
}

export function publicationJob(repository: RepositoryRef): Job {
  return { kind: 'publication', key: `publication:${repository.id}`, data: { repository } };
}

export function proposalJob(repository: RepositoryRef, number: number): Job {
  return { kind: 'proposal', key: `proposal:${repository.id}#${number}`, data: { repository, number } };
}

/** Every comment has its own key: none replaces another. */
export function commentJob(
  repository: RepositoryRef,
  number: number,
  source: { readonly kind: 'comment' | 'review'; readonly id: number },
): Job {
  return {
    kind: 'comment',
    key: `comment:${repository.id}#${number}/${source.kind}/${source.id}`,
    data: { repository, number, source },
    priority: 10,
  };
}

/**
 * Look at one downstream package; `asked` is a revision that somebody asked for, and where. That has a key of its own,
 * so that a look that nobody asked for does not take its place.
 */
export function variantJob(
  repository: RepositoryRef,
  path: string,
  asked?: { readonly to: string; readonly askedIn: number },
): Job {
  return {
    kind: 'variant',
    key: `variant:${repository.id}:${path}${asked === undefined ? '' : ':asked'}`,
    data: { repository, package: path, ...asked },
  };
}
