/**
 * The read-only API. Nothing is asked of git or the forge for a caller whose token the forge does not know, and nobody sees what the forge does not
 * show to that token. A failure shows nothing.
 */
import { createHash } from 'node:crypto';

import { z } from 'zod';

import { parseWhySubject, type WhySubject } from '../command/why.ts';
import { PorticoError } from '../error.ts';
import { faultAnswer, type ApiAnswer, type ApiFault, type ApiRequest } from './message.ts';
import { openApiDocument } from './openapi.ts';
import { readPage, type Position } from './page.ts';
import { createRateLimit } from './rate-limit.ts';
import { COLLECTIONS, WHY, type Collection } from './routes.ts';
import type { RowSource } from './rows.ts';
import { createSights, type AskReadable, type Sight } from './sight.ts';
import { readWhy, type WhySource } from './why.ts';

export interface ApiOptions extends RowSource {
  readonly why: WhySource;
  readonly askReadable: AskReadable;
  /** Takes over what other processes have read. */
  refresh(): Promise<void>;
  readonly version: string;
  now(): Date;
  readonly log: { warn(about: object, message: string): void };
  readonly count: (collection: string, status: number) => void;
}

export type Api = (request: ApiRequest) => Promise<ApiAnswer>;

/** Requests of one token in a minute: a dashboard that asks for everything every ten seconds has enough. */
export const MAX_REQUESTS_PER_MINUTE = 120;
/**
 * Tokens that the forge has not accepted within a day, in a minute: of one sender, and of all. GitHub turns to refusing whoever sends it many wrong ones,
 * and the App calls from the same address. Nobody with a token that was accepted waits because of them.
 */
const MAX_STRANGERS = { ofSender: 20, ofAll: 100 };
/** Characters of a path with its query; what may be asked for takes far fewer. */
const MAX_URL = 2_000;
/** Answers that are worked on at once: the server has other work. */
const MAX_AT_ONCE = 8;
/** How long one may take, in milliseconds. */
const MAX_MS = 8_000;
/** Of a token of the forge, with what newer kinds may hold. */
const TOKEN = /^(?:bearer|token) ([\w.~+/=-]{1,1000})$/i;

const FAULTS = {
  method: { status: 405, code: 'METHOD', message: 'The API is read-only.', hint: 'Use GET.' },
  path: {
    status: 404,
    code: 'NO_SUCH_PATH',
    message: 'There is no such path.',
    hint: 'See /api/v1/openapi.json.',
  },
  url: {
    status: 414,
    code: 'TOO_LONG',
    message: `The address has more than ${MAX_URL} characters.`,
    hint: 'Ask for less at once.',
  },
  noToken: {
    status: 401,
    code: 'NO_TOKEN',
    message: 'A token of the forge is missing.',
    hint: 'Send Authorization: Bearer TOKEN.',
  },
  refused: {
    status: 401,
    code: 'TOKEN_REFUSED',
    message: 'The forge refuses the token.',
    hint: 'Use a token that the forge accepts.',
  },
  strangers: { status: 429, code: 'TOO_MANY', message: 'Too many unknown tokens were sent.', hint: 'Wait.' },
  notFound: {
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no such repository, or the token may not read it.',
    hint: 'Check the name and the rights of the token (Contents: read).',
  },
  noDelivery: {
    status: 404,
    code: 'NO_DELIVERY',
    message:
      'There is no such webhook, it is more than four days old or asked for nothing, or the token may not read its repository.',
    hint: 'See Recent Deliveries in the settings of the GitHub App, and redeliver it. Portico also repeats failed deliveries, and checks every repository, at each sweep.',
  },
  busy: {
    status: 503,
    code: 'BUSY',
    message: 'Too much is being asked at once.',
    hint: 'Ask again in a moment.',
    retryAfter: 1,
  },
  slow: {
    status: 503,
    code: 'TOO_SLOW',
    message: `There was no answer within ${MAX_MS / 1_000} s.`,
    hint: 'Ask again: what was found out is kept for a minute. Or ask for one owner or repository.',
    retryAfter: 1,
  },
  forge: {
    status: 503,
    code: 'FORGE_UNAVAILABLE',
    message: 'The forge does not say what the token may read.',
    hint: 'Ask again later.',
    retryAfter: 10,
  },
  limited: {
    status: 429,
    code: 'FORGE_LIMIT',
    message: 'The forge takes no more calls of this token.',
    hint: 'Ask again later, or with another token.',
    retryAfter: 60,
  },
  failed: {
    status: 500,
    code: 'FAILED',
    message: 'This could not be answered.',
    hint: 'The log of the server says why.',
  },
} as const satisfies Record<string, ApiFault>;

