import { Hono } from 'hono';
import type { Context } from 'hono';
import { html } from 'hono/html';
import { HTTPException } from 'hono/http-exception';

import type { ForgeContext } from '../context.ts';
import type { AccountRecord } from '../records.ts';
import { notFound } from '../refusal.ts';
import type { Router } from '../router.ts';
import { localPath, readForm } from './form.ts';
import { isOwnHost, isOwnPost, PAGE_HEADERS } from './guard.ts';
import type { Html } from './html.ts';
import { page } from './layout.ts';
import { refusedOf } from './refused.ts';
import { ACTIONS, PAGES } from './routes.ts';
import { makeClients } from './visit.ts';
import type { Clients, Refused, RepositoryVisit, Visit } from './visit.ts';

type Handler = (request: Request) => Response | Promise<Response>;
type Bindings = { Bindings: { refused?: Refused } };

const VIEWER_COOKIE = 'forge_viewer';

/**
 * Puts the pages for people in front of the API, at the addresses that `html_url` names. They are for the browser of
 * whoever runs the forge: the reader chooses which of the configured users to be, without a password.
 * @param api answers what is not for a page; the pages themselves call it for all that they change
 */
export function withPages(context: ForgeContext, router: Router, api: Handler): Handler {
  const taken = new Set(['api', ...router.routes().map((route) => route.path.split('/')[1] ?? '')]);
  const clients = makeClients(context, api);
  const app = new Hono<Bindings>();
  for (const [path, handler] of PAGES) {
    app.get(path, async (http) => {
      const visit = visitOf(context, clients, http);
      return answer(
        await handler(path.startsWith('/:owner/:repo') ? inRepository(visit) : (visit as RepositoryVisit)),
      );
    });
  }
  for (const [path, handler] of ACTIONS) {
    app.post(path, async (http) => {
      const form = await readForm(http.req.raw);
      const back = localPath(form.get('back'), http.req.url);
      const visit = visitOf(context, clients, http);
      try {
        const place = path.startsWith('/:owner/:repo') ? inRepository(visit) : (visit as RepositoryVisit);
        return new Response(null, {
          status: 303,
          headers: { location: (await handler(place, form)) ?? back },
        });
      } catch (error) {
        const refused = refusedOf(error);
        if (refused === undefined) throw error;
        const again = new Request(new URL(back, http.req.url), { headers: http.req.raw.headers });
        const shown = await app.fetch(again, { refused: { ...refused, form } });
        return new Response(shown.body, { status: refused.status, headers: shown.headers });
      }
    });
  }
  app.post('/settings/viewer', async (http) => {
    const form = await readForm(http.req.raw);
    const login = encodeURIComponent(form.get('login') ?? '');
    return new Response(null, {
      status: 303,
      headers: {
        location: localPath(form.get('back'), http.req.url),
        'set-cookie': `${VIEWER_COOKIE}=${login}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000`,
      },
    });
  });
  app.notFound((http) => failed(visitOf(context, clients, http), notFound()));
  app.onError((error, http) => {
    if (refusedOf(error) === undefined) context.log('a page failed', { error: error.stack ?? String(error) });
    return failed(visitOf(context, clients, http), error);
  });

  return async (request) => {
    if (!isForPages(request, taken)) return api(request);
    const response = isOwnHost(request, context.urls.web)
      ? request.method !== 'POST' || isOwnPost(request)
        ? await app.fetch(request, {})
        : plain(403, 'Forms are taken from pages of this forge alone.')
      : plain(421, `Open the forge at ${context.urls.web}.`);
    for (const [name, value] of Object.entries(PAGE_HEADERS)) {
      if (!response.headers.has(name)) response.headers.set(name, value);
    }
    return response;
  };
}

/** Whether this is for a reader of pages and not for a client of the API, which shares the root. */
function isForPages(request: Request, taken: ReadonlySet<string>): boolean {
  if (!['GET', 'HEAD', 'POST'].includes(request.method)) return false;
  const { pathname } = new URL(request.url);
  if (taken.has(pathname.split('/')[1] ?? '')) return false;
  if (request.method === 'POST') return true;
  const accept = request.headers.get('accept') ?? '*/*';
  return accept.includes('text/html') || accept.includes('*/*');
}

function visitOf(context: ForgeContext, clients: Clients, http: Context<Bindings>): Visit {
  const url = new URL(http.req.url);
  const users = clients.users();
  const viewer = chosen(users, http.req.header('cookie'));
  return {
    context,
    url,
    here: url.pathname + url.search,
    users,
    viewer,
    api: clients.as(viewer),
    appApi: clients.asApp,
    refused: http.env.refused,
    param: (name) => http.req.param(name) ?? '',
  };
}

/** The user that the cookie names, or the first one; nobody when it says so. */
function chosen(users: readonly AccountRecord[], cookies: string | undefined): AccountRecord | undefined {
  const found = new RegExp(`(?:^|;\\s*)${VIEWER_COOKIE}=([^;]*)`).exec(cookies ?? '')?.[1];
  if (found === '') return undefined;
  return users.find((user) => encodeURIComponent(user.login) === found) ?? users[0];
}

/** @throws a refusal when the viewer may not know of the repository, or a redirect when it has another name by now */
function inRepository(visit: Visit): RepositoryVisit {
  const { records, access, urls } = visit.context;
  const [owner, name] = [visit.param('owner'), visit.param('repo')];
  const moved = records.redirects.first('from', [`${owner}/${name}`.toLowerCase()]);
  const repository =
    records.repositoryByName(owner, name) ?? (moved && records.repositories.get(moved.repositoryId));
  const { viewer } = visit;
  const open = repository?.private === false ? 'read' : 'none';
  const role = repository !== undefined && viewer !== undefined ? access.roleOf(viewer, repository) : open;
  if (repository === undefined || role === 'none') throw notFound();
  const root = `/${urls.fullName(repository)}`;
  const asked = `/${owner}/${name}`;
  if (root !== asked && visit.url.pathname.startsWith(asked)) {
    const location = root + visit.here.slice(asked.length);
    throw new HTTPException(302, { res: new Response(null, { status: 302, headers: { location } }) });
  }
  const [ownerLogin = '', repo = ''] = urls.fullName(repository).split('/');
  return { ...visit, repository, role, root, at: { owner: ownerLogin, repo } };
}

async function answer(made: Html | Response): Promise<Response> {
  if (made instanceof Response) return made;
  return new Response(String(await made), { headers: { 'content-type': 'text/html; charset=utf-8' } });
}

async function failed(visit: Visit, error: unknown): Promise<Response> {
  if (error instanceof HTTPException && error.status === 302) return error.getResponse();
  const { status, message } = refusedOf(error) ?? {
    status: 500,
    message: 'The forge failed. Its log says more.',
  };
  const who = visit.viewer === undefined ? 'nobody' : visit.viewer.login;
  const text =
    status === 404
      ? html`<h1>Not found</h1>
          <p>
            There is nothing here, or <b>${who}</b> may not see it. You can be somebody else with “You are”
            above.
          </p>`
      : html`<h1>That did not work</h1>
          <p>${message}</p>`;
  const note = visit.refused === undefined ? text : html``;
  const response = await answer(page(visit, status === 404 ? 'Not found' : 'Refused', note));
  return new Response(response.body, { status, headers: response.headers });
}

const plain = (status: 403 | 421, message: string): Response => new Response(`${message}\n`, { status });
