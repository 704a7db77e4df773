import type { IncomingMessage, ServerResponse } from 'node:http';

import { readBody, type BodyLimits, type BodyRefusal } from './body.ts';
import type { Inbox } from './inbox.ts';
import { createMemoryShare } from './memory-share.ts';
import { repositoryNamed } from './repository-named.ts';
import { createSenders, type Senders } from './sender.ts';
import { createVerifier } from './signature.ts';

export interface DoorLimits {
  /** 25 MiB when absent: GitHub's own cap. */
  readonly maxBytes?: number;
  /** The whole body must have arrived after so long; 10,000 when absent (GitHub waits 10 s for the answer). */
  readonly bodyMilliseconds?: number;
  /** What all requests together may hold in memory; 100 MiB when absent. */
  readonly maxBufferedBytes?: number;
}

/** The part of a logger that the door needs; pino's fits. */
export interface DoorLog {
  info(about: object, message: string): void;
  warn(about: object, message: string): void;
  error(about: object, message: string): void;
}

export interface DoorOptions {
  /** The current secret and, during a rotation, the previous one. */
  readonly secrets: readonly string[];
  readonly inbox: Pick<Inbox, 'store'>;
  /**
   * Reads an event and says what to store of it. Undefined for one that asks for nothing: it is acknowledged, and there is
   * nothing to keep. So is one that cannot be read, which is counted and logged. Absent: all is kept, as it came.
   */
  readonly read?: (
    event: string,
    payload: object,
  ) => { readonly keep: string } | { readonly unreadable: string } | undefined;
  /** Called after the delivery is durable and before the answer; it should only queue a job, and may be called twice for one id. */
  onStored(delivery: { readonly id: string; readonly event: string }): Promise<void>;
  readonly limits?: DoorLimits;
  /** Who counts as one sender when memory is shared out. */
  readonly senders?: Senders;
  readonly log: DoorLog;
  readonly metrics?: { delivery(event: string, outcome: string): void };
}

export const WEBHOOK_PATH = '/api/github/webhooks';

const MEBIBYTE = 1024 * 1024;
/** Of a body whose length nobody said. GitHub says it. */
const MAX_UNKNOWN_BYTES = MEBIBYTE;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
const DELIVERY_ID = /^[0-9A-Za-z-]{1,64}$/;
const EVENT_NAME = /^[a-z][a-z_]{0,63}$/;

type Outcome =
  | 'stored'
  | 'known'
  | 'passed'
  | 'unreadable'
  | 'signature'
  | 'malformed'
  | 'failed'
  | 'method'
  | 'path'
  | 'type'
  | BodyRefusal;

/** Status and the whole text of every answer: nothing that came from outside, and no error, is ever in one. */
const ANSWERS: Readonly<Record<Outcome, readonly [number, string]>> = {
  stored: [202, 'accepted'],
  known: [202, 'already accepted'],
  passed: [202, 'accepted'],
  unreadable: [202, 'accepted'],
  path: [404, 'not found'],
  method: [405, 'only POST'],
  type: [415, 'only application/json'],
  'too-large': [413, 'body too large'],
  'too-slow': [408, 'body too slow'],
  busy: [503, 'try again later'],
  gone: [400, 'body incomplete'],
  signature: [401, 'no valid X-Hub-Signature-256'],
  malformed: [400, 'malformed'],
  failed: [503, 'try again later'],
};

/**
 * The only way in for webhooks: checks in the order of what they cost, believes nothing before the signature fits the
 * raw bytes, stores, and only then says 202. Work is done later, by the queue.
 * @throws PorticoError CONFIG_WEBHOOK_SECRET without a secret, or with the one that everybody knows.
 */
