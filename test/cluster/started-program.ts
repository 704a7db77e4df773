/** Programs of the cluster: started with their output in a file, waited for, and ended. */
import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A machine with two busy processors takes long to start an API server. */
const READY_MS = 120_000;
const END_MS = 20_000;

export interface StartedProgram extends AsyncDisposable {
  /** Ends it as a crash would. */
  kill(): Promise<void>;
}

/** Starts a program; `ready` is asked until it says yes. @throws Error with the end of its output where it does not come up */
export async function startProgram(
  [program, ...args]: readonly [string, ...string[]],
  log: string,
  ready: () => Promise<boolean>,
): Promise<StartedProgram> {
  const output = openSync(log, 'a');
  const child = spawn(program, args, { stdio: ['ignore', output, output] });
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  child.once('error', () => resolve());
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    child.kill(signal);
    const late = new AbortController();
    const kill = delay(END_MS, undefined, { signal: late.signal, ref: false }).then(
      () => child.kill('SIGKILL'),
      () => undefined,
    );
    await ended;
    late.abort();
    await kill;
  };
  const until = performance.now() + READY_MS;
  while (!(await ready().catch(() => false))) {
    if (child.exitCode !== null || child.signalCode !== null || performance.now() > until) {
      await stop('SIGKILL');
      throw new Error(`${program} did not start:\n${readFileSync(log, 'utf8').slice(-4000)}`);
    }
    await delay(200);
  }
  return { kill: () => stop('SIGKILL'), [Symbol.asyncDispose]: () => stop('SIGTERM') };
}
