/**
 * Webhooks for a machine that the forge cannot reach: a relay such as smee.io keeps a connection open and sends each
 * delivery down it, as server-sent events (probot/smee.io and probot/smee-client). They are handed to the door, which checks
 * their signature like that of any other: the relay is trusted with nothing but coming at all.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { WEBHOOK_PATH, type DoorLog } from './door.ts';

export interface RelayOptions {
  /** Of the channel. */
  readonly url: string;
  /** Where the door is, `http://127.0.0.1:PORT`. */
  readonly door: string;
  readonly log: Pick<DoorLog, 'info' | 'warn'>;
  /** What pauses between connections are counted in; 1,000 when absent. */
  readonly pauseMs?: number;
}

/** Headers of a delivery that the door reads. */
const HEADERS = ['x-github-event', 'x-github-delivery', 'x-hub-signature-256'] as const;
/** Characters of one event: GitHub's largest webhook is 25 MiB, and JSON around it. */
const MAX_EVENT = 30 * 1024 * 1024;
/** The longest pause, in pauses: half a minute. */
const MAX_PAUSES = 30;

/** Listens until it is disposed of; a connection that is lost is opened again. */
export function openRelay({ url, door, log, pauseMs = 1_000 }: RelayOptions): AsyncDisposable {
  const ended = new AbortController();
  const { signal } = ended;

  async function listen(): Promise<void> {
    const response = await fetch(url, { headers: { accept: 'text/event-stream' }, signal });
    if (!response.ok || response.body === null) throw new Error(`the relay answers ${response.status}`);
    log.info({}, 'the relay is connected');
    let rest = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + chunk).replaceAll('\r\n', '\n').split('\n\n');
      rest = parts.pop() ?? '';
      if (rest.length > MAX_EVENT) throw new Error('the relay sends an event that is too large');
      for (const part of parts) await handOver(part);
    }
    throw new Error('the relay closed the connection');
  }

  async function handOver(event: string): Promise<void> {
    const request = requestOf(event);
    if (request === undefined) return;
    const { status, body } = await fetch(`${door}${WEBHOOK_PATH}`, { ...request, method: 'POST', signal });
    await body?.cancel();
    if (status >= 400) log.warn({ outcome: String(status) }, 'a webhook of the relay was refused');
  }

  const running = (async () => {
    for (let failures = 0; !signal.aborted;) {
      const since = Date.now();
      const err = await listen().catch((error: unknown) => error);
      if (signal.aborted) return;
      failures = Date.now() - since > MAX_PAUSES * pauseMs ? 0 : failures + 1;
      log.warn({ err }, 'the relay was lost, and is connected again');
      await pause(Math.min(MAX_PAUSES, 2 ** failures) * pauseMs, undefined, { signal }).catch(() => {});
    }
  })();

  return {
    async [Symbol.asyncDispose]() {
      ended.abort();
      await running;
    },
  };
}

/** Pure: the request that an event stands for; undefined for what is no delivery, such as `ready` and `ping`. */
export function requestOf(
  event: string,
): { readonly headers: Record<string, string>; readonly body: string } | undefined {
  const data = event
    .split('\n')
    .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length).replace(/^ /, '')] : []))
    .join('\n');
  const content = parsed(data);
  if (typeof content !== 'object' || content === null || !('body' in content)) return undefined;
  const given = new Map<string, unknown>(Object.entries(content));
  if (typeof given.get('x-github-event') !== 'string') return undefined;
  const headers = HEADERS.flatMap((name) => {
    const value = given.get(name);
    return typeof value === 'string' && /^[\x20-\x7E]{0,1000}$/.test(value) ? [[name, value] as const] : [];
  });
  // GitHub signs compact JSON, and a relay keeps the order of its fields.
  return {
    headers: { ...Object.fromEntries(headers), 'content-type': 'application/json' },
    body: JSON.stringify(content.body),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