export function createDoor(
  options: DoorOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { log, metrics } = options;
  const verifier = createVerifier(options.secrets);
  const limits: BodyLimits = {
    maxBytes: options.limits?.maxBytes ?? 25 * MEBIBYTE,
    milliseconds: options.limits?.bodyMilliseconds ?? 10_000,
  };
  const memory = createMemoryShare(options.limits?.maxBufferedBytes ?? 100 * MEBIBYTE);
  const senders = options.senders ?? createSenders();

  async function receive(request: IncomingMessage): Promise<{ outcome: Outcome; event: string }> {
    const refused = (outcome: Outcome) => ({ outcome, event: 'none' });
    const { headers } = request;
    if (request.url?.split('?', 1)[0] !== WEBHOOK_PATH) return refused('path');
    if (request.method !== 'POST') return refused('method');
    if (!JSON_TYPE.test(headers['content-type'] ?? '')) return refused('type');
    const declared = headers['content-length'];
    if (Number(declared ?? 0) > limits.maxBytes) return refused('too-large');
    const check = verifier(headers['x-hub-signature-256']);
    if (check === undefined) return refused('signature');
    if (labelOf(headers) === undefined) return refused('malformed');
    const length = declared === undefined ? Math.min(MAX_UNKNOWN_BYTES, limits.maxBytes) : limits.maxBytes;
    const share = { memory, sender: senders.ofRequest(request) };
    const body = await readBody(request, { ...limits, maxBytes: length }, share, (chunk) =>
      check.update(chunk),
    );
    if (typeof body === 'string') return refused(body);
    try {
      if (!check.fits()) return refused('signature');
      return await take(headers, body.bytes());
    } finally {
      body.release();
    }
  }

  async function take(
    headers: IncomingMessage['headers'],
    bytes: Buffer,
  ): Promise<{ outcome: Outcome; event: string }> {
    const label = labelOf(headers);
    if (label === undefined) return { outcome: 'malformed', event: 'none' };
    const { id, event } = label;
    const text = bytes.toString('utf8');
    const payload = jsonObject(text);
    if (payload === undefined) return { outcome: 'malformed', event };
    const repository = repositoryNamed(payload);
    try {
      const read = options.read === undefined ? { keep: text } : options.read(event, payload);
      if (read === undefined) return { outcome: 'passed', event };
      if ('unreadable' in read) {
        log.warn({ delivery: id, event, repository, reason: read.unreadable }, 'webhook: cannot be read');
        return { outcome: 'unreadable', event };
      }
      const outcome = await options.inbox.store({ id, event, body: read.keep });
      if (outcome === 'stored') await options.onStored({ id, event });
      log.info({ delivery: id, event, outcome, repository }, 'webhook');
      return { outcome, event };
    } catch (err) {
      log.error({ err, delivery: id, event, repository }, 'webhook: could not be stored');
      return { outcome: 'failed', event };
    }
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { outcome, event } = await receive(request).catch((err: unknown) => {
      log.error({ err }, 'webhook: the door failed');
      return { outcome: 'failed' as const, event: 'none' };
    });
    metrics?.delivery(event, outcome);
    if (ANSWERS[outcome][0] < 500 && ANSWERS[outcome][0] >= 400) log.warn({ outcome }, 'webhook refused');
    answer(request, response, outcome);
  }

  return (request, response) => {
    serve(request, response).catch((err: unknown) => log.error({ err }, 'webhook: could not answer'));
  };
}

/** Id and event of a delivery, where they are what GitHub sends. */
function labelOf(
  headers: IncomingMessage['headers'],
): { readonly id: string; readonly event: string } | undefined {
  const [id, event] = [headers['x-github-delivery'], headers['x-github-event']];
  if (typeof id !== 'string' || typeof event !== 'string') return undefined;
  return DELIVERY_ID.test(id) && EVENT_NAME.test(event) ? { id, event } : undefined;
}

function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const LINGER_MS = 2_000;

/**
 * Answers. When the body was not read to its end the connection is not used again: the rest is thrown away for a short
 * while, so that the sender sees the answer rather than a reset, and then the socket is cut; one that dribbles gets no
 * such time.
 */
function answer(request: IncomingMessage, response: ServerResponse, outcome: Outcome): void {
  const [status, message] = ANSWERS[outcome];
  const text = JSON.stringify(status < 300 ? { status: message } : { error: message });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  if (request.complete || request.destroyed) {
    response.writeHead(status, headers).end(text);
    return;
  }
  response.writeHead(status, { ...headers, connection: 'close' }).write(text);
  const cut = setTimeout(() => request.destroy(), outcome === 'too-slow' ? 0 : LINGER_MS);
  request.resume();
  request.once('end', () => response.end());
  request.once('close', () => clearTimeout(cut));
  request.on('error', () => {});
}
