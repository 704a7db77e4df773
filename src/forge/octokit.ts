import { setTimeout as pause } from 'node:timers/promises';

import { Octokit } from '@octokit/rest';

import { PorticoError } from '../error.ts';
import { scrubSecrets } from '../text/secrets.ts';
import { faultOfAnswer } from './answer-shapes.ts';
import type { CallGate, CallKind } from './call-gate.ts';
import { conditionsOf, tokenDigest, type EtagCache } from './etag-cache.ts';
import { forgeError, isPrimaryLimit } from './forge-error.ts';
import type { ContentBudget, ForgeCall, LookPause } from './forge-types.ts';
import { graphqlStatus, isGraphqlLimit, type GraphqlFault } from './graphql-fault.ts';
import { notePoints } from './spent-points.ts';

/** What all clients of one forge share. */
export interface ClientShare {
  readonly baseUrl: string;
  readonly etags: EtagCache;
  readonly budget: ContentBudget | undefined;
  /** The way that all calls of an installation take; null: of the App itself. */
  readonly gateOf: (installationId: number | null) => CallGate;
  /** Until when an installation reads one thing at a time. */
  readonly looksOf: (installationId: number) => LookPause;
  readonly onCall: ((call: ForgeCall) => void) | undefined;
  readonly beforeWrite: (() => Promise<void>) | undefined;
  readonly backoffMs: number;
}

/** Who speaks: the App itself (null) or one of its installations. */
export interface Speaker {
  readonly installationId: number | null;
  /** The repository that it speaks of alone; null where there is more. */
  readonly repositoryId: number | null;
  /** The `authorization` header. */
  authorize(signal?: AbortSignal): Promise<string>;
  /** The one to try after that one was refused; null where none would help. */
  authorizeAfter(refused: RefusedHeader, signal?: AbortSignal): Promise<string | null>;
}

interface RefusedHeader {
  readonly authorization: string;
  readonly status: number;
  /** How often in a row this call was refused, from 1. */
  readonly times: number;
  /** The forge's own time. */
  readonly date: string | undefined;
}

type Answer = Awaited<ReturnType<Octokit['request']>>;
type Send = (options: RequestOptions) => Answer | Promise<Answer>;
type RequestOptions = Required<Octokit['request']['endpoint']['DEFAULTS']>;

const SILENT = (): void => {};
const ATTEMPTS = 4;
const CALL_TIMEOUT_MS = 30_000;

/** Calls that create content and notify people: GitHub allows 80 a minute and 500 an hour of them. */
const CREATES_CONTENT = new Set([
  'POST /repos/{owner}/{repo}/pulls',
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews',
  'POST /repos/{owner}/{repo}/issues',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'POST /repos/{owner}/{repo}/releases',
  'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge',
]);

/**
 * An Octokit that behaves: no hidden throttling and no retry of writes. GETs are asked again on 5xx and broken
 * connections, and cost nothing where unchanged (ETag). A refused token is tried again while it is young, else replaced. Every failure is a
 * PorticoError without secrets (`forge-error.ts`), every attempt is told to `onCall`.
 */
export function createClient(share: ClientShare, speaker: Speaker): Octokit {
  const octokit = new Octokit({
    baseUrl: share.baseUrl,
    userAgent: 'portico',
    log: { debug: SILENT, info: SILENT, warn: SILENT, error: SILENT },
  });
  octokit.hook.wrap('request', async (send, options) => {
    const urlOf = (): string => octokit.request.endpoint.parse(options).url;
    return await sendRequest({ share, speaker, send, urlOf }, options);
  });
  return octokit;
}

interface Conversation {
  readonly share: ClientShare;
  readonly speaker: Speaker;
  readonly send: Send;
  readonly urlOf: () => string;
}

