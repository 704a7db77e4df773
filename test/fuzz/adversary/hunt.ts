/** Starts the host, hands it documents, and judges what comes of each. */
import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { Order, Report } from './host.ts';

/** What one document came to. */
export type Outcome =
  | Extract<Report, { kind: 'answered' | 'crashed' }>
  /** It computed for longer than it may. */
  | { readonly kind: 'silent' }
  /** The process ended. */
  | { readonly kind: 'gone' };

export interface Limits {
  /** Milliseconds that the host may compute for one document, all its threads together. */
  readonly cpu: number;
  /** Megabytes of its heap. */
  readonly heap: number;
}

export interface Host {
  attempt(order: Order): Promise<Outcome>;
  close(): void;
}

const LOOK_EVERY = 200;
/** However busy the machine is, and wherever the host waits. */
const MAX_WAIT = 180_000;

/** A host that is started anew whenever a document was the end of the one before. */
export function createHost({ cpu, heap }: Limits): Host {
  let child: Promise<ChildProcess> | undefined;
  const end = (one: ChildProcess): void => {
    child = undefined;
    one.kill('SIGKILL');
  };
  return {
    async attempt(order) {
      child ??= start(heap);
      const one = await child;
      const outcome = await ask(one, order, cpu);
      if (outcome.kind === 'silent' || outcome.kind === 'gone') end(one);
      return outcome;
    },
    close() {
      const last = child;
      child = undefined;
      void last?.then((one) => one.kill('SIGKILL'));
    },
  };
}

function start(heap: number): Promise<ChildProcess> {
  const file = fileURLToPath(new URL('./host.ts', import.meta.url));
  const child = fork(file, [], {
    execArgv: [`--max-old-space-size=${heap}`, '--no-warnings'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', () => resolve(child));
    child.once('exit', (code, signal) => reject(new Error(`the host did not start: ${code ?? signal}`)));
  });
}

function ask(child: ChildProcess, order: Order, limit: number): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let begun: number | undefined;
  const onMessage = (message: unknown): void => {
    const report = message as Report;
    if (report.kind === 'begun') begun = computed(child);
    if (report.kind === 'answered' || report.kind === 'crashed') resolve(report);
  };
  const onGone = (): void => resolve({ kind: 'gone' });
  const look = setInterval(() => {
    if (begun !== undefined && computed(child) - begun > limit) resolve({ kind: 'silent' });
  }, LOOK_EVERY);
  const last = setTimeout(() => resolve({ kind: 'silent' }), MAX_WAIT);
  child.on('message', onMessage);
  child.once('exit', onGone);
  child.send(order, (error) => {
    if (error !== null) resolve({ kind: 'gone' });
  });
  return promise.finally(() => {
    clearInterval(look);
    clearTimeout(last);
    child.off('message', onMessage);
    child.off('exit', onGone);
  });
}

/** Milliseconds that a process has computed, whoever else keeps the machine busy. */
function computed({ pid }: ChildProcess): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}
