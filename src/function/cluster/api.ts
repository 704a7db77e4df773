/** Calls of a Kubernetes API server. */
import { readFile } from 'node:fs/promises';
import * as http from 'node:http';
import * as https from 'node:https';

import { z } from 'zod';

import { PorticoError } from '../../error.ts';
import type { ClusterSettings } from './settings.ts';

/** One call; a pod's status and a list of policies take a few KiB. */
const CALL_MS = 30_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** What is shown of the API server's words. */
const MAX_REASON = 500;

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** That there is no such object is an answer, too. */
  readonly absent?: 'fine';
}

/** @throws PorticoError CLUSTER_API for whatever is not the answer of the schema; the signal's reason after an abort */
export async function callApi<T>(
  settings: ClusterSettings,
  call: Call,
  schema: z.ZodType<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const limit = AbortSignal.timeout(CALL_MS);
  const both = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  const { method, path, body } = call;
  let status: number;
  let text: string;
  try {
    const request = await requestOf(settings, method, path, {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    });
    ({ status, text } = await answerOf(request, body, both));
  } catch (cause) {
    signal?.throwIfAborted();
    throw cause instanceof PorticoError ? cause : apiFault(method, path, reasonOf(cause), cause);
  }
  const expected = (status >= 200 && status <= 299) || (status === 404 && call.absent === 'fine');
  if (!expected) throw apiFault(method, path, `it answered ${status}: ${wordsOf(text)}`);
  const read = schema.safeParse(parsed(text));
  if (!read.success)
    throw apiFault(method, path, `its answer has another shape: ${z.prettifyError(read.error)}`);
  return read.data;
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

function answerOf(
  request: http.ClientRequest,
  body: unknown,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const abort = (): void => void request.destroy(new Error(`no answer in ${CALL_MS / 1000} s`));
  signal.addEventListener('abort', abort, { once: true });
  request.on('error', reject);
  request.on('response', (response) => {
    response.on('error', reject);
    bodyOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
  });
  if (signal.aborted) abort();
  request.end(body === undefined ? undefined : JSON.stringify(body));
  return promise.finally(() => signal.removeEventListener('abort', abort));
}

/** The text of an answer. @throws Error past MAX_ANSWER_BYTES */
export async function bodyOf(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`its answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const STATUS = z.object({ message: z.string() });

/** The message of a Status, or the beginning of what came in its place. */
export function wordsOf(text: string): string {
  const read = STATUS.safeParse(parsed(text));
  return (read.success ? read.data.message : text).slice(0, MAX_REASON);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, MAX_REASON);
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