async function sendRequest(conversation: Conversation, options: RequestOptions): Promise<Answer> {
  const { share, speaker } = conversation;
  const { signal } = options.request;
  const route = routeOf(options);
  if (speaker.installationId !== null && CREATES_CONTENT.has(`${options.method} ${route}`)) {
    await share.budget?.take(speaker.installationId, signal);
  }
  if (options.method !== 'GET') scrubParameters(options);
  const cacheKey = options.method === 'GET' ? `${speaker.installationId} ${conversation.urlOf()}` : '';
  const kind: CallKind = route === '/graphql' ? 'graphql' : 'rest';
  const gate = share.gateOf(speaker.installationId);
  let authorization = await speaker.authorize(signal);
  let refused = 0;
  for (let attempt = 1; ;) {
    const leave = await gate.enter(kind, pointsOf(options), signal);
    notePoints(pointsOf(options));
    let failure: PorticoError;
    let date: string | undefined;
    let status: number;
    try {
      if (isWrite(options)) await share.beforeWrite?.();
    } catch (error) {
      leave();
      throw error;
    }
    try {
      const answer = await ask(conversation, options, { authorization, cacheKey, route, signal });
      if (kind === 'graphql') pauseIfLimited(gate, answer);
      return answer;
    } catch (error) {
      signal?.throwIfAborted();
      const refusal = { method: options.method, route, ...refusalOf(error) };
      failure = forgeError(refusal, Date.now());
      if (failure.code === 'RATE_LIMITED') {
        gate.pause(failure.retryAfter ?? 0, isPrimaryLimit(refusal) ? kind : undefined);
      }
      ({ status } = refusal);
      ({ date } = refusal.headers);
    } finally {
      leave();
    }
    if (failure.code === 'FORGE_AUTH' || failure.code === 'FORGE_FORBIDDEN') {
      refused += 1;
      const next = await speaker.authorizeAfter({ authorization, status, times: refused, date }, signal);
      if (next === null) throw failure;
      authorization = next;
      continue;
    }
    const again = options.method === 'GET' && (status === 0 || status >= 500) && attempt < ATTEMPTS;
    if (!again || failure.code === 'RATE_LIMITED') throw failure;
    await pause(share.backoffMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2), undefined, { signal });
    attempt += 1;
  }
}

/** Whether a call may change something: a write, or a mutation. */
export function isWrite(options: RequestOptions): boolean {
  return pointsOf(options) > 1;
}

/** What GitHub counts for a call: a write, or a mutation, is five reads. */
function pointsOf({ method, ...options }: RequestOptions): number {
  const { query } = options as { readonly query?: unknown };
  const reads =
    method === 'GET' || method === 'HEAD' || (typeof query === 'string' && !/^\s*mutation\b/.test(query));
  return reads ? 1 : 5;
}

/** Octokit reads the errors of a GraphQL answer only behind this. */
function pauseIfLimited(gate: CallGate, { data, headers }: Answer): void {
  const { errors = [] } = (data ?? {}) as { readonly errors?: readonly GraphqlFault[] };
  if (!isGraphqlLimit(errors)) return;
  const refusal = { method: 'POST', route: '/graphql', status: 429, message: '', headers };
  gate.pause(forgeError(refusal, Date.now()).retryAfter ?? 0, 'graphql');
}

interface Attempt {
  readonly authorization: string;
  readonly cacheKey: string;
  readonly route: string;
  readonly signal: AbortSignal | undefined;
}

/** One HTTP exchange; a 304 is answered from the cache. */
async function ask(
  { share, speaker, send }: Conversation,
  options: RequestOptions,
  attempt: Attempt,
): Promise<Answer> {
  const cached = options.method === 'GET' ? share.etags.get(attempt.cacheKey) : undefined;
  const token = options.method === 'GET' ? tokenDigest(attempt.authorization) : '';
  const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS);
  // Octokit's inner hooks look at this very object and not at what they are handed, so it is changed in place.
  options.request = {
    ...options.request,
    signal: attempt.signal ? AbortSignal.any([attempt.signal, timeout]) : timeout,
  };
  options.headers = {
    ...options.headers,
    authorization: attempt.authorization,
    'x-github-api-version': '2022-11-28',
    ...conditionsOf(cached, token, attempt.route),
  };
  const started = performance.now();
  const reportCall = (status: number, answered: Answer['headers']): void => {
    const remaining = Number(answered['x-ratelimit-remaining'] ?? Number.NaN);
    share.onCall?.({
      method: options.method,
      route: attempt.route,
      status,
      ms: performance.now() - started,
      installationId: speaker.installationId,
      repositoryId: speaker.repositoryId,
      writes: isWrite(options),
      ...(Number.isNaN(remaining) ? {} : { remaining }),
    });
  };
  try {
    const answer = await send(options);
    const fault = faultOfAnswer(`${options.method} ${attempt.route}`, answer.data);
    if (fault !== undefined) throw new Error(fault);
    reportCall(answer.status, answer.headers);
    if (options.method === 'GET' && answer.headers.etag !== undefined) {
      const { status, headers: kept, data } = answer;
      share.etags.set(attempt.cacheKey, { etag: answer.headers.etag, token, status, headers: kept, data });
    }
    return answer;
  } catch (error) {
    const refusal = refusalOf(error);
    reportCall(refusal.status, refusal.headers);
    if (refusal.status !== 304 || cached === undefined) throw error;
    const etag = (error as { response?: Answer }).response?.headers.etag;
    if (etag !== undefined && cached.token !== token) {
      share.etags.set(attempt.cacheKey, { ...cached, etag, token });
    }
    return { status: cached.status, headers: cached.headers, data: cached.data, url: '' } as Answer;
  }
}

