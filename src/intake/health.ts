import type { IncomingMessage, ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface HealthOptions {
  /** Rejects, or takes longer than the signal lets it, when the database cannot be asked. */
  ping(signal: AbortSignal): Promise<unknown>;
  /** True from the moment that the process was told to stop. */
  stopping(): boolean;
  /** Absent: `/metrics` is not served. */
  readonly registry?: { readonly contentType: string; metrics(): Promise<string> };
}

export interface Health extends Disposable {
  /** Answers `/healthz`, `/readyz` and `/metrics`; false when the path is another. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
}

type Answer = readonly [status: number, text: string, type: string];

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

  const pages: Readonly<Record<string, () => Promise<Answer>>> = {
    '/healthz': async () => {
      const lag = Number.isFinite(delay.mean) ? Math.round(delay.mean / 1e6) : 0;
      return json(lag < LAG_LIMIT_MS, { lagMilliseconds: lag });
    },
    '/readyz': async () => {
      if (options.stopping()) return json(false, { reason: 'stopping' });
      const database = await reachable(options);
      return json(database, database ? {} : { reason: 'database' });
    },
    ...(options.registry && { '/metrics': scrape(options.registry) }),
  };

  return {
    handle(request, response) {
      const page = pages[request.url?.split('?', 1)[0] ?? ''];
      if (page === undefined) return false;
      void serve(request, response, page);
      return true;
    },
    [Symbol.dispose]() {
      clearInterval(forget);
      delay.disable();
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  page: () => Promise<Answer>,
): Promise<void> {
  const allowed = request.method === 'GET' || request.method === 'HEAD';
  const answer = allowed ? page() : Promise.resolve<Answer>([405, '', 'text/plain']);
  const [status, text, type] = await answer.catch((): Answer => [500, 'failed', 'text/plain']);
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(request.method === 'HEAD' ? '' : text);
}

function json(good: boolean, details: Readonly<Record<string, unknown>>): Answer {
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

function scrape(registry: { contentType: string; metrics(): Promise<string> }): () => Promise<Answer> {
  return async () => [200, await registry.metrics(), registry.contentType];
}
