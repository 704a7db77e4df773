import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

import { HTTPException } from 'hono/http-exception';

import { permits, roleAtLeast } from './access.ts';
import { credentialOf, viewerOf } from './auth.ts';
import type { ForgeContext } from './context.ts';
import { runGit, startGit } from './git-process.ts';
import { readPushHead, withReasons } from './pkt-line.ts';
import type { PushHead } from './pkt-line.ts';
import { gateText, pushReasons } from './push-hook.ts';
import type { RepositoryRecord } from './records.ts';
import type { RefServiceCore } from './ref-service.ts';
import { refusal } from './refusal.ts';
import type { Actor, Viewer } from './viewer.ts';

const PATH = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;
/** The commands of a push must fit in this. */
const MAX_HEAD = 8 * 1024 * 1024;

interface GitRequest {
  readonly repository: RepositoryRecord;
  readonly viewer: Viewer;
  readonly action: string;
  readonly query: string;
}

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
          await push(context, refs, hooksDirectory, found, request, response);
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
  response.writeHead(refused.status, {
    'content-type': 'text/plain; charset=utf-8',
    ...(refused.status === 401 ? { 'www-authenticate': 'Basic realm="GitHub"' } : {}),
  });
  response.end(`${refused.message}\n`);
}

/** Who asks for what; refuses as GitHub does: 401 to try with a name, 404 for what one may not know of, 403 for reading only. */
function admit(
  context: ForgeContext,
  request: IncomingMessage,
  asked: { owner: string; name: string; action: string; query: string },
): GitRequest {
  const writes =
    asked.action === 'git-receive-pack' || /(^|&)service=git-receive-pack(&|$)/.test(asked.query);
  const viewer = viewerOrRefuse(context, request.headers.authorization);
  const moved = context.records.redirects.first('from', [`${asked.owner}/${asked.name}`.toLowerCase()]);
  const repository =
    context.records.repositoryByName(asked.owner, asked.name) ??
    (moved && context.records.repositories.get(moved.repositoryId));
  const role = repository === undefined ? 'none' : context.access.viewerRole(viewer, repository);
  if (repository === undefined || role === 'none' || viewer.kind === 'app') {
    throw viewer.kind === 'anonymous'
      ? refusal(401, 'Repository not found.')
      : refusal(404, 'Repository not found.');
  }
  const fullName = context.urls.fullName(repository);
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
    const { stdout } = await runGit(args, { directory, env, input: await whole(all()) });
    response.writeHead(200, headers).end(stdout);
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

function protocolOf(request: IncomingMessage): Record<string, string> {
  const protocol = request.headers['git-protocol'];
  return typeof protocol === 'string' && /^[\w=:.-]{1,200}$/.test(protocol) ? { GIT_PROTOCOL: protocol } : {};
}

/** Starts `git http-backend` for one request, as a CGI program. */
function startBackend(
  context: ForgeContext,
  asked: GitRequest,
  request: IncomingMessage,
  extra: Readonly<Record<string, string>>,
): ReturnType<typeof startGit> {
  const directory = context.git(asked.repository).directory;
  const child = startGit(['http-backend'], {
    directory,
    env: {
      GIT_PROJECT_ROOT: directory,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: `/${asked.action}`,
      REQUEST_METHOD: request.method ?? 'GET',
      QUERY_STRING: asked.query,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      REMOTE_USER: asked.viewer.kind === 'anonymous' || asked.viewer.kind === 'app' ? '' : 'forge',
      REMOTE_ADDR: '127.0.0.1',
      ...protocolOf(request),
      ...extra,
    },
  });
  child.stderr.resume();
  child.stdin.on('error', () => {});
  return child;
}

function writeCgiHead(head: string, response: ServerResponse): void {
  let status = 200;
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}

async function push(
  context: ForgeContext,
  refs: RefServiceCore,
  hooksDirectory: string,
  asked: GitRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { repository } = asked;
  const actor = asked.viewer as Actor;
  const zipped = /gzip/.test(request.headers['content-encoding'] ?? '');
  const body = (zipped ? request.pipe(createGunzip()) : request) as Readable;
  const { head, start, rest } = await readHead(body);
  const changes = head.commands.filter((command) => command.before !== null || command.after !== null);
  if (changes.length === 0) {
    await run(startBackend(context, asked, request, {}), start, rest, response);
    return;
  }
  const reasons = pushReasons();
  let report: { head: string; body: Buffer } | undefined;
  const moved = await refs.push(repository, actor, changes, async (found) => {
    const backend = startBackend(context, asked, request, {
      GIT_CONFIG_KEY_1: 'core.hooksPath',
      GIT_CONFIG_VALUE_1: found.length === 0 ? '/dev/null' : hooksDirectory,
      FORGE_GATE: gateText(found),
      FORGE_REASONS: reasons.file,
    });
    report = await collect(backend, start, rest);
  });
  const told = await reasons.read();
  if (moved.length > 0) {
    await context.effect({
      kind: 'push',
      method: 'POST',
      route: '/:owner/:repo/git-receive-pack',
      repo: context.urls.fullName(repository),
      detail: { updates: moved },
    });
  }
  if (report === undefined) throw refusal(500, 'git http-backend gave no answer.');
  writeCgiHead(report.head, response);
  response.end(withReasons(report.body, told));
}

/** Reads until the commands are complete; `rest` goes on after `start`. */
async function readHead(
  body: Readable,
): Promise<{ head: PushHead; start: Buffer; rest: AsyncIterator<Buffer> }> {
  const rest = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  for (;;) {
    const next = await rest.next().catch(() => {
      throw refusal(400, 'The body of the push cannot be read.');
    });
    if (next.done === true) throw refusal(400, 'The push ended before its commands.');
    start = Buffer.concat([start, next.value]);
    if (start.length > MAX_HEAD) throw refusal(413, 'The push has too many refs.');
    try {
      const head = readPushHead(start);
      if (head !== undefined) return { head, start, rest };
    } catch {
      throw refusal(400, 'This is not a git push.');
    }
  }
}

/** Feeds the program and collects its whole answer, which for a push is short. */
async function collect(
  child: ReturnType<typeof startGit>,
  start: Buffer,
  rest: AsyncIterator<Buffer>,
): Promise<{ head: string; body: Buffer }> {
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = once(child, 'close');
  async function* all(): AsyncGenerator<Buffer> {
    yield start;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  }
  // A program that ends early has said why on its output.
  await pipeline(all(), child.stdin).catch(() => {});
  await closed;
  const output = Buffer.concat(chunks);
  const end = output.indexOf('\r\n\r\n');
  if (end < 0) throw refusal(500, 'git http-backend gave no answer.');
  return { head: output.toString('latin1', 0, end), body: output.subarray(end + 4) };
}

async function run(
  child: ReturnType<typeof startGit>,
  start: Buffer,
  rest: AsyncIterator<Buffer>,
  response: ServerResponse,
): Promise<void> {
  const answer = await collect(child, start, rest);
  writeCgiHead(answer.head, response);
  response.end(answer.body);
}
