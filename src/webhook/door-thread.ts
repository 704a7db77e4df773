/**
 * The door as a thread of its own: what the server does at that moment (a statement of the embedded engine, the start
 * of a git process, a large package) never keeps a webhook waiting. It stores a delivery, tells the server, and answers.
 * The pages for supervisors are asked of the server, so that a server that stands still is seen from outside.
 */
import { createServer } from 'node:http';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';

import { answerApi } from '../api/door.ts';
import { isApiPath, type ApiAnswer, type ApiRequest } from '../api/message.ts';
import { PorticoError } from '../error.ts';
import { shareConnections } from '../intake/connections.ts';
import { createDoor, type DoorLog } from '../intake/door.ts';
import { answerPage, isPage, pathOf, type PageAnswer } from '../intake/health.ts';
import { createInbox, type Inbox } from '../intake/inbox.ts';
import { createSenders } from '../intake/sender.ts';
import { openSpool } from '../intake/spool.ts';
import { openPostgres } from '../queue/postgres.ts';
import { routeEvent } from './route.ts';
import { storedText } from './routed-event.ts';

export interface DoorSettings {
  /** The App's own number: of its own checks it hears much, and they ask for little. */
  readonly appId: number;
  readonly secrets: readonly string[];
  readonly host: string;
  readonly port: number;
  /** A delivery is acknowledged when it is a row there, */
  readonly databaseUrl: string | undefined;
  /** or, without a server, a file here. */
  readonly spool: string;
  /** 2,000 when absent. */
  readonly mostConnections?: number;
  /** Addresses and networks of proxies that say truly whom they heard from. */
  readonly trustedProxies?: readonly string[];
}

export type ToDoor =
  | { readonly what: 'page'; readonly call: number; readonly answer: PageAnswer | undefined }
  | { readonly what: 'api'; readonly call: number; readonly answer: ApiAnswer | undefined }
  | { readonly what: 'flush'; readonly call: number }
  | { readonly what: 'close' }
  | { readonly what: 'end' };

export type FromDoor =
  | { readonly what: 'open'; readonly port: number }
  | { readonly what: 'shut'; readonly code: string; readonly message: string }
  | {
      readonly what: 'log';
      readonly level: 'info' | 'warn' | 'error';
      readonly about: object;
      readonly message: string;
    }
  | { readonly what: 'outcome'; readonly event: string; readonly outcome: string }
  /** `file`: where it lies, when it is not in the database yet. */
  | { readonly what: 'stored'; readonly id: string; readonly file: string | undefined }
  | { readonly what: 'page'; readonly call: number; readonly path: string }
  | { readonly what: 'api'; readonly call: number; readonly request: ApiRequest }
  | { readonly what: 'flushed'; readonly call: number };

/** A client that has not sent its headers by then is no forge. */
const HEADERS_MS = 10_000;
/** How often is looked for such clients. */
const LOOK_MS = 5_000;
/** Each is a file descriptor, and git needs some too; a forge sends far fewer webhooks at once. */
const MAX_CONNECTIONS = 2_000;
/** A server that does not say anything for so long stands still. */
const PAGE_MS = 10_000;
const NO_PAGE: PageAnswer = [404, 'not found', 'text/plain'];
const STUCK_API: ApiAnswer = {
  status: 503,
  headers: { 'content-type': 'application/json' },
  body: '{"error":{"code":"STUCK","message":"The server does not answer.","hint":"Ask again later."}}',
};
const STUCK: PageAnswer = [503, '{"status":"unavailable","reason":"stuck"}', 'application/json'];

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const tell = (message: FromDoor): void => parentPort?.postMessage(message);

/** Webhooks go first, where the system lets us say so. */
function goFirst(): void {
  // Only there 0 is the calling thread.
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, constants.priority.PRIORITY_ABOVE_NORMAL);
  } catch {
    // Without the right to it, the door takes its turn like all others.
  }
}

