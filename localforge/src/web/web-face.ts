import { Hono } from 'hono';
import type { Context } from 'hono';
import { html } from 'hono/html';
import { HTTPException } from 'hono/http-exception';

import type { ForgeContext } from '../context.ts';
import type { AccountRecord } from '../records.ts';
import { notFound } from '../refusal.ts';
import type { Router } from '../router.ts';
import type { Action } from './actions.ts';
import { NEW_APP_PATHS, newAppPage, REGISTER, registeredPage } from './app-registration.ts';
import { demandSamePerson, localPath, readForm } from './form.ts';
import { objectionTo, PAGE_HEADERS } from './guard.ts';
import type { Html } from './html.ts';
import { page } from './layout.ts';
import { isUntouched, looksSame, momentOf, versionOf, withVersion } from './live.ts';
import { refusedOf } from './refused.ts';
import { ACTIONS, PAGES, REPOSITORY_ACTIONS, REPOSITORY_PAGES } from './routes.ts';
import { SIGN_IN, signIn } from './sign-in.ts';
import { makeClients } from './visit.ts';
import type { Clients, Refused, RepositoryVisit, Visit } from './visit.ts';

type Handler = (request: Request) => Response | Promise<Response>;
/** As @hono/node-server calls it: with the connection that the request came by. */
type PageServer = (request: Request, server: { readonly incoming: Incoming }) => Promise<Response>;
type Incoming = { readonly socket: { readonly localAddress?: string | undefined } };
type Bindings = { Bindings: { refused?: Refused } };

const REPOSITORY = '/:owner/:repo';
const VIEWER_COOKIE = 'forge_viewer';

/**
 * Puts the pages for people in front of the API, at the addresses that `html_url` names. They are for the browser of
 * whoever runs the forge: the reader chooses which of the configured users to be, without a password.
 * @param api answers what is not for a page; the pages themselves call it for all that they change
 */
export function withPages(context: ForgeContext, router: Router, api: Handler): PageServer {
  const taken = new Set(['api', ...router.routes().map((route) => route.path.split('/')[1] ?? '')]);
  const clients = makeClients(context, api);
  const app = new Hono<Bindings>();
  const visit = (http: Context<Bindings>): Visit => visitOf(context, clients, http);
  const act = async (http: Context<Bindings>, action: Action<Visit>): Promise<Response> => {
    const form = await readForm(http.req.raw);
    const back = localPath(form.get('back'), http.req.url);
    try {
      const one = visit(http);
      demandSamePerson(form, one.viewer);
      const location = (await action(one, form)) ?? back;
      return new Response(null, { status: 303, headers: { location } });
    } catch (error) {
      const refused = refusedOf(error);
      if (refused === undefined) throw error;
      const again = new Request(new URL(back, http.req.url), { headers: http.req.raw.headers });
      const shown = await app.fetch(again, { refused: { ...refused, form } });
      return new Response(shown.body, { status: refused.status, headers: shown.headers });
    }
  };
  for (const [path, show] of PAGES) app.get(path, async (http) => answer(visit(http), http, show));
  for (const [path, show] of REPOSITORY_PAGES) {
    app.get(REPOSITORY + path, async (http) => answer(inRepository(visit(http)), http, show));
  }
  for (const [path, action] of ACTIONS) app.post(path, (http) => act(http, action));
  for (const [path, action] of REPOSITORY_ACTIONS) {
    app.post(REPOSITORY + path, (http) => act(http, async (one, form) => action(inRepository(one), form)));
  }
  for (const path of NEW_APP_PATHS) {
    app.post(path, async (http) =>
      htmlResponse(String(await newAppPage(visit(http), await readForm(http.req.raw)))),
    );
  }
  app.post(REGISTER, async (http) => {
    const fields = await readForm(http.req.raw);
    const one = visit(http);
    demandSamePerson(fields, one.viewer);
    return htmlResponse(String(await registeredPage(one, fields)));
  });
  app.post(SIGN_IN, async (http) => {
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
  app.notFound((http) => failed(visit(http), notFound()));
  app.onError((error, http) => {
    if (refusedOf(error) === undefined && !(error instanceof HTTPException))
      context.log('a page failed', { error: error.stack ?? String(error) });
    return failed(visit(http), error);
  });

  return async (request, { incoming }) => {
    if (!isForPages(request, taken)) return api(request);
    const objection = objectionTo(request, incoming.socket.localAddress, context.urls.web);
    const response =
      objection === undefined
        ? await app.fetch(request, {})
        : new Response(`${objection.message}\n`, { status: objection.status });
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

/** The user that the cookie names. */
function chosen(users: readonly AccountRecord[], cookies: string | undefined): AccountRecord | undefined {
  const found = new RegExp(`(?:^|;\\s*)${VIEWER_COOKIE}=([^;]*)`).exec(cookies ?? '')?.[1];
  return users.find((user) => encodeURIComponent(user.login) === found);
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

/** The page, or 304 where it looks as it did when the asker got it. */
async function answer<At extends Visit>(
  visit: At,
  http: Context<Bindings>,
  show: (visit: At) => Html | Response | Promise<Html | Response>,
): Promise<Response> {
  const moment = momentOf(visit.context, visit.viewer);
  const known = http.req.header('if-none-match');
  if (known !== undefined && isUntouched(known, moment)) return new Response(null, { status: 304 });
  const made = await show(visit);
  if (made instanceof Response) return made;
  const text = String(made);
  // A refused form is shown at the address that it was posted to, which is none to load again.
  if (visit.refused !== undefined) return htmlResponse(text);
  const version = versionOf(text, moment);
  if (looksSame(known, version)) return new Response(null, { status: 304, headers: { etag: version } });
  const response = htmlResponse(withVersion(text, version));
  response.headers.set('etag', version);
  return response;
}

const htmlResponse = (text: string, status = 200): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/html; charset=utf-8' } });

async function failed(visit: Visit, error: unknown): Promise<Response> {
  if (error instanceof HTTPException && error.status === 302) return error.getResponse();
  const refused = refusedOf(error) ?? { status: 500, message: 'The forge failed. Its log says more.' };
  // The API finds fault with the words of an address that leads nowhere; for a reader there is just nothing there.
  const { status, message } = refused.status === 422 ? { ...refused, status: 404 } : refused;
  const who = visit.viewer === undefined ? 'nobody' : visit.viewer.login;
  const text =
    status === 404
      ? html`<h1>Not found</h1>
          <p>
            There is nothing here, or <b>${who}</b> may not see it. You can switch to another person with “You
            are” above.
          </p>
          ${visit.viewer === undefined ? signIn(visit) : ''}`
      : html`<h1>That did not work</h1>
          <p>${message}</p>`;
  const note = visit.refused === undefined ? text : html``;
  return htmlResponse(String(await page(visit, status === 404 ? 'Not found' : 'Refused', note)), status);
}
