import { createHash, randomUUID } from 'node:crypto';

import { Hono } from 'hono';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';

import { permits, roleAtLeast } from './access.ts';
import type { Needs } from './access.ts';
import { credentialOf, viewerOf } from './auth.ts';
import type { ForgeContext } from './context.ts';
import { beginCall, spendPoints } from './points.ts';
import type { RateLimiter } from './rate-limit.ts';
import { makeRateLimiter } from './rate-limit.ts';
import type { RepositoryRecord, Role } from './records.ts';
import { forbidden, notFound, refusal } from './refusal.ts';
import type { ForgeRequest, Reply } from './request.ts';
import { rootOf } from './rest/root.ts';
import type { Route, Router } from './router.ts';
import type { Actor, Viewer } from './viewer.ts';

/** Bytes of a request to the API, which is held in memory. */
const MAX_BODY = 50 * 1024 * 1024;
const API_VERSIONS = ['2022-11-28', '2026-03-10'];

/** The REST API as an app to be asked by fetch or behind a server, under `/api/v3` and at the root. */
export function makeApi(context: ForgeContext, router: Router): Hono {
  const app = new Hono();
  const limiter = makeRateLimiter(context);
  for (const route of router.routes()) {
    const byNumber = route.path.replace(/^\/repos\/:owner\/:repo/, '/repositories/:repository_id');
    for (const path of new Set([route.path, byNumber])) {
      for (const prefix of ['/api/v3', '']) {
        app.on(route.method, prefix + path, (http) => answer(context, limiter, route, http));
      }
    }
  }
  for (const path of ['/api/v3', '/api/v3/'])
    app.get(path, (http) => answer(context, limiter, rootOf(context), http));
  app.notFound(() => notFound().getResponse());
  app.onError((error) => {
    if (error instanceof HTTPException) return error.getResponse();
    context.log('a request failed', { error: error.stack ?? String(error) });
    return Response.json({ message: 'Server Error' }, { status: 500 });
  });
  return app;
}

