import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

import { PorticoError } from '../error.ts';
import type { Program } from '../processes/program.ts';
import { runProgram } from '../processes/starter.ts';
import { scrubSecrets } from '../text/secrets.ts';
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
  /** Sent to this origin alone; reaches git by environment, never argv or URL. */
  readonly credential?: Login & { readonly url: string };
  /** Exit codes that are answers and not failures; default [0]. */
  readonly accept?: readonly number[];
  /** Milliseconds; default two minutes. */
  readonly timeoutMs?: number;
  /** Bytes of standard output; default 256 MiB. */
  readonly maxOutput?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Sent as Basic `USERNAME:TOKEN`. */
export interface Login {
  /** Default: x-access-token, as GitHub wants it of Apps. */
  readonly username?: string | undefined;
  readonly token: string;
}

export interface RunResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** Without secrets. */
  readonly stderr: string;
}

const TWO_MINUTES = 120_000;
/** Bytes that a git process may print before it is ended. */
const MAX_OUTPUT = 160 * 1024 * 1024;
/** Bytes of its messages that are kept. */
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
  const program = programOf(setup, args, options);
  const running = runProgram(program, {
    input: options.input,
    maxOutput: options.maxOutput ?? MAX_OUTPUT,
    maxErrors: MAX_STDERR,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    running.stop();
  }, options.timeoutMs ?? TWO_MINUTES);
  const stop = (): void => running.stop();
  options.signal?.addEventListener('abort', stop, { once: true });
  try {
    const { code, stdout, stderr, tooMuch } = await running.ended.catch((cause: unknown) => {
      throw notStarted(cause);
    });
    options.signal?.throwIfAborted();
    if (isLate) throw timeoutError(args, options);
    if (tooMuch) throw outputError(args);
    const clean = withoutSecrets(stderr.toString('utf8'), options.credential);
    if (code !== null && (options.accept ?? [0]).includes(code))
      return { exitCode: code, stdout, stderr: clean };
    throw gitError({ command: args[0] ?? '', exitCode: code, stderr: clean });
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', stop);
  }
}

/** Starts a git process with pipes, to talk with; in its own process group so that its helpers die with it. */
export function startGit(setup: GitSetup, args: readonly string[]): ChildProcess {
  const { file, env, cwd } = programOf(setup, args, {});
  return spawn(file, [...args], {
    cwd,
    env: { ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    shell: false,
  });
}

function programOf(
  setup: GitSetup,
  args: readonly string[],
  options: Pick<RunOptions, 'env' | 'config' | 'credential'>,
): Program & { readonly cwd: string } {
  // GIT_DIR says where the repository is; a work directory that vanished must not stop the start.
  return { file: 'git', args, env: environment(setup, options), cwd: '/', ownGroup: true };
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
  return { [`http.${origin}/.extraHeader`]: `Authorization: ${authorizationOf(credential)}` };
}

/** The value of the header `Authorization`. */
export function authorizationOf(login: Login): string {
  return `Basic ${basic(login)}`;
}

function basic({ username = 'x-access-token', token }: Login): string {
  return Buffer.from(`${username}:${token}`).toString('base64');
}

/** Takes the token, its Basic form and any `user:password@` out of a text that git wrote. */
function withoutSecrets(text: string, login: Login | undefined): string {
  const anonymous = scrubSecrets(text);
  return login === undefined
    ? anonymous
    : anonymous.replaceAll(login.token, '***').replaceAll(basic(login), '***');
}

/** The error for a `git` that could not be started: the machine's, or an installation's that lacks it. */
export function notStarted(cause: unknown): PorticoError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'EACCES') {
    // No room for a process, or the one that starts others was ended: nobody asked for anything wrong.
    return new PorticoError('GIT_FAILED', 'git was cut off by the machine', { cause, blame: 'forge' });
  }
  return new PorticoError('GIT_FAILED', 'git could not be started', {
    blame: 'user',
    cause,
    hint: 'Install git 2.38 or newer and put it on PATH.',
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
    blame: 'user',
    hint: 'The repository is larger than Portico reads at once; split it or narrow the registered directory.',
  });
}
