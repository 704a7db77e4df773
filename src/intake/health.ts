import type { IncomingMessage, ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

import { VERSION } from '../version.ts';

export interface HealthOptions {
  /** Rejects, or takes longer than the signal lets it, when the database cannot be asked. */
  ping(signal: AbortSignal): Promise<unknown>;
  /** True from the moment that the process was told to stop. */
  stopping(): boolean;
  /** What the machine lacks at the moment, by the codes of the system. */
  troubles(): readonly string[];
  /** Absent: `/metrics` is not served. */
  readonly registry?: { readonly contentType: string; metrics(): Promise<string> };
}

export interface Health extends Disposable {
  /** What the page of that path says; undefined when there is no such page. */
  readonly page: (path: string) => Promise<PageAnswer> | undefined;
}

export type PageAnswer = readonly [status: number, text: string, type: string];

/** Whether a path may be a page of these; `/metrics` need not be served. */
export function isPage(path: string): boolean {
  return PAGES.includes(path);
}

const PAGES: readonly string[] = ['/healthz', '/readyz', '/metrics'];

const PING_MS = 2_000;
/** A loop that is a second late on average for this long does not serve; one long task does not make it so. */
const LAG_WINDOW_MS = 30_000;
const LAG_LIMIT_MS = 1_000;

/**
 * The pages that a supervisor asks: `/healthz` (restart me if not 200: the event loop is stuck), `/readyz` (send me
 * nothing if not 200: stopping, or no database), `/metrics` (Prometheus).
 */
export function createHealth(options: HealthOptions): Health {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const forget = setInterval(() => delay.reset(), LAG_WINDOW_MS);
  forget.unref();

  const pages: Readonly<Record<string, () => Promise<PageAnswer>>> = {
    '/healthz': async () => {
      const lag = Number.isFinite(delay.mean) ? Math.round(delay.mean / 1e6) : 0;
      return json(lag < LAG_LIMIT_MS, { lagMilliseconds: lag, version: VERSION });
    },
    '/readyz': async () => {
      if (options.stopping()) return json(false, { reason: 'stopping' });
      if (!(await reachable(options))) return json(false, { reason: 'database' });
      const troubles = options.troubles();
      // Still ready: webhooks are stored or refused one by one, and replicas that share a full disk would all be taken out of service.
      return json(true, troubles.length === 0 ? {} : { status: 'degraded', troubles });
    },
    ...(options.registry && { '/metrics': scrape(options.registry) }),
  };

  return {
    page: (path) => pages[path]?.(),
    [Symbol.dispose]() {
      clearInterval(forget);
      delay.disable();
    },
  };
}

/** Answers a request for a page with what `ask` finds, which gives undefined where there is no such page. */
export async function answerPage(
  request: IncomingMessage,
  response: ServerResponse,
  ask: (path: string) => Promise<PageAnswer> | undefined,
): Promise<void> {
  const allowed = request.method === 'GET' || request.method === 'HEAD';
  const answer = allowed ? ask(pathOf(request)) : Promise.resolve<PageAnswer>([405, '', 'text/plain']);
  const [status, text, type] = await (answer ?? Promise.resolve(NO_PAGE)).catch((): PageAnswer => [
    500,
    'failed',
    'text/plain',
  ]);
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(request.method === 'HEAD' ? '' : text);
}

const NO_PAGE: PageAnswer = [404, 'not found', 'text/plain'];

/** The path of a request, without what follows a question mark. */
export function pathOf(request: IncomingMessage): string {
  return request.url?.split('?', 1)[0] ?? '';
}

function json(good: boolean, details: Readonly<Record<string, unknown>>): PageAnswer {
  return [
    good ? 200 : 503,
    JSON.stringify({ status: good ? 'ok' : 'unavailable', ...details }),
    'application/json',
  ];
}

async function reachable(options: HealthOptions): Promise<boolean> {
  const signal = AbortSignal.timeout(PING_MS);
  const late = new Promise<boolean>((resolve) => {
    signal.addEventListener('abort', () => resolve(false));
  });
  const asked = options.ping(signal).then(
    () => true,
    () => false,
  );
  return Promise.race([asked, late]);
}

function scrape(registry: { contentType: string; metrics(): Promise<string> }): () => Promise<PageAnswer> {
  return async () => [200, await registry.metrics(), registry.contentType];
}
