/** Where the head of a pull request lives: in the repository itself or in a fork. */
import type { PullRecord } from '../collaboration-records.ts';
import type { ForgeContext } from '../context.ts';
import type { GitRef } from '../git-repository.ts';
import type { RepositoryRecord } from '../records.ts';

/** The repository that the head branch is in; undefined when the fork is gone. */
export function headRepositoryOf(
  context: ForgeContext,
  repository: RepositoryRecord,
  pull: PullRecord,
): RepositoryRecord | undefined {
  return pull.headRepositoryId === undefined
    ? repository
    : context.records.repositories.get(pull.headRepositoryId);
}

/** The repository itself or that owner's fork of it. */
export function repositoryOfHead(
  context: ForgeContext,
  repository: RepositoryRecord,
  login: string,
): RepositoryRecord | undefined {
  const owner = context.records.accountByLogin(login);
  if (owner === undefined || owner.id === repository.ownerId) return owner && repository;
  return context.records.repositories.find('owner', [owner.id]).find((one) => one.parentId === repository.id);
}

/** The head branch as it stands, its commits brought into the repository where they are in a fork. */
export async function headIn(
  context: ForgeContext,
  repository: RepositoryRecord,
  source: RepositoryRecord,
  headRef: string,
): Promise<GitRef | undefined> {
  const name = `refs/heads/${headRef}`;
  const found = await context.git(source).ref(name);
  if (found !== undefined && source.id !== repository.id) {
    await context
      .git(repository)
      .run(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', context.git(source).directory, name]);
  }
  return found;
}
