import { z } from 'zod';

import type { ForgeContext } from '../context.ts';
import type { GitPerson, TreeEntry } from '../git-objects.ts';
import { isSha } from '../git-refs.ts';
import type { GitRepository } from '../git-repository.ts';
import { nodeId } from '../node-id.ts';
import { personOf } from '../people.ts';
import type { RepositoryRecord } from '../records.ts';
import { notFound, refusal, unprocessable } from '../refusal.ts';
import { bodyOf, created, ok } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { gitCommitShape, gitTagShape } from '../shapes/commit.ts';
import { writeSigned } from '../signatures.ts';
import { CONTENTS_READ, CONTENTS_WRITE } from './git-refs.ts';

/** A recursive tree is cut here. */
const MAX_TREE_ENTRIES = 100_000;
/** GitHub's limit for a blob through the API. */
const MAX_BLOB = 100 * 1024 * 1024;

const person = z.object({
  name: z.string(),
  email: z.string(),
  date: z.iso.datetime({ offset: true }).optional(),
});
const blobBody = z.object({ content: z.string(), encoding: z.enum(['utf-8', 'base64']).default('utf-8') });
const treeBody = z.object({
  base_tree: z.string().nullish(),
  tree: z.array(
    z.object({
      path: z.string().min(1),
      mode: z.enum(['100644', '100755', '040000', '160000', '120000']).default('100644'),
      type: z.enum(['blob', 'tree', 'commit']).optional(),
      sha: z.string().nullish(),
      content: z.string().optional(),
    }),
  ),
});
const commitBody = z.object({
  message: z.string(),
  tree: z.string(),
  parents: z.array(z.string()).default([]),
  author: person.partial({ date: true }).optional(),
  committer: person.partial().optional(),
  signature: z.string().optional(),
});
const tagBody = z.object({
  tag: z.string().min(1),
  message: z.string(),
  object: z.string(),
  type: z.enum(['commit', 'tree', 'blob']),
  tagger: person.optional(),
});

/** `/git/blobs`, `/git/trees`, `/git/commits`, `/git/tags`. */
export function addGitObjectRoutes(context: ForgeContext, router: Router): void {
  router.repo('GET', '/git/blobs/:sha', CONTENTS_READ, async (request) => {
    const found = await objectOf(context, request, 'blob');
    const raw = /\.raw\b/.test(request.accept);
    if (raw) return { status: 200, body: found, headers: { 'content-type': 'application/octet-stream' } };
    const sha = request.param('sha');
    return ok({
      sha,
      node_id: nodeId('Blob', `${request.repository.id}:${sha}`),
      size: found.length,
      url: context.urls.repoApi(request.repository, `/git/blobs/${sha}`),
      content: wrapBase64(found),
      encoding: 'base64',
    });
  });
  router.repo('POST', '/git/blobs', CONTENTS_WRITE, async (request) => {
    const { content, encoding } = bodyOf(request, blobBody);
    if (encoding === 'base64' && !isBase64(content)) throw unprocessable('content is not valid Base64');
    const bytes = Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');
    if (bytes.length > MAX_BLOB) throw unprocessable('The blob is too large');
    const sha = await context.git(request.repository).writeBlob(bytes);
    const url = context.urls.repoApi(request.repository, `/git/blobs/${sha}`);
    return created({ sha, url }, { location: url });
  });

  router.repo('GET', '/git/trees/:sha{.+}', CONTENTS_READ, async (request) => {
    const git = context.git(request.repository);
    const word = request.param('sha');
    const commit = isSha(word) ? undefined : await git.resolve(word);
    const tree = await git.info(`${commit ?? (isSha(word) ? word : '0')}^{tree}`);
    if (tree === undefined) throw notFound();
    const recursive = request.query('recursive') !== undefined;
    return ok(treeShape(context, request.repository, tree.sha, await git.tree(tree.sha, { recursive })));
  });
  router.repo('POST', '/git/trees', CONTENTS_WRITE, async (request) => {
    const { base_tree: base, tree } = bodyOf(request, treeBody);
    const git = context.git(request.repository);
    const baseTree = typeof base === 'string' ? await git.info(`${shaOr422(base)}^{tree}`) : undefined;
    if (typeof base === 'string' && baseTree === undefined)
      throw unprocessable('base_tree is not a tree oid');
    if (tree.length === 0 && baseTree === undefined) throw unprocessable('Invalid tree info');
    const entries = [];
    for (const entry of tree) entries.push(await checkedEntry(git, entry));
    const sha = await git.writeTree(entries, baseTree?.sha);
    const shape = treeShape(context, request.repository, sha, await git.tree(sha));
    return created(shape, { location: shape.url });
  });

  router.repo('GET', '/git/commits/:sha', CONTENTS_READ, async (request) => {
    const sha = request.param('sha');
    const commit = isSha(sha) ? await context.git(request.repository).commit(sha) : undefined;
    if (commit === undefined) throw notFound();
    return ok(gitCommitShape(context, request.repository, commit));
  });
  router.repo('POST', '/git/commits', CONTENTS_WRITE, async (request) => {
    const body = bodyOf(request, commitBody);
    const git = context.git(request.repository);
    if ((await git.info(shaOr422(body.tree)))?.type !== 'tree')
      throw unprocessable('Tree SHA does not exist');
    for (const parent of body.parents) {
      if ((await git.info(shaOr422(parent)))?.type !== 'commit') {
        throw unprocessable('Parent SHA does not exist or is not a commit object');
      }
    }
    const self = personOf(context, request.actor().user);
    const author = { ...self, ...defined(body.author) };
    const made = {
      tree: body.tree,
      parents: body.parents,
      message: body.message,
      author,
      committer: { ...author, ...defined(body.committer) },
    };
    const custom = body.author ?? body.committer ?? body.signature;
    const sha = await (request.viewer.kind === 'installation' && custom === undefined
      ? writeSigned(context, git, made)
      : git.writeCommit({ ...made, ...(body.signature !== undefined && { signature: body.signature }) }));
    const commit = await git.commit(sha);
    if (commit === undefined) throw notFound();
    const shape = gitCommitShape(context, request.repository, commit);
    return created(shape, { location: shape.url });
  });

  router.repo('GET', '/git/tags/:sha', CONTENTS_READ, async (request) => {
    const sha = request.param('sha');
    const tag = isSha(sha) ? await context.git(request.repository).tag(sha) : undefined;
    if (tag === undefined) throw notFound();
    return ok(gitTagShape(context, request.repository, tag));
  });
  router.repo('POST', '/git/tags', CONTENTS_WRITE, async (request) => {
    const body = bodyOf(request, tagBody);
    const git = context.git(request.repository);
    if ((await git.info(shaOr422(body.object)))?.type !== body.type)
      throw unprocessable('Object does not exist or is of another type');
    if (/[\n\0]/.test(body.tag)) throw unprocessable('Invalid tag name');
    const sha = await git.writeTag({
      object: body.object,
      type: body.type,
      name: body.tag,
      message: body.message,
      tagger: { ...personOf(context, request.actor().user), ...defined(body.tagger) },
    });
    const tag = await git.tag(sha);
    if (tag === undefined) throw notFound();
    const shape = gitTagShape(context, request.repository, tag);
    return created(shape, { location: shape.url });
  });
}

