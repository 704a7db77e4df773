/** Calls of a Kubernetes API server. */
import { readFile } from 'node:fs/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

import { z } from 'zod';

import { PorticoError } from '../../error.ts';
import { shorten } from '../../text/cut-text.ts';
import type { ClusterSettings } from './settings.ts';

/** One call; a pod's status and a list of policies take a few KiB. */
const CALL_MS = 30_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** What is shown of the API server's words. */
export const MAX_REASON = 500;

/** Between two tries of a call, where the API server names no other time. */
const PAUSE_MS = 250;
/** What a server that starts, is overloaded or has lost its store says of itself. */
const NOT_NOW = new Set([429, 502, 503, 504]);
/** What a server that has just started says to everybody, until it has read who may do what. */
const NOT_YET = new Set([401, 403]);
/** For so long; whoever has no right waits as long to hear of it. */
const LEARNING_MS = 2_000;
const NOT_THERE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]);

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** A status that is as wanted, too: 404 where there is no such object, 409 where it was made already. */
  readonly alsoFine?: 404 | 409;
}

/** Why a call did not do. */
export interface Failure {
  readonly fault: PorticoError;
  /** Absent where the same call can only fail again. */
  readonly again?: { readonly afterMs: number; readonly forMs: number };
}

/**
 * Tries again and again for `settings.patienceMs` while the API server is not there, as in an upgrade, or is
 * overloaded.
 * @throws PorticoError the last fault; the signal's reason after an abort
 */
export async function patiently<T extends object>(
  { patienceMs }: ClusterSettings,
  attempt: () => Promise<T | Failure>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const begun = performance.now();
  for (;;) {
    const tried = await attempt();
    if (!('fault' in tried)) return tried;
    const { again, fault } = tried;
    if (again === undefined) throw fault;
    const until = begun + Math.min(patienceMs, again.forMs);
    if (performance.now() + again.afterMs > until) throw fault;
    await delay(again.afterMs, undefined, { signal });
  }
}

/**
 * Makes a call, patiently: it may reach the API server twice.
 * @throws PorticoError CLUSTER_API for whatever is not the answer of the schema; the signal's reason after an abort
 */
export async function callApi<T>(
  settings: ClusterSettings,
  call: Call,
  schema: z.ZodType<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const { text } = await patiently(settings, () => tryOnce(settings, call, signal), signal);
  const read = schema.safeParse(parsed(text));
  if (read.success) return read.data;
  throw apiFault(call.method, call.path, `its answer has another shape: ${z.prettifyError(read.error)}`);
}

async function tryOnce(
  settings: ClusterSettings,
  { method, path, body, alsoFine }: Call,
  signal: AbortSignal | undefined,
): Promise<{ readonly text: string } | Failure> {
  const limit = AbortSignal.timeout(CALL_MS);
  const both = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  let answer: Answer;
  try {
    const request = await requestOf(settings, method, path, {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    });
    answer = await answerOf(request, body, both);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof PorticoError) throw cause;
    return unreached(method, path, cause);
  }
  const { status, text } = answer;
  const fine = (status >= 200 && status <= 299) || status === alsoFine;
  return fine ? { text } : refusedBy(method, path, answer);
}

/** No answer came. */
export function unreached(method: string, path: string, cause: unknown): Failure {
  const fault = apiFault(method, path, reasonOf(cause), cause);
  return NOT_THERE.has(codeOf(cause)) ? { fault, again: { afterMs: PAUSE_MS, forMs: Infinity } } : { fault };
}

/** Another answer came. */
export function refusedBy(method: string, path: string, { status, text, retryAfterMs }: Answer): Failure {
  const fault = apiFault(method, path, `it answered ${status}: ${wordsOf(text)}`);
  if (NOT_YET.has(status)) return { fault, again: { afterMs: PAUSE_MS, forMs: LEARNING_MS } };
  const afterMs = retryAfterMs ?? (NOT_NOW.has(status) ? PAUSE_MS : undefined);
  return afterMs === undefined ? { fault } : { fault, again: { afterMs, forMs: Infinity } };
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}

/** A request with the token of this moment, not yet sent. @throws PorticoError CLUSTER_API where there is no token */
export async function requestOf(
  { url, tokenFile, caFile }: ClusterSettings,
  method: string,
  path: string,
  headers: http.OutgoingHttpHeaders,
): Promise<http.ClientRequest> {
  const [token, ca] = await Promise.all([
    readFile(tokenFile, 'utf8'),
    caFile === undefined ? undefined : readFile(caFile, 'utf8'),
  ]).catch((cause: unknown) => {
    throw apiFault(method, path, `its token or certificate cannot be read: ${reasonOf(cause)}`, cause);
  });
  const options = {
    method,
    agent: false,
    headers: { ...headers, authorization: `Bearer ${token.trim()}`, 'user-agent': 'portico' },
  };
  return url.startsWith('https:')
    ? https.request(url + path, { ...options, ...(ca !== undefined && { ca }) })
    : http.request(url + path, options);
}

interface Answer {
  readonly status: number;
  readonly text: string;
  /** When the server wants to be asked again; undefined where it does not say so in seconds. */
  readonly retryAfterMs: number | undefined;
}

function answerOf(request: http.ClientRequest, body: unknown, signal: AbortSignal): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const abort = (): void => void request.destroy(new Error(`no answer in ${CALL_MS / 1000} s`));
  signal.addEventListener('abort', abort, { once: true });
  request.on('error', reject);
  request.on('response', (response) => {
    response.on('error', reject);
    readAnswer(response).then(resolve, reject);
  });
  if (signal.aborted) abort();
  request.end(body === undefined ? undefined : JSON.stringify(body));
  return promise.finally(() => signal.removeEventListener('abort', abort));
}

/** @throws Error past MAX_ANSWER_BYTES */
export async function readAnswer(response: http.IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, headers } = response;
  const seconds = /^\d{1,4}$/.exec(headers['retry-after'] ?? '')?.[0];
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`its answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return {
    status,
    text: Buffer.concat(chunks).toString('utf8'),
    retryAfterMs: seconds === undefined ? undefined : Number(seconds) * 1000,
  };
}

const STATUS = z.object({ message: z.string() });

/** The message of a Status, or the beginning of what came in its place. */
export function wordsOf(text: string): string {
  const read = STATUS.safeParse(parsed(text));
  return shorten(read.success ? read.data.message : text, MAX_REASON);
}

/** The value of a text in JSON; undefined where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(cause: unknown): string {
  return shorten(cause instanceof Error ? cause.message : String(cause), MAX_REASON);
}

/** The error of a call, with the call; neither token nor body are in it. */
export function apiFault(method: string, path: string, reason: string, cause?: unknown): PorticoError {
  const [place = path] = path.split('?');
  return new PorticoError(
    'CLUSTER_API',
    `The Kubernetes API server did not do ${method} ${place}: ${reason}`,
    {
      blame: 'user',
      cause,
      hint: 'The operator of Portico must see to the API server, the token and the rights of its service account (deploy/functions). Then check again.',
    },
  );
}
