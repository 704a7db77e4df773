/** Plain HTTP to the forge in which every status is a value: a trial asks how the forge refuses as well. */
import { setTimeout as pause } from 'node:timers/promises';

import { z } from 'zod';

import { PorticoError } from '../error.ts';
import { shorten } from '../text/cut-text.ts';
import { notPlayed } from './not-played.ts';

export interface Answer {
  readonly call: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export interface Ask {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One token's way to the API. */
export interface Rest {
  readonly ask: (method: Method, path: string, ask?: Ask) => Promise<Answer>;
  /** The answer's body in that shape. @throws PorticoError TRIAL_NOT_PLAYED on any other status than 2xx, or another shape */
  readonly read: <T>(schema: z.ZodType<T>, method: Method, path: string, body?: unknown) => Promise<T>;
}

export interface RestOptions {
  readonly apiUrl: string;
  readonly signal: AbortSignal;
  /** Between writes. GitHub asks for a second: docs.github.com, "Best practices for using the REST API". */
  readonly paceMs: number;
  /** Told of every answer. */
  readonly onAnswer?: (answer: Answer) => void;
}

const TIMEOUT_MS = 30_000;
/** A limit that asks for a longer wait ends the row. */
const MAX_WAIT_S = 120;

/** `authorization` is asked for each call, so that a token may be renewed. */
export function createRest(options: RestOptions, authorization: () => string | Promise<string>): Rest {
  const send = async (method: Method, path: string, { body, headers }: Ask): Promise<Answer> => {
    const response = await fetch(`${options.apiUrl}${path}`, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        'user-agent': 'portico-trial',
        'x-github-api-version': '2022-11-28',
        authorization: await authorization(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const call = `${method} ${path.replace(/\?.*$/, '')}`;
    const { status } = response;
    const answer = { call, status, headers: response.headers, body: parsed(await response.text()) };
    options.onAnswer?.(answer);
    return answer;
  };

  const ask = async (method: Method, path: string, question: Ask = {}): Promise<Answer> => {
    if (method !== 'GET') await pause(options.paceMs, undefined, { signal: options.signal });
    const answer = await send(method, path, question);
    const wait = secondsAsked(answer);
    if (wait === null || wait > MAX_WAIT_S) return answer;
    await pause(wait * 1_000, undefined, { signal: options.signal });
    return send(method, path, question);
  };

  return {
    ask,
    read: async (schema, method, path, body) => read(schema, await ask(method, path, { body })),
  };
}

/** The body of a success in that shape. */
export function read<T>(schema: z.ZodType<T>, answer: Answer): T {
  if (answer.status < 200 || answer.status > 299) throw notPlayed(answerText(answer));
  const result = schema.safeParse(answer.body);
  if (result.success) return result.data;
  const place = result.error.issues[0]?.path.join('.') ?? '';
  throw notPlayed(`${answer.call} answered without a usable ${place === '' ? 'body' : place}`);
}

/** The call, its status and the forge's words. */
export function answerText({ call, status, body }: Answer): string {
  const words = wordsOf(body);
  return `${call} answered ${status}${words === '' ? '' : `: ${words}`}`;
}

const refusal = z.object({
  message: z.string(),
  errors: z
    .array(z.union([z.string(), z.object({ message: z.string().nullish() })]))
    .nullish()
    .catch(null),
});

/** What the forge said in words of a refusal. */
export function wordsOf(body: unknown): string {
  const known = refusal.safeParse(body);
  if (!known.success) return '';
  const more = (known.data.errors ?? []).map((error) =>
    typeof error === 'string' ? error : (error.message ?? ''),
  );
  return shorten([known.data.message, ...more].filter((part) => part !== '').join(' '), 300);
}

/** True where the answer is a limit of the forge's. */
export function isLimit({ status, headers, body }: Answer): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers.has('retry-after') ||
    headers.get('x-ratelimit-remaining') === '0' ||
    /rate limit/i.test(wordsOf(body))
  );
}

function secondsAsked(answer: Answer): number | null {
  if (!isLimit(answer)) return null;
  const asked = Number(answer.headers.get('retry-after') ?? 60);
  return Number.isNaN(asked) ? 60 : asked;
}

function parsed(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** For `unknown` errors of a call that had to work. */
export function reasonOf(error: unknown): string {
  if (error instanceof PorticoError) return error.message;
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error instanceof Error ? error.message : String(error)}${cause}`;
}
