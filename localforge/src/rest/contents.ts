import type { RestEndpointMethodTypes } from '@octokit/rest';
import { z } from 'zod';

import type { ForgeContext } from '../context.ts';
import type { GitPerson, TreeEntry } from '../git-objects.ts';
import { isSha } from '../git-refs.ts';
import type { GitRepository } from '../git-repository.ts';
import { personOf } from '../people.ts';
import type { RepositoryRecord } from '../records.ts';
import { conflict, notFound, refusal, unprocessable } from '../refusal.ts';
import { bodyOf, created, ok } from '../request.ts';
import type { Reply, RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { gitCommitShape } from '../shapes/commit.ts';
import { isBase64, wrapBase64 } from './git-objects.ts';
import { CONTENTS_READ, CONTENTS_WRITE, demandMoved } from './git-refs.ts';

/** Above this the JSON form has no content; above the second only the raw form works. */
const MAX_INLINE = 1024 * 1024;
const MAX_RAW = 100 * 1024 * 1024;
const MAX_DIRECTORY = 1000;

const person = z.object({ name: z.string(), email: z.string(), date: z.string().optional() });
const writeBody = z.object({
  message: z.string(),
  content: z.string().optional(),
  sha: z.string().optional(),
  branch: z.string().optional(),
  author: person.optional(),
  committer: person.optional(),
});

type FileCommit = RestEndpointMethodTypes['repos']['createOrUpdateFileContents']['response']['data'];

/** `/contents/{path}` and `/readme`. */
export function addContentsRoutes(context: ForgeContext, router: Router): void {
  const get = (request: RepositoryRequest): Promise<Reply> => read(context, request, pathOf(request));
  router.repo('GET', '/contents', CONTENTS_READ, get);
  router.repo('GET', '/contents/:path{.*}', CONTENTS_READ, get);
  router.repo('GET', '/readme', CONTENTS_READ, async (request) => {
    const commit = await commitOf(context, request);
    const readme = (await context.git(request.repository).tree(commit)).find((entry) =>
      /^readme(\.|$)/i.test(entry.path),
    );
    if (readme === undefined) throw notFound();
    return read(context, request, readme.path);
  });
  router.repo('PUT', '/contents/:path{.+}', CONTENTS_WRITE, (request) => write(context, request, false));
  router.repo('DELETE', '/contents/:path{.+}', CONTENTS_WRITE, (request) => write(context, request, true));
}

const pathOf = (request: RepositoryRequest): string => request.param('path').replaceAll(/^\/+|\/+$/g, '');

async function commitOf(context: ForgeContext, request: RepositoryRequest): Promise<string> {
  const word = request.query('ref');
  const sha = await context.git(request.repository).resolve(word ?? request.repository.defaultBranch);
  if (sha !== undefined) return sha;
  if (word === undefined) throw refusal(404, 'This repository is empty.');
  throw refusal(404, `No commit found for the ref ${word}`);
}

async function read(context: ForgeContext, request: RepositoryRequest, path: string): Promise<Reply> {
  const git = context.git(request.repository);
  const commit = await commitOf(context, request);
  const entry = path === '' ? undefined : await git.entry(commit, path);
  if (path !== '' && entry === undefined) throw notFound();
  const ref = request.query('ref') ?? request.repository.defaultBranch;
  if (entry === undefined || entry.type === 'tree') {
    const entries = await git.tree(commit, { path });
    return ok(
      entries
        .slice(0, MAX_DIRECTORY)
        .map((one) =>
          entryShape(
            context,
            request.repository,
            { ...one, path: path === '' ? one.path : `${path}/${one.path}` },
            ref,
          ),
        ),
    );
  }
  const shape = entryShape(context, request.repository, entry, ref);
  if (entry.type === 'commit') return ok({ ...shape, type: 'submodule', submodule_git_url: null });
  if ((entry.size ?? 0) > MAX_RAW) throw refusal(403, 'This API returns blobs up to 100 MB in size.');
  const content = (await git.object(entry.sha))?.content ?? Buffer.alloc(0);
  if (/\.raw\b/.test(request.accept)) {
    return {
      status: 200,
      body: content,
      headers: { 'content-type': 'application/vnd.github.raw; charset=utf-8' },
    };
  }
  if (entry.mode === '120000') return ok({ ...shape, type: 'symlink', target: content.toString() });
  const inline = content.length <= MAX_INLINE;
  return ok({ ...shape, content: inline ? wrapBase64(content) : '', encoding: inline ? 'base64' : 'none' });
}

/** An entry of a directory; a file's shape without its content. */
type EntryShape = Omit<NonNullable<FileCommit['content']>, 'download_url'> & {
  download_url: string | null;
  _links: { self: string; git: string; html: string };
};

function entryShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  entry: TreeEntry,
  ref: string,
): EntryShape {
  const encoded = entry.path.split('/').map(encodeURIComponent).join('/');
  const kind = entry.type === 'tree' ? 'tree' : 'blob';
  const self = context.urls.repoApi(repository, `/contents/${encoded}?ref=${encodeURIComponent(ref)}`);
  const git = context.urls.repoApi(repository, `/git/${kind}s/${entry.sha}`);
  const html = context.urls.repoWeb(repository, `/${kind}/${encodeURIComponent(ref)}/${encoded}`);
  return {
    name: entry.path.split('/').at(-1) ?? '',
    path: entry.path,
    sha: entry.sha,
    size: entry.size ?? 0,
    url: self,
    html_url: html,
    git_url: git,
    download_url:
      entry.type === 'blob'
        ? context.urls.repoWeb(repository, `/raw/${encodeURIComponent(ref)}/${encoded}`)
        : null,
    type:
      entry.type === 'tree'
        ? 'dir'
        : entry.mode === '120000'
          ? 'symlink'
          : entry.type === 'commit'
            ? 'submodule'
            : 'file',
    _links: { self, git, html },
  };
}

