import type { RestEndpointMethodTypes } from '@octokit/rest';

import type { ForgeContext } from '../context.ts';
import type { GitCommit } from '../git-objects.ts';
import type { GitRepository } from '../git-repository.ts';
import { nodeId } from '../node-id.ts';
import { emailOf } from '../people.ts';
import type { RepositoryRecord } from '../records.ts';
import { conflict, notFound, refusal, unprocessable } from '../refusal.ts';
import { linkHeader, ok, pageOf, paginated } from '../request.ts';
import type { Reply, RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { commitShape, MAX_FILES } from '../shapes/commit.ts';
import { diffEntry } from '../shapes/diff-entry.ts';
import { CONTENTS_READ } from './git-refs.ts';

type Comparison = RestEndpointMethodTypes['repos']['compareCommitsWithBasehead']['response']['data'];

/** A comparison lists at most this many commits without pages, and files only on its first page. */
const MAX_COMPARED_COMMITS = 250;
const MAX_COMPARED_FILES = 300;

/** `/commits`, `/compare`, `/tags`. */
export function addCommitRoutes(context: ForgeContext, router: Router): void {
  router.repo('GET', '/commits', CONTENTS_READ, (request) => listCommits(context, request));
  router.repo('GET', '/commits/:ref{.+}/branches-where-head', CONTENTS_READ, async (request) => {
    const sha = await resolved(context, request, request.param('ref'));
    const branches = await context.git(request.repository).refs('refs/heads/');
    const heads = branches.filter((branch) => branch.sha === sha);
    return ok(
      heads.map((branch) => ({
        name: branch.ref.slice('refs/heads/'.length),
        commit: { sha, url: context.urls.repoApi(request.repository, `/commits/${sha}`) },
        protected: false,
      })),
    );
  });
  router.repo('GET', '/commits/:ref{.+}', CONTENTS_READ, (request) => getCommit(context, request));
  router.repo('GET', '/compare/:basehead{.+}', CONTENTS_READ, (request) => compare(context, request));
  router.repo('GET', '/tags', CONTENTS_READ, (request) => listTags(context, request));
}

async function listCommits(context: ForgeContext, request: RepositoryRequest): Promise<Reply> {
  const { repository } = request;
  const git = context.git(repository);
  const word = request.query('sha') ?? repository.defaultBranch;
  const start = await git.resolve(word);
  if (start === undefined) {
    const isEmpty = (await git.refs('refs/heads/')).length === 0;
    throw isEmpty ? conflict('Git Repository is empty.') : notFound();
  }
  const page = pageOf(request);
  const path = (request.query('path') ?? '').replaceAll(/^\/+|\/+$/g, '');
  // git would call it outside of the repository; nothing was ever there.
  if (path.split('/').some((part) => part === '..' || part === '.')) return ok([]);
  const options = {
    include: [start],
    ...(path === '' ? {} : { paths: [path] }),
    ...time(request, 'since'),
    ...time(request, 'until'),
    ...authorOf(context, request),
  };
  // One more than the page tells whether there is a next one; the last page is not counted out, as on GitHub.
  const shas = await git.log({ ...options, limit: page.perPage + 1, offset: page.offset });
  const commits = await readCommits(git, shas.slice(0, page.perPage));
  const total = page.offset + shas.length;
  return {
    status: 200,
    body: commits.map((commit) => commitShape(context, repository, commit)),
    headers: linkHeader(request, page, total),
  };
}

/** A login stands for the address that is in the commits. */
function authorOf(context: ForgeContext, request: RepositoryRequest): { author?: string } {
  const author = request.query('author');
  if (author === undefined || author === '') return {};
  const account = context.records.accountByLogin(author);
  return { author: account === undefined ? author : emailOf(context, account) };
}

function time(request: RepositoryRequest, name: 'since' | 'until'): Record<string, string> {
  const text = request.query(name);
  if (text === undefined) return {};
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw unprocessable(`${name} is not a time`);
  return { [name]: date.toISOString() };
}

const readCommits = async (git: GitRepository, shas: readonly string[]): Promise<GitCommit[]> =>
  (await Promise.all(shas.map((sha) => git.commit(sha)))).filter((commit) => commit !== undefined);

async function resolved(context: ForgeContext, request: RepositoryRequest, word: string): Promise<string> {
  const sha = await context.git(request.repository).resolve(word);
  if (sha !== undefined) return sha;
  throw /^[0-9a-f]{40}$/.test(word) ? refusal(422, `No commit found for SHA: ${word}`) : notFound();
}

async function getCommit(context: ForgeContext, request: RepositoryRequest): Promise<Reply> {
  const { repository } = request;
  const git = context.git(repository);
  const word = request.param('ref');
  const sha = await git.resolve(word);
  if (sha === undefined) throw refusal(422, `No commit found for SHA: ${word}`);
  if (/\.sha\b/.test(request.accept)) {
    return { status: 200, body: sha, headers: { 'content-type': 'application/vnd.github.sha' } };
  }
  const commit = await git.commit(sha);
  if (commit === undefined) throw notFound();
  const [parent] = commit.parents;
  const text = textForm(request);
  if (text !== undefined) {
    const body = (
      await git.run([
        'show',
        '--no-color',
        text === 'patch' ? '--format=email' : '--format=',
        '-p',
        sha,
        '--',
      ])
    ).stdout;
    return {
      status: 200,
      body,
      headers: { 'content-type': `application/vnd.github.${text}; charset=utf-8` },
    };
  }
  const page = pageOf(request);
  const all = await git.diff(parent ?? null, sha);
  const perPage = request.query('per_page') === undefined ? MAX_FILES : page.perPage;
  const files = all.slice((page.page - 1) * perPage, page.page * perPage);
  const shape = commitShape(context, repository, commit, all);
  return {
    status: 200,
    body: { ...shape, files: files.map((file) => diffEntry(context, repository, file, sha)) },
    headers: request.query('per_page') === undefined ? {} : linkHeader(request, page, all.length),
  };
}

/** `diff` or `patch` when that was asked for. */
function textForm(request: RepositoryRequest): 'diff' | 'patch' | undefined {
  const match = /application\/vnd\.github(?:\.v3)?\.(diff|patch)\b/.exec(request.accept);
  return match?.[1] as 'diff' | 'patch' | undefined;
}

/** `base...head` compares head with the merge base; `base..head` the two trees, as git does. */
async function compare(context: ForgeContext, request: RepositoryRequest): Promise<Reply> {
  const { repository } = request;
  const git = context.git(repository);
  const match = /^(.+?)(\.\.\.?)(.+)$/.exec(request.param('basehead'));
  if (match === null) throw notFound();
  const [, baseWord = '', dots = '', headWord = ''] = match;
  const owner = context.records.account(repository.ownerId).login.toLowerCase();
  const bare = (word: string): string =>
    word.toLowerCase().startsWith(`${owner}:`) ? word.slice(owner.length + 1) : word;
  const [base, head] = await Promise.all([git.resolve(bare(baseWord)), git.resolve(bare(headWord))]);
  if (base === undefined || head === undefined) throw notFound();
  const mergeBase = await git.mergeBase(base, head);
  if (mergeBase === undefined) throw refusal(404, `No common ancestor between ${baseWord} and ${headWord}.`);
  const from = dots === '...' ? mergeBase : base;
  const text = textForm(request);
  if (text !== undefined) {
    return {
      status: 200,
      body: await git.diffText(from, head, text),
      headers: { 'content-type': `application/vnd.github.${text}; charset=utf-8` },
    };
  }

  const paged = request.query('per_page') !== undefined || request.query('page') !== undefined;
  const page = paged ? pageOf(request) : { page: 1, perPage: MAX_COMPARED_COMMITS, offset: 0 };
  const { ahead, behind } = await git.aheadBehind(base, head);
  const shas = await git.log({ include: [head], exclude: [base], reverse: true });
  const commits = await readCommits(git, shas.slice(page.offset, page.offset + page.perPage));
  const files = page.page === 1 ? await git.diff(from, head) : [];
  const [baseCommit, mergeCommit] = await readCommits(git, [base, mergeBase]);
  if (baseCommit === undefined || mergeCommit === undefined) throw notFound();
  const web = context.urls.repoWeb(repository, `/compare/${baseWord}...${headWord}`);
  const body: Comparison = {
    url: context.urls.repoApi(repository, `/compare/${baseWord}...${headWord}`),
    html_url: web,
    permalink_url: context.urls.repoWeb(repository, `/compare/${base}...${head}`),
    diff_url: `${web}.diff`,
    patch_url: `${web}.patch`,
    base_commit: commitShape(context, repository, baseCommit),
    merge_base_commit: commitShape(context, repository, mergeCommit),
    status: ahead > 0 && behind > 0 ? 'diverged' : ahead > 0 ? 'ahead' : behind > 0 ? 'behind' : 'identical',
    ahead_by: ahead,
    behind_by: behind,
    total_commits: ahead,
    commits: commits.map((commit) => commitShape(context, repository, commit)),
    files: files
      .slice(0, MAX_COMPARED_FILES)
      .map((file) => diffEntry(context, repository, file, head) as NonNullable<Comparison['files']>[number]),
  };
  return { status: 200, body, headers: paged ? linkHeader(request, page, ahead) : {} };
}

async function listTags(context: ForgeContext, request: RepositoryRequest): Promise<Reply> {
  const { repository } = request;
  const git = context.git(repository);
  const refs = await git.refs('refs/tags/');
  const page = pageOf(request);
  const newestFirst = refs.toReversed();
  const peeled = new Map<string, string>();
  for (const ref of newestFirst.slice(page.offset, page.offset + page.perPage)) {
    peeled.set(ref.ref, (ref.type === 'commit' ? ref.sha : await git.resolve(ref.ref)) ?? ref.sha);
  }
  return paginated(request, newestFirst, (ref) =>
    tagShape(context, repository, ref.ref, peeled.get(ref.ref) ?? ref.sha),
  );
}

function tagShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  ref: string,
  sha: string,
): RestEndpointMethodTypes['repos']['listTags']['response']['data'][number] {
  const name = ref.slice('refs/tags/'.length);
  return {
    name,
    zipball_url: context.urls.repoApi(repository, `/zipball/${ref}`),
    tarball_url: context.urls.repoApi(repository, `/tarball/${ref}`),
    commit: { sha, url: context.urls.repoApi(repository, `/commits/${sha}`) },
    node_id: nodeId('Ref', `${repository.id}:${ref}`),
  };
}