/** Answers requests; it never throws. */
export function createApi(options: ApiOptions): Api {
  const { log, count } = options;
  const now = (): number => options.now().getTime();
  const sightOf = createSights(options.askReadable, now);
  const limit = createRateLimit(MAX_REQUESTS_PER_MINUTE, now);
  const strangersOf = createRateLimit(MAX_STRANGERS.ofSender, now);
  const strangers = createRateLimit(MAX_STRANGERS.ofAll, now);
  const description = JSON.stringify(openApiDocument(options.version));
  let running = 0;

  async function answer({ method, url, authorization, known, sender }: ApiRequest): Promise<ApiAnswer> {
    if (method !== 'GET' && method !== 'HEAD') return faultAnswer(FAULTS.method);
    if (url.length > MAX_URL) return faultAnswer(FAULTS.url);
    const [path = '', search = ''] = url.split(/\?(.*)/s, 2);
    if (path === '/api/v1/openapi.json') return json(description, known);
    const route = path === `/api/v1/${WHY.path}` ? WHY : collectionAt(path);
    if (route === undefined) return faultAnswer(FAULTS.path);
    const token = TOKEN.exec(authorization ?? '')?.[1];
    if (token === undefined) return faultAnswer(FAULTS.noToken);
    const sight = sightOf(token);
    const wait = limit.take(sight.caller);
    if (wait > 0) return faultAnswer(tooMany(wait));
    const asked = readAsked(route, search);
    if ('status' in asked) return faultAnswer(asked);
    if (sight.known() === 'refused') return faultAnswer(FAULTS.refused);
    if (!sight.wasAccepted()) {
      const later = strangersOf.take(sender) || strangers.take('all');
      if (later > 0) return faultAnswer({ ...FAULTS.strangers, retryAfter: later });
    }
    if (running >= MAX_AT_ONCE) return faultAnswer(FAULTS.busy);
    running += 1;
    const signal = AbortSignal.timeout(MAX_MS);
    try {
      await options.refresh();
      const found = await read(asked, sight, signal);
      if ('status' in found) return faultAnswer(found);
      const content = { complete: options.catalog.isComplete(), ...found };
      const etag = etagOf(JSON.stringify(content));
      if (isKnown(known, etag)) return { status: 304, headers: { ...CACHING, etag }, body: '' };
      const body = JSON.stringify({ asOf: options.now().toISOString(), ...content });
      return { status: 200, headers: { ...CACHING, 'content-type': 'application/json', etag }, body };
    } catch (error) {
      return faultAnswer(faultOf(error, signal));
    } finally {
      running -= 1;
    }
  }

  async function read(asked: Asked, sight: Sight, signal: AbortSignal): Promise<object | ApiFault> {
    if ('subject' in asked) {
      const { subject } = asked;
      const why = await readWhy(options, subject, sight, signal);
      return why ?? ('delivery' in subject ? FAULTS.noDelivery : FAULTS.notFound);
    }
    const page = await readPage({ source: options, sight, ...asked, signal });
    return page === null ? FAULTS.notFound : { items: page.items, next: cursorOf(page.next) };
  }

  function faultOf(error: unknown, signal: AbortSignal): ApiFault {
    if (signal.aborted) return FAULTS.slow;
    const code = error instanceof PorticoError ? error.code : undefined;
    if (code === 'FORGE_AUTH') return FAULTS.refused;
    if (code === 'RATE_LIMITED') return FAULTS.limited;
    log.warn({ err: error }, 'the API could not answer');
    return code === 'FORGE_UNAVAILABLE' ? FAULTS.forge : FAULTS.failed;
  }

  return async (request) => {
    const answered = await answer(request).catch((error: unknown) => {
      log.warn({ err: error }, 'the API could not answer');
      return faultAnswer(FAULTS.failed);
    });
    const path = request.url.split('?', 1)[0] ?? '';
    const isWhy = path === `/api/v1/${WHY.path}`;
    count(isWhy ? WHY.path : (collectionAt(path)?.path ?? 'other'), answered.status);
    return request.method === 'HEAD' ? { ...answered, body: '' } : answered;
  };
}