/** Makes one commit on a branch that sets or removes a file, if the file is still what the caller saw. */
async function write(context: ForgeContext, request: RepositoryRequest, removes: boolean): Promise<Reply> {
  // DELETE may say all of it in the query.
  const query = Object.fromEntries(request.url.searchParams);
  const asked = removes && request.body === undefined ? { ...request, body: query } : request;
  const body = bodyOf(asked, writeBody);
  const { repository } = request;
  const path = pathOf(request);
  if (
    path.includes('\0') ||
    path.split('/').some((part) => ['', '.', '..', '.git'].includes(part.toLowerCase()))
  ) {
    throw unprocessable('path contains a malformed path component');
  }
  if (!removes && body.content === undefined)
    throw unprocessable('Invalid request.\n\n"content" wasn\'t supplied.');
  if (!isBase64(body.content ?? '')) throw unprocessable('content is not valid Base64');
  const branch = body.branch ?? repository.defaultBranch;
  const git = context.git(repository);

  return context.refs.exclusive(repository, async () => {
    const head = await git.ref(`refs/heads/${branch}`);
    const isEmpty = head === undefined && (await git.refs('refs/heads/')).length === 0;
    if (head === undefined && (!isEmpty || removes)) throw refusal(404, `Branch ${branch} not found`);
    const present = head && (await git.entry(head.sha, path));
    checkSha(path, present, body.sha, removes);
    const blob = removes ? null : await git.writeBlob(Buffer.from(body.content ?? '', 'base64'));
    const baseTree = head && (await git.commit(head.sha))?.tree;
    const mode = present !== undefined && present.type === 'blob' ? present.mode : '100644';
    const tree = await git.writeTree([{ path, mode, sha: blob }], baseTree);
    const actor = request.actor();
    const self = personOf(context, actor.user);
    const sha = await git.writeCommit({
      tree,
      parents: head === undefined ? [] : [head.sha],
      message: body.message,
      author: named(body.author ?? body.committer, self),
      committer: named(body.committer, self),
    });
    const change = { ref: `refs/heads/${branch}`, before: head?.sha ?? null, after: sha };
    const result = await context.refs.update(repository, [change], { actor });
    if (!result.ok && result.refusals[0]?.explanation.length !== 0) {
      throw conflict(`Repository rule violations found\n\n${result.refusals[0]?.explanation.join('\n')}\n`);
    }
    demandMoved(result, `${path} could not be written`);
    return answer(context, repository, git, { sha, path, branch, isNew: present === undefined });
  });
}

/** GitHub's rules: a change needs the blob id of what it replaces. */
function checkSha(
  path: string,
  present: TreeEntry | undefined,
  sha: string | undefined,
  removes: boolean,
): void {
  if (present === undefined) {
    if (removes) throw notFound();
    if (sha !== undefined) throw conflict(`${path} does not match ${sha}`);
    return;
  }
  if (present.type === 'tree') throw unprocessable(`${path} is a directory`);
  if (sha === undefined) throw unprocessable('Invalid request.\n\n"sha" wasn\'t supplied.');
  if (!isSha(sha) || sha !== present.sha) throw conflict(`${path} does not match ${sha}`);
}

async function answer(
  context: ForgeContext,
  repository: RepositoryRecord,
  git: GitRepository,
  made: { readonly sha: string; readonly path: string; readonly branch: string; readonly isNew: boolean },
): Promise<Reply> {
  const [commit, entry] = await Promise.all([git.commit(made.sha), git.entry(made.sha, made.path)]);
  if (commit === undefined) throw notFound();
  const shape: Omit<FileCommit, 'content'> & { readonly content: EntryShape | null } = {
    content: entry === undefined ? null : entryShape(context, repository, entry, made.branch),
    commit: gitCommitShape(context, repository, commit),
  };
  return made.isNew ? created(shape) : ok(shape);
}

const named = (
  given: { readonly name: string; readonly email: string; readonly date?: string | undefined } | undefined,
  self: GitPerson,
): GitPerson =>
  given === undefined ? self : { name: given.name, email: given.email, date: given.date ?? self.date };
