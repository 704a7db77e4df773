import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { finished } from 'node:stream/promises';

import { PorticoError } from '../error.ts';
import { gitError } from './git-error.ts';

type GitProtocol = 'https' | 'http' | 'file';

/** Where git runs and what it may reach. */
export interface GitSetup {
  /** The bare repository; absent only for commands that need none. */
  readonly gitDir?: string;
  /** Default: https alone. */
  readonly protocols?: readonly GitProtocol[];
}

export interface RunOptions {
  readonly input?: string | Uint8Array;
  /** Added to the environment, such as GIT_COMMITTER_NAME. */
  readonly env?: Readonly<Record<string, string>>;
  /** Settings for this process alone, handed over by environment. */
  readonly config?: Readonly<Record<string, string>>;
  /** Sent as Basic `x-access-token:TOKEN` to this origin alone; reaches git by environment, never argv or URL. */
  readonly credential?: { readonly url: string; readonly token: string };
  /** Exit codes that are answers and not failures; default [0]. */
  readonly accept?: readonly number[];
  /** Milliseconds; default two minutes. */
  readonly timeoutMs?: number;
  /** Bytes of standard output; default 256 MiB. */
  readonly maxOutput?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface RunResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** Without secrets. */
  readonly stderr: string;
}

const TWO_MINUTES = 120_000;
const MAX_OUTPUT = 256 * 1024 * 1024;
const GRACE_MS = 2_000;
const MAX_STDERR = 64 * 1024;

/** What a process inherits: how to find programs, proxies and certificates. Everything else starts empty. */
const INHERITED = [
  'PATH',
  'SystemRoot',
  'TMPDIR',
  'HTTPS_PROXY',
  'https_proxy',
  'http_proxy',
  'NO_PROXY',
  'no_proxy',
  'ALL_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
];

/** Nothing in a repository may run a program, follow a link out of it, ask a person or go elsewhere. */
const SETTINGS: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.symlinks': 'false',
  'core.fsmonitor': 'false',
  'core.protectHFS': 'true',
  'core.protectNTFS': 'true',
  'core.askPass': '',
  'core.quotePath': 'false',
  'credential.helper': '',
  'safe.bareRepository': 'explicit',
  'submodule.recurse': 'false',
  'fetch.recurseSubmodules': 'false',
  'push.recurseSubmodules': 'no',
  'push.followTags': 'false',
  'push.gpgSign': 'false',
  'commit.gpgSign': 'false',
  'tag.gpgSign': 'false',
  'gc.autoDetach': 'false',
  'http.followRedirects': 'false',
  'http.lowSpeedLimit': '1',
  'http.lowSpeedTime': '60',
  'protocol.version': '2',
};

/**
 * Runs one git process to its end. `args` are ours: whatever comes from outside must have passed `safe-name.ts`.
 * Throws GIT_AUTH, GIT_NOT_FOUND, GIT_UNREACHABLE, GIT_TIMEOUT (blame forge), GIT_CORRUPT, GIT_FAILED, and the
 * signal's reason when aborted. No message holds a secret.
 */
export async function runGit(
  setup: GitSetup,
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  options.signal?.throwIfAborted();
  const child = startGit(setup, args, options);
  const limit = new AbortController();
  const stop = (): void => killGroup(child);
  const timer = setTimeout(() => {
    limit.abort(timeoutError(args, options));
    stop();
  }, options.timeoutMs ?? TWO_MINUTES);
  options.signal?.addEventListener('abort', stop, { once: true });
  try {
    const output = collect(child, options.maxOutput ?? MAX_OUTPUT, () => {
      limit.abort(outputError(args));
      stop();
    });
    const [exitCode, { stdout, stderr }] = await Promise.all([
      exitOf(child),
      output,
      feed(child, options.input),
    ]);
    options.signal?.throwIfAborted();
    limit.signal.throwIfAborted();
    const clean = withoutSecrets(stderr, options.credential?.token);
    if (exitCode !== null && (options.accept ?? [0]).includes(exitCode)) {
      return { exitCode, stdout, stderr: clean };
    }
    throw gitError({ command: args[0] ?? '', exitCode, stderr: clean });
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', stop);
  }
}