/** Answers differ by token, and are asked for anew each time: the ETag makes that cheap. */
const CACHING = { 'cache-control': 'private, no-cache', vary: 'Authorization' };

function collectionAt(path: string): Collection | undefined {
  return COLLECTIONS.find((one) => path === `/api/v1/${one.path}`);
}

type Asked = ({ readonly collection: Collection } & Query) | { readonly subject: WhySubject };

function readAsked(route: Collection | typeof WHY, search: string): Asked | ApiFault {
  if ('rows' in route) {
    const query = readQuery(route, search);
    return 'status' in query ? query : { collection: route, ...query };
  }
  const parsed = parseQuery(route.query, search);
  if ('status' in parsed) return parsed;
  const subject = parseWhySubject(parsed.about);
  if (subject !== undefined) return { subject };
  return {
    status: 400,
    code: 'BAD_QUERY',
    message: 'The parameter about is wrong.',
    hint: 'Give a delivery id, owner/name, owner/name#number or owner/name:path.',
  };
}

interface Query {
  readonly scope: { readonly repository?: string | undefined; readonly owner?: string | undefined };
  readonly filters: ReadonlyMap<string, string>;
  readonly limit: number;
  readonly after: Position | undefined;
}

const position = z.strictObject({ repository: z.string(), key: z.string() });

function parseQuery<Shape extends z.ZodRawShape>(
  query: z.ZodObject<Shape>,
  search: string,
): z.output<z.ZodObject<Shape>> | ApiFault {
  const given = [...new URLSearchParams(search)];
  const names = given.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  const parsed = query.safeParse(Object.fromEntries(given));
  if (twice !== undefined || !parsed.success) {
    const allowed = Object.keys(query.shape).join(', ');
    const first = parsed.error?.issues.find(({ path }) => path.length > 0);
    const why =
      twice !== undefined
        ? 'A parameter is given twice.'
        : first === undefined
          ? 'A parameter is unknown.'
          : `The parameter ${String(first.path[0])} ${first.message.startsWith('must') ? first.message : 'is wrong'}.`;
    return { status: 400, code: 'BAD_QUERY', message: why, hint: `There are ${allowed}.` };
  }
  return parsed.data;
}

function readQuery(collection: Collection, search: string): Query | ApiFault {
  const parsed = parseQuery(collection.query, search);
  if ('code' in parsed) return parsed;
  const { repository, owner, limit, cursor, ...filters } = parsed;
  const after = cursor === undefined ? undefined : readCursor(cursor);
  if (after === null)
    return {
      status: 400,
      code: 'BAD_QUERY',
      message: 'The parameter cursor is wrong.',
      hint: 'Give `next` of the page before.',
    };
  return {
    scope: { repository, owner },
    filters: new Map(
      Object.entries(filters).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as const] : [],
      ),
    ),
    limit,
    after,
  };
}

function cursorOf(next: Position | undefined): string | null {
  return next === undefined ? null : Buffer.from(JSON.stringify(next)).toString('base64url');
}

function readCursor(cursor: string): Position | null {
  try {
    const parsed = position.safeParse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Of what was found, not of the moment: the same state is the same answer. */
function etagOf(content: string): string {
  return `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
}

function isKnown(known: string | undefined, etag: string): boolean {
  return (known ?? '').split(',').some((one) => one.trim() === etag || one.trim() === etag.slice(2));
}

function json(body: string, known: string | undefined): ApiAnswer {
  const etag = etagOf(body);
  const headers = { 'cache-control': 'no-cache', etag };
  if (isKnown(known, etag)) return { status: 304, headers, body: '' };
  return { status: 200, headers: { ...headers, 'content-type': 'application/json' }, body };
}

function tooMany(seconds: number): ApiFault {
  return {
    status: 429,
    code: 'TOO_MANY',
    message: `A token may ask ${MAX_REQUESTS_PER_MINUTE} times a minute.`,
    hint: 'Wait, and use larger pages and If-None-Match.',
    retryAfter: seconds,
  };
}
