/**
 * HTTP to addresses that others chose. A name is resolved once, its answers are judged, and the connection goes to what was
 * judged: between a question and a connection no second answer comes in. Redirects are left to the caller, who asks for
 * the next address by the same way.
 */
import { lookup, type LookupAddress } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';

import { isPublicName } from '../config/public-name.ts';
import { PorticoError } from '../error.ts';
import { insideHostFor, type InsideHost } from './inside-host.ts';
import { isInternalAddress } from './internal-address.ts';
import { refused } from './judged-addresses.ts';

export interface OutsideRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /**
   * The address whose answer named this one: a redirect, a place for an upload. One outside leads to no host inside, not
   * even to one that may be reached.
   */
  readonly ledBy?: URL;
}

/**
 * One request, answered by whatever the host says: redirects are not followed and nothing is unpacked. Throws
 * `ADDRESS_REFUSED` for an address that may not be reached and `HOST_UNREACHABLE` where no answer came.
 */
export type OutsideFetch = (url: URL, request?: OutsideRequest) => Promise<Response>;

type Resolve = (
  name: string,
  done: (error: NodeJS.ErrnoException | null, found: readonly LookupAddress[]) => void,
) => void;

export interface OutsideFetchOptions {
  /** Hosts of one's own network that may be reached all the same. */
  readonly inside?: readonly InsideHost[];
  /** How long a connection may be silent. Default: 30 seconds. */
  readonly silentMs?: number;
  /** How names are resolved; the system's resolver unless given. */
  readonly resolve?: Resolve;
}

const SILENT_MS = 30_000;

/** Makes a client whose connections are kept open between requests. */
export function createOutsideFetch(options: OutsideFetchOptions = {}): OutsideFetch {
  const { inside = [], silentMs = SILENT_MS, resolve = resolveBySystem } = options;
  const settings = { keepAlive: true, maxSockets: 16, timeout: silentMs };
  // Two of each: a connection that was judged for a host inside serves nobody else.
  const agents = {
    judged: agentsWith({ ...settings, lookup: judgedLookup(resolve) }),
    allowed: agentsWith({ ...settings, lookup: plainLookup(resolve) }),
  };
  return async (url, request = {}) => {
    const { ledBy = url } = request;
    const host = insideHostFor(inside, ledBy) === undefined ? undefined : insideHostFor(inside, url);
    // What was asked with TLS is not answered without it, not even by a host that may be reached so.
    if (ledBy.protocol === 'https:' && url.protocol === 'http:') throw refused(url, 'is not https');
    checkAddress(url, host);
    request.signal?.throwIfAborted();
    const agent = (host === undefined ? agents.judged : agents.allowed)[
      url.protocol === 'http:' ? 'http' : 'https'
    ];
    return await send(url, request, agent, silentMs);
  };
}

/** Throws `ADDRESS_REFUSED` for what is refused before any name is resolved. */
function checkAddress(url: URL, host: InsideHost | undefined): void {
  const { protocol, hostname, username, password } = url;
  if (username !== '' || password !== '') throw refused(url, 'has a user or a password in it');
  if (protocol !== 'https:' && !(protocol === 'http:' && host?.plain === true)) {
    throw refused(url, 'is not https');
  }
  if (host !== undefined || isPublicName(hostname)) return;
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (!/^[\d.]+$/.test(literal) && !hostname.startsWith('['))
    throw refused(url, 'is a name of an internal network');
  if (isInternalAddress(literal)) throw refused(url, 'is in an internal network');
}

async function send(
  url: URL,
  request: OutsideRequest,
  agent: http.Agent,
  silentMs: number,
): Promise<Response> {
  const { method = 'GET', body, signal } = request;
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const module = url.protocol === 'http:' ? http : https;
  const call = module.request(url, {
    method,
    agent,
    headers: {
      'user-agent': 'portico',
      // Digests are over the bytes as they are stored.
      'accept-encoding': 'identity',
      ...request.headers,
      ...((body !== undefined || method === 'POST' || method === 'PUT') && {
        'content-length': String(body?.length ?? 0),
      }),
    },
    ...(signal !== undefined && { signal }),
  });
  call.setTimeout(silentMs, () => call.destroy(new Error(`it sent nothing for ${silentMs / 1000} seconds`)));
  call.on('response', resolve);
  call.on('error', reject);
  call.end(body);
  try {
    return responseOf(await promise, method);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof PorticoError) throw cause;
    throw unreachable(url, cause);
  }
}

function responseOf(answer: http.IncomingMessage, method: string): Response {
  const status = answer.statusCode ?? 0;
  const headers = new Headers();
  for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '');
  }
  const empty = method === 'HEAD' || [204, 205, 304].includes(status);
  if (empty) answer.resume();
  const body = empty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  return new Response(body, { status, headers });
}

/** Why no answer came, without the addresses that a name leads to: whoever chose the name may not know them. */
function unreachable(url: URL, cause: unknown): PorticoError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const why = REASONS[code ?? ''] ?? (code === undefined ? message : code);
  return new PorticoError('HOST_UNREACHABLE', `${url.host} cannot be reached: ${why}`, {
    blame: 'forge',
    cause,
    hint: 'Check the address, and try again later.',
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it broke the connection off',
  EHOSTUNREACH: 'it is unreachable',
  ENETUNREACH: 'it is unreachable',
  ENOTFOUND: 'no host has that name',
  EAI_AGAIN: 'its name could not be resolved just now',
  ETIMEDOUT: 'it did not answer in time',
  EPIPE: 'it broke the connection off',
};

function agentsWith(settings: http.AgentOptions & { lookup: LookupFunction }): {
  readonly http: http.Agent;
  readonly https: https.Agent;
} {
  return { http: new http.Agent(settings), https: new https.Agent(settings) };
}

/** One answer that leads inside makes the whole name suspicious: it would be a matter of luck which one is taken. */
function judgedLookup(resolve: Resolve): LookupFunction {
  return plainLookup((name, done) =>
    resolve(name, (error, found) => {
      if (error !== null || !found.some(({ address }) => isInternalAddress(address))) done(error, found);
      else done(leadsInside(name), []);
    }),
  );
}

function leadsInside(name: string): PorticoError {
  return new PorticoError('ADDRESS_REFUSED', `${name} leads into an internal network`, {
    blame: 'user',
    hint: 'The operator of Portico can allow hosts of your own network (INSIDE_HOSTS).',
  });
}

function plainLookup(resolve: Resolve): LookupFunction {
  return (name, options, done) =>
    resolve(name, (error, found) => {
      const [first] = found;
      if (error !== null) done(error, '');
      else if (first === undefined) done(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');
      else if (options.all === true) done(null, [...found]);
      else done(null, first.address, first.family);
    });
}

function resolveBySystem(...[name, done]: Parameters<Resolve>): void {
  // With an error there is no second argument, whatever the types say.
  lookup(name, { all: true }, (error, found) => done(error, error === null ? found : []));
}