function shaOr422(sha: string): string {
  if (!isSha(sha))
    throw refusal(422, 'The sha parameter must be exactly 40 characters and contain only [0-9a-f].');
  return sha;
}

const defined = (fields: { [K in keyof GitPerson]?: string | undefined } | undefined): Partial<GitPerson> =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined));

/** Node decodes whatever it can; GitHub refuses what is not Base64. */
export const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text);

/** Base64 in lines of 60, as GitHub sends it. */
export const wrapBase64 = (bytes: Buffer): string =>
  bytes
    .toString('base64')
    .replaceAll(/(.{60})/g, '$1\n')
    .replace(/([^\n])$/, '$1\n');

async function objectOf(context: ForgeContext, request: RepositoryRequest, type: 'blob'): Promise<Buffer> {
  const sha = request.param('sha');
  const found = isSha(sha) ? await context.git(request.repository).object(sha) : undefined;
  if (found?.type !== type) throw notFound();
  return found.content;
}

type EntryBody = z.output<typeof treeBody>['tree'][number];

/** One entry of a new tree: its object must exist and fit its mode. */
async function checkedEntry(
  git: GitRepository,
  entry: EntryBody,
): Promise<{ path: string; mode: string; sha: string | null }> {
  const parts = entry.path.split('/');
  // A NUL ends a name in git's trees: what follows it would be read as the next entry.
  if (
    entry.path.includes('\0') ||
    parts.some((part) => ['', '.', '..', '.git'].includes(part.toLowerCase()))
  ) {
    throw unprocessable('tree.path contains a malformed path component');
  }
  if (entry.content !== undefined) {
    if (typeof entry.sha === 'string')
      throw unprocessable('Must supply either tree.sha or tree.content, not both');
    return { path: entry.path, mode: entry.mode, sha: await git.writeBlob(Buffer.from(entry.content)) };
  }
  if (entry.sha === undefined) throw unprocessable('Must supply tree.sha or tree.content');
  if (entry.sha === null) return { path: entry.path, mode: entry.mode, sha: null };
  const type = entry.mode === '040000' ? 'tree' : entry.mode === '160000' ? 'commit' : 'blob';
  const info = await git.info(shaOr422(entry.sha));
  // A submodule's commit is elsewhere.
  if (type !== 'commit' && info?.type !== type)
    throw unprocessable(`tree.sha ${entry.sha} is not a valid ${type}`);
  return { path: entry.path, mode: entry.mode, sha: entry.sha };
}

interface TreeShape {
  readonly sha: string;
  readonly url: string;
  readonly tree: readonly Record<string, unknown>[];
  readonly truncated: boolean;
}

function treeShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  sha: string,
  entries: readonly TreeEntry[],
): TreeShape {
  const api = context.urls.repoApi(repository);
  return {
    sha,
    url: `${api}/git/trees/${sha}`,
    tree: entries.slice(0, MAX_TREE_ENTRIES).map((entry) => ({
      path: entry.path,
      mode: entry.mode,
      type: entry.type,
      sha: entry.sha,
      ...(entry.size === undefined ? {} : { size: entry.size }),
      ...(entry.type === 'commit' ? {} : { url: `${api}/git/${entry.type}s/${entry.sha}` }),
    })),
    truncated: entries.length > MAX_TREE_ENTRIES,
  };
}