/** Starts a git process with pipes, in its own process group so that its helpers die with it. */
export function startGit(
  setup: GitSetup,
  args: readonly string[],
  options: Pick<RunOptions, 'env' | 'config' | 'credential'> = {},
): ChildProcess {
  return spawn('git', [...args], {
    // GIT_DIR says where the repository is; a work directory that vanished must not stop the start.
    cwd: '/',
    env: environment(setup, options),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    shell: false,
  });
}

/** Ends a process and its helpers; harmless when it has ended. Asked nicely first, git removes its lock files. */
export function killGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS).unref();
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}

function environment(
  setup: GitSetup,
  options: Pick<RunOptions, 'env' | 'config' | 'credential'>,
): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    HOME: '/nonexistent',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PAGER: 'cat',
    GIT_ALLOW_PROTOCOL: ['https', ...(setup.protocols ?? [])].join(':'),
    ...(setup.gitDir === undefined ? {} : { GIT_DIR: setup.gitDir }),
    ...settings({ ...SETTINGS, ...options.config, ...authorization(options.credential) }),
    ...options.env,
  };
}

function settings(config: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(config);
  const pairs = entries.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(entries.length), ...Object.fromEntries(pairs) };
}

function authorization(credential: RunOptions['credential']): Record<string, string> {
  if (credential === undefined) return {};
  const { origin } = new URL(credential.url);
  return { [`http.${origin}/.extraHeader`]: `Authorization: Basic ${basic(credential.token)}` };
}

function basic(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString('base64');
}

/** Takes the token, its Basic form and any `user:password@` out of a text that git wrote. */
function withoutSecrets(text: string, token: string | undefined): string {
  const anonymous = text.replaceAll(/:\/\/[^/@\s']+@/g, '://***@');
  return token === undefined ? anonymous : anonymous.replaceAll(token, '***').replaceAll(basic(token), '***');
}

async function collect(
  child: ChildProcess,
  maxOutput: number,
  onTooMuch: () => void,
): Promise<{ stdout: Buffer; stderr: string }> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  let outSize = 0;
  let errSize = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    outSize += chunk.length;
    if (outSize > maxOutput) onTooMuch();
    else out.push(chunk);
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    errSize += chunk.length;
    if (errSize <= MAX_STDERR) err.push(chunk);
  });
  // A stream cut off by a kill is no error of its own: the exit code tells.
  for (const stream of [child.stdout, child.stderr]) if (stream) await finished(stream).catch(() => {});
  return { stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') };
}

function feed(child: ChildProcess, input: string | Uint8Array | undefined): Promise<void> {
  const { stdin } = child;
  if (!stdin) return Promise.resolve();
  return new Promise((resolve) => {
    // EPIPE only says that git stopped reading; why, its exit code and stderr tell.
    stdin.on('error', () => resolve());
    stdin.on('close', () => resolve());
    stdin.end(input ?? '');
  });
}

function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve, reject) => {
    child.once('error', (cause) =>
      reject(
        new PorticoError('GIT_FAILED', 'git could not be started', {
          cause,
          hint: 'Install git 2.38 or newer and put it on PATH.',
        }),
      ),
    );
    child.once('close', (code) => resolve(code));
  });
}

function timeoutError(args: readonly string[], options: RunOptions): PorticoError {
  const seconds = Math.round((options.timeoutMs ?? TWO_MINUTES) / 1_000);
  return new PorticoError('GIT_TIMEOUT', `git ${args[0] ?? ''} took longer than ${seconds} s`, {
    blame: 'forge',
  });
}

function outputError(args: readonly string[]): PorticoError {
  return new PorticoError('GIT_FAILED', `git ${args[0] ?? ''} wrote more than the limit`, {
    hint: 'The repository is larger than Portico reads at once; split it or narrow the registered directory.',
  });
}