async function answer(
  context: ForgeContext,
  limiter: RateLimiter,
  route: Route,
  http: Context,
): Promise<Response> {
  let viewer: Viewer = { kind: 'anonymous' };
  let endCall: (() => void) | undefined;
  try {
    viewer = viewerOf(context, credentialOf(http.req.header('authorization')));
    const version = http.req.header('x-github-api-version');
    if (version !== undefined && !API_VERSIONS.includes(version)) {
      throw refusal(400, `The API version ${version} is not supported.`);
    }
    endCall = beginCall(context, viewer);
    // What a GraphQL call costs is in its body.
    if (!route.path.endsWith('/graphql'))
      spendPoints(context, viewer, 'rest', route.method === 'GET' ? 1 : 5);
    limiter.admit(viewer, route.method);
    const request = await readRequest(context, route, viewer, http);
    const reply = await route.handler(request);
    if (route.method !== 'GET' && reply.status < 400) await tell(context, route, request, reply);
    return finish(limiter, viewer, http, reply);
  } catch (error) {
    const response =
      error instanceof HTTPException
        ? error.getResponse()
        : Response.json({ message: 'Server Error', status: '500' }, { status: 500 });
    if (!(error instanceof HTTPException)) {
      context.log('a request failed', {
        route: route.path,
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
    const headers = new Headers(response.headers);
    for (const [name, value] of Object.entries(commonHeaders(limiter, viewer))) headers.set(name, value);
    return new Response(response.body, { status: response.status, headers });
  } finally {
    endCall?.();
  }
}

async function readRequest(
  context: ForgeContext,
  route: Route,
  viewer: Viewer,
  http: Context,
): Promise<ForgeRequest> {
  const url = new URL(http.req.url);
  // Nothing that git or a file system knows has one in its name.
  if (/%00/.test(url.href)) throw refusal(400, 'The address has a NUL character.');
  const origin = new URL(context.urls.api);
  url.protocol = origin.protocol;
  url.host = origin.host;
  const request: ForgeRequest = {
    method: route.method,
    route: route.path,
    url,
    accept: http.req.header('accept') ?? '',
    viewer,
    body: undefined,
    param: (name) => http.req.param(name) ?? '',
    query: (name) => http.req.query(name),
    actor: () => actorOf(viewer),
  };
  const place = route.inRepository ? findRepository(context, request, http) : undefined;
  demand({ context, needs: route.needs, viewer, place, method: route.method });
  const body = await readBody(http);
  return { ...request, ...place, body };
}

/** The JSON body; undefined without one. */
async function readBody(http: Context): Promise<unknown> {
  if (http.req.method === 'GET') return undefined;
  if (Number(http.req.header('content-length') ?? 0) > MAX_BODY)
    throw refusal(413, 'The request is too large');
  const text = await http.req.text();
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw refusal(400, 'Problems parsing JSON');
  }
}

interface Place {
  readonly repository: RepositoryRecord;
  readonly role: Role;
}

/** The repository of the path if the viewer may know of it; a renamed one answers with a redirect. */
function findRepository(context: ForgeContext, request: ForgeRequest, http: Context): Place {
  const owner = request.param('owner');
  const name = request.param('repo');
  const number = Number(request.param('repository_id'));
  const repository =
    number > 0 ? context.records.repositories.get(number) : context.records.repositoryByName(owner, name);
  const moved =
    repository === undefined
      ? context.records.redirects.first('from', [`${owner}/${name}`.toLowerCase()])
      : undefined;
  const target = repository ?? (moved && context.records.repositories.get(moved.repositoryId));
  const role = target === undefined ? 'none' : context.access.viewerRole(request.viewer, target);
  if (target === undefined || role === 'none') {
    if (request.viewer.kind === 'app' && target !== undefined) return { repository: target, role };
    throw notFound();
  }
  if (repository === undefined) {
    const rest = http.req.path.replace(/^(?:\/api\/v3)?\/repos\/[^/]+\/[^/]+/, '');
    const location = context.urls.apiUrl(`/repositories/${target.id}${rest}${new URL(http.req.url).search}`);
    throw new HTTPException(request.method === 'GET' ? 301 : 307, {
      res: Response.json(
        { message: 'Moved Permanently', url: location, documentation_url: 'https://docs.github.com/rest' },
        { status: request.method === 'GET' ? 301 : 307, headers: { location } },
      ),
    });
  }
  return { repository: target, role };
}

/** Refuses what the viewer may not do, as GitHub words it. */
function demand({
  context,
  needs,
  viewer,
  place,
  method,
}: {
  readonly context: ForgeContext;
  readonly needs: Needs;
  readonly viewer: Viewer;
  readonly place: Place | undefined;
  readonly method: string;
}): void {
  if (needs === 'anyone') return;
  if (needs === 'app-jwt') {
    if (viewer.kind !== 'app') throw refusal(401, 'A JSON web token could not be decoded');
    return;
  }
  if (viewer.kind === 'app') {
    throw refusal(403, 'Resource not accessible by integration. Use an installation access token.');
  }
  if (needs === 'installation') {
    if (viewer.kind !== 'installation')
      throw forbidden(
        'You must authenticate with an installation access token in order to access this endpoint.',
      );
    return;
  }
  if (needs === 'signed-in') {
    if (viewer.kind === 'anonymous') throw refusal(401, 'Requires authentication');
    return;
  }
  if (place === undefined) {
    demandOutside(needs, viewer);
    return;
  }
  if (place.repository.archived && method !== 'GET' && needs.user !== 'admin') {
    throw forbidden('Repository was archived so is read-only.');
  }
  if (viewer.kind === 'installation') {
    const allowed = needs.app.length === 0 || needs.app.some((one) => permits(viewer.permissions, one));
    const publicRead = method === 'GET' && !place.repository.private;
    const inScope = context.access.inScope(viewer, place.repository);
    if (publicRead || (inScope && allowed)) return;
    throw refusal(403, 'Resource not accessible by integration', {
      headers: { 'x-accepted-github-permissions': needs.app.join('; ').replaceAll(':', '=') },
    });
  }
  if (viewer.kind === 'anonymous' && method !== 'GET') throw refusal(401, 'Requires authentication');
  if (roleAtLeast(place.role, needs.user)) return;
  throw needs.user === 'admin' ? forbidden('Must have admin rights to Repository.') : notFound();
}

function demandOutside(needs: Exclude<Needs, string>, viewer: Viewer): void {
  if (viewer.kind === 'anonymous') throw refusal(401, 'Requires authentication');
  if (viewer.kind !== 'installation' || needs.app.length === 0) return;
  if (!needs.app.some((one) => permits(viewer.permissions, one))) {
    throw forbidden('Resource not accessible by integration');
  }
}

function actorOf(viewer: Viewer): Actor {
  if (viewer.kind === 'user' || viewer.kind === 'installation') return viewer;
  throw viewer.kind === 'anonymous'
    ? refusal(401, 'Requires authentication')
    : forbidden('Resource not accessible by integration');
}

async function tell(context: ForgeContext, route: Route, request: ForgeRequest, reply: Reply): Promise<void> {
  const repository = (request as Partial<Place>).repository;
  await context.effect({
    kind: 'rest',
    method: route.method,
    route: route.path,
    repo: repository === undefined ? '' : context.urls.fullName(repository),
    detail: { path: request.url.pathname, body: request.body, reply: reply.body },
  });
}

const commonHeaders = (limiter: RateLimiter, viewer: Viewer): Record<string, string> => ({
  'x-github-request-id': randomUUID().toUpperCase(),
  'x-github-media-type': 'github.v3; format=json',
  'x-github-api-version-selected': API_VERSIONS[0] ?? '',
  'x-github-enterprise-version': '3.19.0',
  ...limiter.headers(viewer),
});

function finish(limiter: RateLimiter, viewer: Viewer, http: Context, reply: Reply): Response {
  const { body } = reply;
  const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const headers = new Headers({
    ...(text === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
    ...reply.headers,
  });
  for (const [name, value] of Object.entries(commonHeaders(limiter, viewer))) headers.set(name, value);
  if (http.req.method === 'GET' && reply.status === 200 && text !== undefined) {
    const etag = etagOf(text, http.req.header('authorization'));
    const modified = lastModified(body);
    headers.set('etag', etag);
    if (modified !== undefined) headers.set('last-modified', modified.toUTCString());
    headers.set('cache-control', 'private, max-age=60, s-maxage=60');
    headers.set('vary', 'Accept, Authorization, Cookie, X-GitHub-OTP');
    if (isUnchanged(http, etag, modified)) {
      limiter.refund(viewer);
      for (const [name, value] of Object.entries(limiter.headers(viewer))) headers.set(name, value);
      headers.delete('content-type');
      return new Response(null, { status: 304, headers });
    }
  }
  const empty = reply.status === 204 || text === undefined;
  return new Response(empty ? null : (text as string | Uint8Array<ArrayBuffer>), {
    status: reply.status,
    headers,
  });
}

/**
 * Of the answer and of who asks: the ETag of one token is none for another, even of the same installation (GitHub's support in
 * eclipse-csi/otterdog#201; github/docs#34689).
 */
function etagOf(text: string | Uint8Array, authorization: string | undefined): string {
  const digest = createHash('sha256')
    .update(text)
    .update(authorization ?? '');
  return `W/"${digest.digest('hex')}"`;
}

/** Single things tell when they changed; lists do not (bored-engineer/github-conditional-http-transport#1). */
function lastModified(body: unknown): Date | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const { updated_at: at } = body as { readonly updated_at?: unknown };
  return typeof at === 'string' ? new Date(at) : undefined;
}

function isUnchanged(http: Context, etag: string, modified: Date | undefined): boolean {
  const wanted = http.req.header('if-none-match');
  if (wanted !== undefined) {
    return wanted.split(/,\s*/).some((one) => one.replace(/^W\//, '') === etag.slice(2));
  }
  const since = Date.parse(http.req.header('if-modified-since') ?? '');
  return modified !== undefined && modified.getTime() <= since;
}