async function open({
  appId,
  secrets,
  host,
  port,
  databaseUrl,
  spool,
  mostConnections = MAX_CONNECTIONS,
  trustedProxies,
}: DoorSettings): Promise<void> {
  goFirst();
  const store = databaseUrl === undefined ? inFiles(spool) : await inDatabase(databaseUrl);
  const senders = createSenders(trustedProxies);
  const door = createDoor({
    secrets,
    senders,
    inbox: store,
    read: (event, payload) => {
      const { jobs, unreadable } = routeEvent(event, payload, appId);
      if (unreadable !== undefined) return { unreadable };
      return jobs.length === 0 ? undefined : { keep: storedText(jobs) };
    },
    onStored: async ({ id }) => tell({ what: 'stored', id, file: store.fileOf(id) }),
    log: LOG_THERE,
    metrics: { delivery: (event, outcome) => tell({ what: 'outcome', event, outcome }) },
  });
  const pages = askThere<string, PageAnswer>(STUCK, (call, path) => tell({ what: 'page', call, path }));
  const api = askThere<ApiRequest, ApiAnswer>(STUCK_API, (call, request) =>
    tell({ what: 'api', call, request }),
  );
  const askApi = answerApi(
    (request) => api.ask(request),
    () => Date.now(),
  );
  const server = createServer({ connectionsCheckingInterval: LOOK_MS }, (request, response) => {
    const path = pathOf(request);
    if (isPage(path)) void answerPage(request, response, async (page) => (await pages.ask(page)) ?? NO_PAGE);
    else if (isApiPath(path)) void askApi(request, response, senders.ofRequest(request));
    else door(request, response);
  });
  server.headersTimeout = HEADERS_MS;
  shareConnections(server, senders, mostConnections);
  server.once('error', (error: NodeJS.ErrnoException) => shut(error.code ?? 'UNEXPECTED', error.message));
  server.listen(port, host, () => {
    const address = server.address();
    tell({ what: 'open', port: address !== null && typeof address === 'object' ? address.port : 0 });
  });
  parentPort?.on('message', (message: ToDoor) => {
    if (message.what === 'page') pages.answered(message.call, message.answer);
    if (message.what === 'api') api.answered(message.call, message.answer);
    // Messages keep their order: what was stored before is told before.
    if (message.what === 'flush') tell({ what: 'flushed', call: message.call });
    if (message.what === 'close') server.close();
    if (message.what === 'end') {
      server.closeAllConnections();
      server.close();
      void store.close().finally(() => parentPort?.close());
    }
  });
}

interface Store extends Pick<Inbox, 'store'> {
  /** Of a delivery that was stored just now. */
  fileOf(id: string): string | undefined;
  close(): Promise<void>;
}

function inFiles(directory: string): Store {
  const spool = openSpool(directory);
  const files = new Map<string, string>();
  return {
    async store(delivery) {
      files.set(delivery.id, spool.put(delivery));
      return 'stored';
    },
    fileOf(id) {
      const file = files.get(id);
      files.delete(id);
      return file;
    },
    close: async () => {},
  };
}

async function inDatabase(url: string): Promise<Store> {
  const database = await openPostgres(url);
  const inbox = createInbox(database);
  return {
    store: (delivery) => inbox.store(delivery),
    fileOf: () => undefined,
    close: () => database.close(),
  };
}

/** The server's logger, which knows what must never be in a line. */
const LOG_THERE: DoorLog = {
  info: (about, message) => logThere('info', about, message),
  warn: (about, message) => logThere('warn', about, message),
  error: (about, message) => logThere('error', about, message),
};

function logThere(level: 'info' | 'warn' | 'error', about: object, message: string): void {
  const { err, ...rest } = about as { readonly err?: unknown };
  tell({ what: 'log', level, message, about: err === undefined ? rest : { ...rest, err: plain(err) } });
}

/** An error as it can travel. */
function plain(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  return { name, message, stack, code: (error as { readonly code?: unknown }).code };
}

/** What the server answers; it is the one whose health pages tell, so `stuck` is answered where it does not. */
function askThere<Question, Answer>(stuck: Answer, send: (call: number, question: Question) => void) {
  const waiting = new Map<number, (answer: Answer | undefined) => void>();
  let calls = 0;
  return {
    ask(question: Question): Promise<Answer | undefined> {
      const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
      const call = (calls += 1);
      const settle = (answer: Answer | undefined): void => {
        clearTimeout(timer);
        waiting.delete(call);
        resolve(answer);
      };
      const timer = setTimeout(() => settle(stuck), PAGE_MS);
      waiting.set(call, settle);
      send(call, question);
      return promise;
    },
    answered: (call: number, answer: Answer | undefined): void => waiting.get(call)?.(answer),
  };
}

function shut(code: string, message: string): void {
  tell({ what: 'shut', code, message });
  parentPort?.close();
}

// By itself Node writes them as text, which is no line of the log.
process.removeAllListeners('warning');
process.on('warning', (err) => LOG_THERE.warn({ err }, 'Node warns'));

open(workerData as DoorSettings).catch((error: unknown) => {
  shut(error instanceof PorticoError ? error.code : 'UNEXPECTED', String(error));
});
