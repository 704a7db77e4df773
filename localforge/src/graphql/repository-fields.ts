import { nodeId } from '../node-id.ts';
import { hasQueue } from '../pulls/merge-queue.ts';
import type { RepositoryRecord } from '../records.ts';
import { visible, type GraphqlCall } from './call.ts';
import { commitNode } from './pull-fields.ts';

type Fields = Record<string, unknown>;

/** What `Repository` says of its settings, its default branch and its queue. */
export function repositoryFields(call: GraphqlCall, repository: RepositoryRecord): Fields {
  const { context } = call;
  const parent = repository.parentId === undefined ? undefined : visible(call, repository.parentId);
  return {
    isArchived: repository.archived,
    isFork: repository.parentId !== undefined,
    visibility: repository.private ? 'PRIVATE' : 'PUBLIC',
    owner: () => {
      const { id, type, login, name } = context.records.account(repository.ownerId);
      const url = context.urls.webUrl(`/${login}`);
      return { __typename: type, id: nodeId(type, id), databaseId: id, login, name, url };
    },
    // Its own fields only; GitHub nests them as deep as is asked.
    parent: parent && {
      id: nodeId('Repository', parent.id),
      name: parent.name,
      nameWithOwner: context.urls.fullName(parent),
    },
    sshUrl: `git@${new URL(context.urls.web).host}:${context.urls.fullName(repository)}.git`,
    hasIssuesEnabled: repository.hasIssues,
    hasVulnerabilityAlertsEnabled: false,
    autoMergeAllowed: repository.allowAutoMerge,
    mergeCommitAllowed: repository.allowMergeCommit,
    rebaseMergeAllowed: repository.allowRebaseMerge,
    squashMergeAllowed: repository.allowSquashMerge,
    defaultBranchRef: () => branchRef(call, repository),
    mergeQueue: ({ branch = repository.defaultBranch }: { branch?: string }) =>
      hasQueue(context, repository, branch)
        ? { id: nodeId('MergeQueue', `${repository.id}/${branch}`) }
        : null,
  };
}

/** `Ref` of the default branch; null while there is none. */
async function branchRef(call: GraphqlCall, repository: RepositoryRecord): Promise<Fields | null> {
  const { context } = call;
  const name = repository.defaultBranch;
  const oid = await context.git(repository).resolve(`refs/heads/${name}`);
  if (oid === undefined) return null;
  return {
    id: nodeId('Ref', `${repository.id}/refs/heads/${name}`),
    name,
    target: commitNode(call, repository, oid),
  };
}
