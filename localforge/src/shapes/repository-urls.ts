import type { ForgeContext } from '../context.ts';
import type { RepositoryRecord } from '../records.ts';

type RepositoryUrls = Record<
  | 'url'
  | 'archive_url'
  | 'assignees_url'
  | 'blobs_url'
  | 'branches_url'
  | 'collaborators_url'
  | 'comments_url'
  | 'commits_url'
  | 'compare_url'
  | 'contents_url'
  | 'contributors_url'
  | 'deployments_url'
  | 'downloads_url'
  | 'events_url'
  | 'forks_url'
  | 'git_commits_url'
  | 'git_refs_url'
  | 'git_tags_url'
  | 'hooks_url'
  | 'issue_comment_url'
  | 'issue_events_url'
  | 'issues_url'
  | 'keys_url'
  | 'labels_url'
  | 'languages_url'
  | 'merges_url'
  | 'milestones_url'
  | 'notifications_url'
  | 'pulls_url'
  | 'releases_url'
  | 'stargazers_url'
  | 'statuses_url'
  | 'subscribers_url'
  | 'subscription_url'
  | 'tags_url'
  | 'teams_url'
  | 'trees_url'
  | 'git_url'
  | 'ssh_url'
  | 'clone_url'
  | 'svn_url',
  string
>;

/** The address templates of a repository, as GitHub lists them. */
export function repositoryUrls(context: ForgeContext, repository: RepositoryRecord): RepositoryUrls {
  const api = context.urls.repoApi(repository);
  const web = context.urls.repoWeb(repository);
  const git = `${web}.git`;
  return {
    url: api,
    archive_url: `${api}/{archive_format}{/ref}`,
    assignees_url: `${api}/assignees{/user}`,
    blobs_url: `${api}/git/blobs{/sha}`,
    branches_url: `${api}/branches{/branch}`,
    collaborators_url: `${api}/collaborators{/collaborator}`,
    comments_url: `${api}/comments{/number}`,
    commits_url: `${api}/commits{/sha}`,
    compare_url: `${api}/compare/{base}...{head}`,
    contents_url: `${api}/contents/{+path}`,
    contributors_url: `${api}/contributors`,
    deployments_url: `${api}/deployments`,
    downloads_url: `${api}/downloads`,
    events_url: `${api}/events`,
    forks_url: `${api}/forks`,
    git_commits_url: `${api}/git/commits{/sha}`,
    git_refs_url: `${api}/git/refs{/sha}`,
    git_tags_url: `${api}/git/tags{/sha}`,
    hooks_url: `${api}/hooks`,
    issue_comment_url: `${api}/issues/comments{/number}`,
    issue_events_url: `${api}/issues/events{/number}`,
    issues_url: `${api}/issues{/number}`,
    keys_url: `${api}/keys{/key_id}`,
    labels_url: `${api}/labels{/name}`,
    languages_url: `${api}/languages`,
    merges_url: `${api}/merges`,
    milestones_url: `${api}/milestones{/number}`,
    notifications_url: `${api}/notifications{?since,all,participating}`,
    pulls_url: `${api}/pulls{/number}`,
    releases_url: `${api}/releases{/id}`,
    stargazers_url: `${api}/stargazers`,
    statuses_url: `${api}/statuses/{sha}`,
    subscribers_url: `${api}/subscribers`,
    subscription_url: `${api}/subscription`,
    tags_url: `${api}/tags`,
    teams_url: `${api}/teams`,
    trees_url: `${api}/git/trees{/sha}`,
    git_url: git.replace(/^https?:/, 'git:'),
    ssh_url: `git@${new URL(git).host}:${context.urls.fullName(repository)}.git`,
    clone_url: git,
    svn_url: web,
  };
}
