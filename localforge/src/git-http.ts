import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

import { HTTPException } from 'hono/http-exception';

import { permits, roleAtLeast } from './access.ts';
import { credentialOf, viewerOf } from './auth.ts';
import type { ForgeContext } from './context.ts';
import { collect, protocolOf, startBackend, writeCgiHead } from './git-backend.ts';
import type { GitRequest } from './git-backend.ts';
import { runGit, startGit } from './git-process.ts';
import { receivePush } from './git-receive.ts';
import { answerLsRefs } from './ref-files.ts';
import type { RefServiceCore } from './ref-service.ts';
import { refusal } from './refusal.ts';
import type { Viewer } from './viewer.ts';

const PATH = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

export interface GitHttp {
  /** Answers a request of git's smart HTTP protocol; false when it is not one. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Smart HTTP through `git http-backend` (CGI), which sees only requests that are allowed. */
export function makeGitHttp(context: ForgeContext, refs: RefServiceCore, hooksDirectory: string): GitHttp {
  return {
    handle: (request, response) => {
      const [path = '', query = ''] = (request.url ?? '').split('?');
      const match = PATH.exec(path);
      if (match === null) return false;
      const [, owner = '', name = '', action = ''] = match;
      serve({ owner: decode(owner), name: decode(name), action, query }).catch((error: unknown) => {
        if (!(error instanceof HTTPException)) context.log('a git request failed', { error: String(error) });
        if (response.headersSent) response.destroy();
        else refuse(response, error instanceof HTTPException ? error : refusal(500, 'Internal error'));
      });
      return true;

      async function serve(asked: {
        owner: string;
        name: string;
        action: string;
        query: string;
      }): Promise<void> {
        const found = admit(context, request, asked);
        if (found.action === 'git-receive-pack')
          await receivePush({ context, refs, hooksDirectory, asked: found, request, response });
        else await fetchOrAdvertise(context, found, request, response);
      }
    },
  };
}

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

function refuse(response: ServerResponse, refused: HTTPException): void {
  const location = refused.getResponse().headers.get('location');
  response.writeHead(refused.status, {
    'content-type': 'text/plain; charset=utf-8',
    ...(location === null ? {} : { location }),
    ...(refused.status === 401 ? { 'www-authenticate': 'Basic realm="GitHub"' } : {}),
  });
  response.end(`${refused.message}\n`);
}

/**
 * Who asks for what; refuses as GitHub does: 401 to try with a name, 404 for what one may not know of, 403 for reading only,
 * 301 for a former name (losakovvitalik/plantar#144: "GitHub answers 301 for the old path of a repository that was renamed").
 */
function admit(
  context: ForgeContext,
  request: IncomingMessage,
  asked: { owner: string; name: string; action: string; query: string },
): GitRequest {
  const writes =
    asked.action === 'git-receive-pack' || /(^|&)service=git-receive-pack(&|$)/.test(asked.query);
  const viewer = viewerOrRefuse(context, request.headers.authorization);
  const moved = context.records.redirects.first('from', [`${asked.owner}/${asked.name}`.toLowerCase()]);
  const named = context.records.repositoryByName(asked.owner, asked.name);
  const repository = named ?? (moved && context.records.repositories.get(moved.repositoryId));
  const role = repository === undefined ? 'none' : context.access.viewerRole(viewer, repository);
  if (repository === undefined || role === 'none' || viewer.kind === 'app') {
    throw viewer.kind === 'anonymous'
      ? refusal(401, 'Repository not found.')
      : refusal(404, 'Repository not found.');
  }
  const fullName = context.urls.fullName(repository);
  if (named === undefined) {
    const question = asked.query === '' ? '' : `?${asked.query}`;
    const location = context.urls.webUrl(`/${fullName}.git/${asked.action}${question}`);
    throw refusal(301, 'Moved Permanently', { headers: { location } });
  }
  if (writes) {
    if (viewer.kind === 'anonymous') throw refusal(401, 'No anonymous write access.');
    const allowed =
      viewer.kind === 'installation'
        ? context.access.inScope(viewer, repository) && permits(viewer.permissions, 'contents:write')
        : roleAtLeast(role, 'write');
    if (!allowed) throw refusal(403, `Permission to ${fullName}.git denied to ${viewer.user.login}.`);
    if (repository.archived) throw refusal(403, 'This repository was archived so it is read-only.');
  } else if (
    viewer.kind === 'installation' &&
    repository.private &&
    !permits(viewer.permissions, 'contents:read')
  ) {
    throw refusal(403, 'Write access to repository not granted.');
  }
  return { repository, viewer, action: asked.action, query: asked.query };
}

function viewerOrRefuse(context: ForgeContext, header: string | undefined): Viewer {
  try {
    return viewerOf(context, credentialOf(header));
  } catch (error) {
    if (error instanceof HTTPException) throw refusal(error.status, 'Invalid username or token.');
    throw error;
  }
}

async function fetchOrAdvertise(
  context: ForgeContext,
  asked: GitRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const wellFormed =
    request.method === 'POST' && request.headers['content-type'] === 'application/x-git-upload-pack-request';
  if (asked.action === 'git-upload-pack' && wellFormed) {
    await uploadPack(context, asked, request, response);
    return;
  }
  const key = capabilitiesOnly(asked, request) ? 'version 2' : undefined;
  const known = key === undefined ? undefined : advertisements.get(key);
  if (known !== undefined) {
    writeCgiHead(known.head, response);
    response.end(known.body);
    return;
  }
  const backend = startBackend(context, asked, request, {});
  response.on('close', () => backend.kill());
  const answer = await collect(backend, Buffer.alloc(0), request[Symbol.asyncIterator]());
  if (key !== undefined && answer.body.includes('version 2\n')) advertisements.set(key, answer);
  writeCgiHead(answer.head, response);
  response.end(answer.body);
}

/** In protocol 2 the first answer says what the server can do and names no ref: it is the same for every repository. */
const advertisements = new Map<string, { readonly head: string; readonly body: Buffer }>();

function capabilitiesOnly(asked: GitRequest, request: IncomingMessage): boolean {
  return asked.query === 'service=git-upload-pack' && request.headers['git-protocol'] === 'version=2';
}

/** What `git http-backend` would start for this request. */
async function uploadPack(
  context: ForgeContext,
  asked: GitRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { directory } = context.git(asked.repository);
  const args = ['upload-pack', '--strict', '--stateless-rpc', directory];
  const env = protocolOf(request);
  const zipped = /gzip/.test(request.headers['content-encoding'] ?? '');
  const body = (zipped ? request.pipe(createGunzip()) : request) as AsyncIterable<Buffer>;
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  const start = first.done === true ? Buffer.alloc(0) : first.value;
  const headers = {
    'content-type': 'application/x-git-upload-pack-result',
    'cache-control': 'no-cache, max-age=0, must-revalidate',
  };
  async function* all(): AsyncGenerator<Buffer> {
    yield start;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  }
  if (ASKS_FOR_REFS.test(start.toString('latin1', 0, 24))) {
    // The usual question, with a short answer.
    const input = await whole(all());
    const quick = env['GIT_PROTOCOL'] === 'version=2' ? await answerLsRefs(directory, input) : undefined;
    const answer = quick ?? (await runGit(args, { directory, env, input })).stdout;
    response.writeHead(200, headers).end(answer);
    return;
  }
  const child = startGit(args, { directory, env });
  child.stderr.resume();
  response.on('close', () => child.kill());
  const fed = pipeline(all(), child.stdin).catch(() => {});
  response.writeHead(200, headers);
  await pipeline(child.stdout, response);
  await fed;
}

/** The first line of a request in protocol 2 (gitprotocol-v2(5)). */
const ASKS_FOR_REFS = /^[0-9a-f]{4}command=ls-refs\n?/;

async function whole(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
