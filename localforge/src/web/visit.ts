import { createSign, randomBytes } from 'node:crypto';

import { Octokit } from '@octokit/rest';
import type { RestEndpointMethodTypes } from '@octokit/rest';

import { hashOf } from '../auth.ts';
import type { ForgeContext } from '../context.ts';
import type { AccountRecord, RepositoryRecord, Role } from '../records.ts';

/** The data of a REST reply. */
export type Data<
  Scope extends keyof RestEndpointMethodTypes,
  Method extends keyof RestEndpointMethodTypes[Scope],
> = RestEndpointMethodTypes[Scope][Method] extends { response: { data: infer Found } } ? Found : never;

/** What was refused, to be said on the page that the form is on. */
export interface Refused {
  readonly status: number;
  readonly message: string;
  /** What was in the form. */
  readonly form: URLSearchParams;
}

/** One request for a page. */
export interface Visit {
  readonly context: ForgeContext;
  readonly url: URL;
  /** The address of this page on the forge, to come back to. */
  readonly here: string;
  /** Who reads; undefined: nobody, who sees what is public. */
  readonly viewer: AccountRecord | undefined;
  /** Those whom the reader can be: the users that have a token. */
  readonly users: readonly AccountRecord[];
  /** The REST API as the viewer, in process. */
  readonly api: Octokit;
  /** The REST API as the App itself. */
  readonly appApi: () => Octokit;
  readonly refused: Refused | undefined;
  /** A parameter of the path, decoded; '' without one. */
  readonly param: (name: string) => string;
}

/** A request for a page of a repository that the viewer may see. */
export interface RepositoryVisit extends Visit {
  readonly repository: RepositoryRecord;
  readonly role: Role;
  /** To be spread into the parameters of a call. */
  readonly at: { readonly owner: string; readonly repo: string };
  /** `/owner/name` */
  readonly root: string;
}

export interface Clients {
  readonly users: () => readonly AccountRecord[];
  readonly as: (user: AccountRecord | undefined) => Octokit;
  readonly asApp: () => Octokit;
}

const TOKEN_LIFE_MS = 3_600_000;
const TOKEN_MARGIN_MS = 300_000;
const silent = (): void => {};
const QUIET = { debug: silent, info: silent, warn: silent, error: silent };

/**
 * Clients of the REST API that call it in process, so that what is done on a page passes the same checks and tells the
 * same webhooks as any other call. Users' own tokens are not kept in clear text, so each gets one of an hour, in memory.
 */
export function makeClients(
  context: ForgeContext,
  api: (request: Request) => Response | Promise<Response>,
): Clients {
  const { tokens, accounts } = context.records;
  // The paginating client asks a reply for its address, which only one that came over the net has.
  const inProcess = async (url: string, init: RequestInit): Promise<Response> =>
    Object.defineProperty(await api(new Request(url, init)), 'url', { value: url });
  const minted = new Map<number, { client: Octokit; until: number; id: number }>();
  const client = (auth?: string): Octokit =>
    new Octokit({
      baseUrl: context.urls.api,
      log: QUIET,
      request: { fetch: inProcess },
      ...(auth === undefined ? {} : { auth }),
    });
  let known: { readonly newest: number; readonly users: readonly AccountRecord[] } | undefined;

  return {
    users: () => {
      const newest = tokens.all({ order: 'desc', limit: 1 })[0]?.id ?? 0;
      if (known?.newest === newest) return known.users;
      // Tokens without an end are those of the configuration; ours and the installations' have one.
      const ids = tokens.all().map((token) => (token.expiresAt === null ? token.userId : null));
      const users = [...new Set(ids)].map((id) => (id === null ? undefined : accounts.get(id)));
      known = { newest, users: users.filter((user) => user !== undefined) };
      return known.users;
    },
    as: (user) => {
      if (user === undefined) return client();
      const now = context.clock().getTime();
      const present = minted.get(user.id);
      if (present !== undefined && present.until - TOKEN_MARGIN_MS > now) return present.client;
      if (present !== undefined) tokens.remove(present.id);
      const token = `page_${randomBytes(27).toString('hex')}`;
      const until = now + TOKEN_LIFE_MS;
      const { id } = tokens.insert({
        hash: hashOf(token),
        userId: user.id,
        installationId: null,
        repositoryIds: null,
        permissions: null,
        expiresAt: new Date(until).toISOString(),
      });
      const made = { client: client(token), until, id };
      minted.set(user.id, made);
      return made.client;
    },
    asApp: () => client(appJwt(context)),
  };
}

/** The App's own signature, good for one minute. */
function appJwt(context: ForgeContext): string {
  const now = Math.floor(context.clock().getTime() / 1000);
  const claims = { iat: now, exp: now + 60, iss: context.app.id };
  const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  const signature = createSign('RSA-SHA256').update(signed).sign(context.app.privateKeyPem, 'base64url');
  return `${signed}.${signature}`;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
