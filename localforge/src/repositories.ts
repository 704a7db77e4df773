import { createBareRepository } from './bare-repository.ts';
import type { ForgeContext } from './context.ts';
import type { RepositoryRecord } from './records.ts';

type Settings = Partial<Omit<RepositoryRecord, 'id' | 'ownerId' | 'name'>>;

/**
 * Makes a repository: first the git side under the number it will have, then the record, so that a crash between them
 * leaves nothing that can be seen.
 */
export async function createRepository(
  context: ForgeContext,
  wanted: { readonly ownerId: number; readonly name: string } & Settings,
): Promise<RepositoryRecord> {
  const now = context.now();
  const record: RepositoryRecord = {
    id: context.store.sequence('id:repository'),
    private: false,
    description: null,
    homepage: null,
    topics: [],
    defaultBranch: 'main',
    archived: false,
    hasIssues: true,
    hasProjects: true,
    hasWiki: true,
    isTemplate: false,
    allowMergeCommit: true,
    allowSquashMerge: true,
    allowRebaseMerge: true,
    allowAutoMerge: false,
    allowUpdateBranch: false,
    deleteBranchOnMerge: false,
    webCommitSignoffRequired: false,
    createdAt: now,
    updatedAt: now,
    pushedAt: now,
    ...wanted,
  };
  await createBareRepository(context.git(record).directory, record.defaultBranch);
  return context.store.transaction(() => {
    context.records.redirects
      .find('from', [context.urls.fullName(record).toLowerCase()])
      .forEach((redirect) => context.records.redirects.remove(redirect.id));
    return context.records.repositories.insert(record);
  });
}

/** Makes HEAD of the git side name the default branch. */
export async function pointHead(context: ForgeContext, repository: RepositoryRecord): Promise<void> {
  await context.git(repository).run(['symbolic-ref', 'HEAD', `refs/heads/${repository.defaultBranch}`]);
}
