/** The server's end of the door: starts its thread, hears what was stored, and answers for the pages. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import type { Api } from '../api/api.ts';
import { PorticoError } from '../error.ts';
import type { DoorLog } from '../intake/door.ts';
import type { PageAnswer } from '../intake/health.ts';
import type { DoorSettings, FromDoor, ToDoor } from './door-thread.ts';

export interface DoorHostOptions {
  readonly settings: DoorSettings;
  /** Told of each delivery that was acknowledged; `file` in the spool, where it is not in the database yet. */
  readonly onStored: (delivery: { readonly id: string; readonly file: string | undefined }) => void;
  readonly onOutcome: (event: string, outcome: string) => void;
  /** What a page says; undefined where there is none of that path. */
  readonly page: (path: string) => Promise<PageAnswer> | undefined;
  /** Absent: there is none. */
  readonly api?: Api | undefined;
  readonly log: DoorLog;
}

export interface DoorHost extends AsyncDisposable {
  readonly port: number;
  /** Resolves when the server has been told of everything that was acknowledged until now. */
  flushed(): Promise<void>;
  /** Takes no new connections; those that are open go on. */
  close(): void;
}

const AGAIN_MS = 1_000;

/**
 * Opens the door. A thread that dies is started again on the same port.
 * @throws PorticoError PORT_IN_USE, or DATABASE_UNREACHABLE where deliveries go to a server
 */
export async function openDoor(options: DoorHostOptions): Promise<DoorHost> {
  const { log } = options;
  const flushing = new Map<number, () => void>();
  let calls = 0;
  let ending = false;
  /** The thread that serves; undefined while there is none. */
  let thread: Worker | undefined;
  const port = await start(options.settings);

  async function start(settings: DoorSettings): Promise<number> {
    const worker = new Worker(new URL('./door-thread.ts', import.meta.url), {
      workerData: settings,
      execArgv: [],
      name: 'door',
    });
    const opened = Promise.withResolvers<number>();
    worker.on('message', (message: FromDoor) => hear(worker, message, opened));
    worker.on('error', (err) => {
      log.error({ err }, 'the door failed');
      opened.reject(err);
    });
    worker.on('exit', () => {
      opened.reject(new PorticoError('DOOR_SHUT', 'the door ended while it was opened', { blame: 'bug' }));
      if (thread !== worker) return;
      thread = undefined;
      for (const resolve of flushing.values()) resolve();
      if (!ending) again();
    });
    const listening = await opened.promise;
    thread = worker;
    // Told to end while it was opened again.
    if (ending) tell(worker, { what: 'end' });
    return listening;
  }

  function again(): void {
    log.error({}, 'the door is opened again');
    const timer = setTimeout(() => {
      if (ending) return;
      start({ ...options.settings, port }).catch((err: unknown) => {
        log.error({ err }, 'the door could not be opened');
        again();
      });
    }, AGAIN_MS);
    timer.unref();
  }

  function hear(worker: Worker, message: FromDoor, opened: PromiseWithResolvers<number>): void {
    switch (message.what) {
      case 'open':
        return opened.resolve(message.port);
      case 'shut':
        return opened.reject(refusal(options.settings, message));
      case 'log':
        return log[message.level](withError(message.about), message.message);
      case 'outcome':
        return options.onOutcome(message.event, message.outcome);
      case 'stored':
        return options.onStored(message);
      case 'flushed':
        return flushing.get(message.call)?.();
      case 'page':
        return void answer(worker, message);
      case 'api':
        return void answerApi(worker, message);
    }
  }

  async function answer(worker: Worker, { call, path }: { call: number; path: string }): Promise<void> {
    const failed: PageAnswer = [500, 'failed', 'text/plain'];
    const text = await (options.page(path)?.catch(() => failed) ?? Promise.resolve(undefined));
    tell(worker, { what: 'page', call, answer: text });
  }

  async function answerApi(
    worker: Worker,
    { call, request }: Extract<FromDoor, { what: 'api' }>,
  ): Promise<void> {
    tell(worker, { what: 'api', call, answer: await options.api?.(request) });
  }

  return {
    port,
    async flushed() {
      if (thread === undefined) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const call = (calls += 1);
      flushing.set(call, resolve);
      tell(thread, { what: 'flush', call });
      await promise;
      flushing.delete(call);
    },
    close: () => tell(thread, { what: 'close' }),
    async [Symbol.asyncDispose]() {
      ending = true;
      if (thread === undefined) return;
      const ended = once(thread, 'exit');
      tell(thread, { what: 'end' });
      await ended;
    },
  };
}

/** An error that travelled as a plain value is one again, as the log wants it. */
function withError(about: object): object {
  const { err, ...rest } = about as { readonly err?: { readonly message: string } };
  return err === undefined ? about : { ...rest, err: Object.assign(new Error(err.message), err) };
}

function tell(worker: Worker | undefined, message: ToDoor): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker?.postMessage(message);
}

function refusal(
  { host, port }: DoorSettings,
  { code, message }: Extract<FromDoor, { what: 'shut' }>,
): PorticoError {
  if (code === 'EADDRINUSE')
    return new PorticoError('PORT_IN_USE', `cannot listen on ${host}:${port}`, {
      blame: 'user',
      hint: 'Set PORT to a free port.',
    });
  return new PorticoError('LISTEN_FAILED', `cannot listen on ${host}:${port}: ${message}`, { blame: 'user' });
}