/** The template that the call was made with; a URL that the forge gave loses its names and numbers. */
function routeOf(options: RequestOptions): string {
  const path = options.url.replace(/^https?:\/\/[^/]+/, '').replace(/\?.*$/, '');
  if (path.endsWith('/graphql')) return '/graphql';
  return path.startsWith('/') && path !== options.url ? '/(followed link)' : path;
}

interface HttpRefusal {
  readonly status: number;
  readonly message: string;
  readonly headers: Answer['headers'];
}

/** Reads an error of Octokit; one without an answer has status 0. Its request, which holds the token, is left behind. */
function refusalOf(error: unknown): HttpRefusal {
  const known = error as {
    status?: number;
    message?: string;
    response?: {
      status?: number;
      headers?: Answer['headers'];
      data?: { message?: unknown; errors?: unknown };
    };
  };
  const message = known.message ?? String(error);
  if (known.response?.headers === undefined)
    return { status: known.status === 304 ? 304 : 0, message, headers: {} };
  return { status: known.status ?? 0, message, headers: known.response.headers };
}

/** What people will read must not carry a credential, wherever the text came from. */
function scrubParameters(options: RequestOptions): void {
  for (const name of ['body', 'title', 'name', 'output', 'commit_title', 'commit_message']) {
    if (name in options) Reflect.set(options, name, scrubbed(Reflect.get(options, name)));
  }
}

function scrubbed(value: unknown): unknown {
  if (typeof value === 'string') return scrubSecrets(value);
  if (Array.isArray(value)) return value.map(scrubbed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, scrubbed(inner)]));
}

interface Page {
  readonly page: number;
  readonly per_page: number;
}

type LoadPage<T> = (page: Page) => Promise<{ data: T[]; headers: { link?: string | undefined } }>;

/** Pages of a hundred entries; a decision is made with the whole list or not at all. */
const MAX_PAGES = 100;
/** Characters of texts that one list may hold in memory: 500 comments of the greatest length, thousands of usual ones. */
const MAX_TEXT = 32 * 1024 * 1024;

/**
 * Every item of a list, page after page while the forge names a next one. Throws FORGE_TOO_MANY past 10,000 items or
 * 32 Mi characters of their texts: who decides by a list decides by all of it, or not at all.
 */
export async function allPages<T>(load: LoadPage<T>): Promise<T[]> {
  const items: T[] = [];
  let text = 0;
  for await (const data of pagesOf(load)) {
    text += data.reduce((sum, item) => sum + textOf(item), 0);
    if (text > MAX_TEXT) throw tooMany('more text than is read');
    items.push(...data);
  }
  return items;
}

/** The first item of a list that fits; pages behind it are not asked for. Throws FORGE_TOO_MANY where none of 10,000 does. */
export async function firstOnPages<T>(load: LoadPage<T>, fits: (item: T) => boolean): Promise<T | null> {
  for await (const data of pagesOf(load)) {
    const found = data.find((item) => fits(item));
    if (found !== undefined) return found;
  }
  return null;
}

async function* pagesOf<T>(load: LoadPage<T>): AsyncGenerator<T[], void, undefined> {
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { data, headers } = await load({ page, per_page: 100 });
    yield data;
    if (!/rel="next"/.test(headers.link ?? '')) return;
  }
  throw tooMany(`more than ${MAX_PAGES * 100} entries`);
}

function textOf(item: unknown): number {
  const { body } = (item ?? {}) as { readonly body?: unknown };
  return typeof body === 'string' ? body.length : 0;
}

function tooMany(what: string): PorticoError {
  return new PorticoError('FORGE_TOO_MANY', `a list on the forge has ${what}`, {
    blame: 'user',
    hint: 'Close or remove what is no longer needed.',
  });
}

/** Runs a GraphQL document; its errors become the same ones as those of REST. */
export async function runGraphql<T>({
  octokit,
  name,
  document,
  variables,
  signal,
}: {
  readonly octokit: Octokit;
  readonly name: string;
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal | undefined;
}): Promise<T> {
  try {
    return await octokit.graphql<T>(document, { ...variables, request: signal ? { signal } : {} });
  } catch (error) {
    if (error instanceof PorticoError) throw error;
    const { errors, headers = {} } = error as {
      errors?: readonly GraphqlFault[];
      headers?: Answer['headers'];
    };
    if (errors === undefined) throw error;
    const message = errors.map((one) => one.message ?? '').join('; ');
    const status = graphqlStatus(errors);
    throw forgeError({ method: 'POST', route: `/graphql ${name}`, status, message, headers }, Date.now());
  }
}
