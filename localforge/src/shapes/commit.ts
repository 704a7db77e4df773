import type { RestEndpointMethodTypes } from '@octokit/rest';

import type { ForgeContext } from '../context.ts';
import type { GitCommit, GitPerson } from '../git-objects.ts';
import type { GitTag } from '../git-objects.ts';
import type { DiffFile } from '../git-repository.ts';
import { nodeId } from '../node-id.ts';
import { accountByEmail } from '../people.ts';
import type { RepositoryRecord } from '../records.ts';
import { verificationOf } from '../signatures.ts';
import { simpleUser } from './account.ts';
import type { UserShape } from './account.ts';
import { diffEntry } from './diff-entry.ts';

type Commit = RestEndpointMethodTypes['repos']['getCommit']['response']['data'];
type GitCommitShape = RestEndpointMethodTypes['git']['getCommit']['response']['data'];
type GitTagShape = RestEndpointMethodTypes['git']['getTag']['response']['data'];
type DiffEntry = NonNullable<Commit['files']>[number];

/** A single commit lists at most this many files. */
export const MAX_FILES = 3000;

/** `commit`: with the change when `files` is given. */
export function commitShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  commit: GitCommit,
  files?: readonly DiffFile[],
): Commit {
  const api = context.urls.repoApi(repository);
  const web = context.urls.repoWeb(repository);
  const additions = files?.reduce((sum, file) => sum + file.additions, 0) ?? 0;
  const deletions = files?.reduce((sum, file) => sum + file.deletions, 0) ?? 0;
  return {
    sha: commit.sha,
    node_id: nodeId('Commit', `${repository.id}:${commit.sha}`),
    commit: {
      author: person(commit.author),
      committer: person(commit.committer),
      message: commit.message,
      tree: { sha: commit.tree, url: `${api}/git/trees/${commit.tree}` },
      url: `${api}/git/commits/${commit.sha}`,
      comment_count: 0,
      verification: verificationOf(context, commit, commit.committer),
    },
    url: `${api}/commits/${commit.sha}`,
    html_url: `${web}/commit/${commit.sha}`,
    comments_url: `${api}/commits/${commit.sha}/comments`,
    author: userOf(context, commit.author),
    committer: userOf(context, commit.committer),
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${api}/commits/${sha}`,
      html_url: `${web}/commit/${sha}`,
    })),
    ...(files === undefined
      ? {}
      : {
          stats: { total: additions + deletions, additions, deletions },
          files: files
            .slice(0, MAX_FILES)
            .map((file) => diffEntry(context, repository, file, commit.sha) as DiffEntry),
        }),
  };
}

/** `git-commit`: the answer of the git data endpoints. */
export function gitCommitShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  commit: GitCommit,
): GitCommitShape {
  const full = commitShape(context, repository, commit);
  const api = context.urls.repoApi(repository);
  const parent = (one: Commit['parents'][number]): GitCommitShape['parents'][number] => ({
    sha: one.sha,
    url: `${api}/git/commits/${one.sha}`,
    html_url: one.html_url ?? '',
  });
  return {
    sha: commit.sha,
    node_id: full.node_id,
    url: `${api}/git/commits/${commit.sha}`,
    html_url: full.html_url,
    author: person(commit.author),
    committer: person(commit.committer),
    tree: full.commit.tree,
    message: commit.message,
    parents: full.parents.map(parent),
    verification: verificationOf(context, commit, commit.committer),
  };
}

/** `git-tag`: an annotated tag. */
export function gitTagShape(context: ForgeContext, repository: RepositoryRecord, tag: GitTag): GitTagShape {
  const api = context.urls.repoApi(repository);
  return {
    node_id: nodeId('Tag', `${repository.id}:${tag.sha}`),
    tag: tag.name,
    sha: tag.sha,
    url: `${api}/git/tags/${tag.sha}`,
    message: tag.message,
    tagger: person(tag.tagger ?? { name: '', email: '', date: '1970-01-01T00:00:00Z' }),
    object: {
      sha: tag.object,
      type: tag.objectType,
      url: `${api}/git/${tag.objectType}s/${tag.object}`,
    },
    verification: verificationOf(context, tag, tag.tagger),
  };
}

const person = ({ name, email, date }: GitPerson): { name: string; email: string; date: string } => ({
  name,
  email,
  date,
});

function userOf(context: ForgeContext, one: GitPerson): UserShape | null {
  const account = accountByEmail(context, one.email);
  return account === undefined ? null : simpleUser(context, account);
}
