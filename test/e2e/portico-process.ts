import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const START = fileURLToPath(new URL('../../src/portico.js', import.meta.url));

export interface PorticoProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Everything that it wrote to stderr so far. */
  log(): string;
  /** Ends it and waits for the end; the exit code, or null after a signal that cannot be caught. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts `portico` as a process of its own, as a user would; `program` is what Node is given before the arguments. */
export function startPortico(
  argv: readonly string[],
  env: Record<string, string> = {},
  program: readonly string[] = [START],
): PorticoProcess {
  const child = spawn(process.execPath, [...program, ...argv], {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }
    return child.exitCode;
  };
  return {
    child,
    log: () => log,
    end,
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
    },
  };
}

export interface Ready {
  readonly event: 'ready';
  readonly api: string;
  readonly git: string;
  readonly web: string;
  readonly bot: string;
  readonly app: {
    readonly id: number;
    readonly slug: string;
    readonly privateKeyFile: string;
    readonly webhookSecretFile: string;
  };
}

/** `portico dev --json`, up to its ready line. */
export async function startDev(options: {
  readonly data: string;
  readonly config?: string;
  readonly port?: number;
}): Promise<PorticoProcess & { readonly ready: Ready }> {
  const portico = startPortico([
    'dev',
    '--json',
    '--data',
    options.data,
    ...(options.config === undefined ? [] : ['--config', options.config]),
    ...(options.port === undefined ? [] : ['--port', String(options.port)]),
  ]);
  const { stdout } = portico.child;
  if (stdout === null) throw new Error('no stdout');
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: stdout }).once('line', resolve);
    portico.child.once('exit', (code) =>
      reject(new Error(`portico dev ended with ${code}: ${portico.log()}`)),
    );
  });
  return Object.assign(portico, { ready: JSON.parse(line) as Ready });
}

/** A port that was free just now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
