import type { RestEndpointMethodTypes } from '@octokit/rest';

import { roleAtLeast } from '../access.ts';
import type { ForgeContext } from '../context.ts';
import { nodeId } from '../node-id.ts';
import type { RepositoryRecord, Role } from '../records.ts';
import type { Viewer } from '../viewer.ts';
import { simpleOrganization, simpleUser } from './account.ts';
import { repositoryUrls } from './repository-urls.ts';

type FullRepository = RestEndpointMethodTypes['repos']['get']['response']['data'];
type MinimalRepository = RestEndpointMethodTypes['repos']['listForOrg']['response']['data'][number];
type PlainRepository =
  RestEndpointMethodTypes['apps']['listReposAccessibleToInstallation']['response']['data']['repositories'][number];

/** `repository`: in lists, pull requests' `base.repo` and webhook payloads. With a viewer it has `permissions`. */
export function repositoryShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  viewer?: Viewer,
): PlainRepository & MinimalRepository {
  const owner = context.records.account(repository.ownerId);
  const forks = context.records.repositories.count('parent', [repository.id]);
  return {
    id: repository.id,
    node_id: nodeId('Repository', repository.id),
    name: repository.name,
    full_name: context.urls.fullName(repository),
    private: repository.private,
    owner: simpleUser(context, owner),
    html_url: context.urls.repoWeb(repository),
    description: repository.description,
    fork: repository.parentId !== undefined,
    ...repositoryUrls(context, repository),
    created_at: repository.createdAt,
    updated_at: repository.updatedAt,
    pushed_at: repository.pushedAt,
    homepage: repository.homepage,
    size: 0,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: repository.hasIssues,
    has_projects: repository.hasProjects,
    has_downloads: true,
    has_wiki: repository.hasWiki,
    has_pages: false,
    has_discussions: false,
    forks_count: forks,
    mirror_url: null,
    archived: repository.archived,
    disabled: false,
    open_issues_count: 0,
    license: null,
    allow_forking: true,
    is_template: repository.isTemplate,
    web_commit_signoff_required: repository.webCommitSignoffRequired,
    topics: [...repository.topics],
    visibility: repository.private ? 'private' : 'public',
    forks,
    open_issues: 0,
    watchers: 0,
    default_branch: repository.defaultBranch,
    ...(viewer === undefined
      ? {}
      : { permissions: permissionFlags(context.access.viewerRole(viewer, repository)) }),
  };
}

/** `full-repository`: the answer of `GET /repos/{owner}/{repo}`. */
export function fullRepository(
  context: ForgeContext,
  repository: RepositoryRecord,
  viewer: Viewer,
): FullRepository {
  const owner = context.records.account(repository.ownerId);
  const plain = repositoryShape(context, repository, viewer);
  return {
    ...plain,
    owner: simpleUser(context, owner),
    ...(owner.type === 'Organization' ? { organization: simpleUser(context, owner) } : {}),
    ...familyOf(context, repository),
    ...mergeSettings(repository),
    network_count: 0,
    subscribers_count: 0,
    temp_clone_token: '',
    custom_properties: {},
  } as FullRepository;
}

/** What a fork says of the repository that it was made from. */
function familyOf(context: ForgeContext, repository: RepositoryRecord): Record<string, unknown> {
  const parent =
    repository.parentId === undefined ? undefined : context.records.repositories.get(repository.parentId);
  if (parent === undefined) return {};
  const shape = repositoryShape(context, parent);
  return { parent: shape, source: shape };
}

/** `repository` in webhook payloads, where `created_at` and `pushed_at` of a push are numbers. */
export function repositoryPayload(
  context: ForgeContext,
  repository: RepositoryRecord,
): Record<string, unknown> {
  return { ...repositoryShape(context, repository), custom_properties: {} };
}

/** The owner as `organization` of a payload; undefined for a person's repository. */
export function organizationPayload(context: ForgeContext, repository: RepositoryRecord): unknown {
  const owner = context.records.account(repository.ownerId);
  return owner.type === 'Organization'
    ? { ...simpleOrganization(context, owner), description: '' }
    : undefined;
}

/** GitHub's five flags for a role. */
export const permissionFlags = (
  role: Role,
): { admin: boolean; maintain: boolean; push: boolean; triage: boolean; pull: boolean } => ({
  admin: roleAtLeast(role, 'admin'),
  maintain: roleAtLeast(role, 'maintain'),
  push: roleAtLeast(role, 'write'),
  triage: roleAtLeast(role, 'triage'),
  pull: roleAtLeast(role, 'read'),
});

const mergeSettings = (repository: RepositoryRecord): Record<string, unknown> => ({
  allow_rebase_merge: repository.allowRebaseMerge,
  allow_squash_merge: repository.allowSquashMerge,
  allow_merge_commit: repository.allowMergeCommit,
  allow_auto_merge: repository.allowAutoMerge,
  allow_update_branch: repository.allowUpdateBranch,
  delete_branch_on_merge: repository.deleteBranchOnMerge,
  use_squash_pr_title_as_default: false,
  squash_merge_commit_title: 'COMMIT_OR_PR_TITLE',
  squash_merge_commit_message: 'COMMIT_MESSAGES',
  merge_commit_title: 'MERGE_MESSAGE',
  merge_commit_message: 'PR_TITLE',
});
