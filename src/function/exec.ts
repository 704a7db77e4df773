/** Programs as functions: a ResourceList on stdin, a ResourceList on stdout. */
import { spawn } from 'node:child_process';

import type { FunctionOutput } from '../package/render/function-runtime.ts';
import type { KrmObject } from '../package/render/krm-object.ts';
import { printResourceList, readResourceList } from './resource-list.ts';
import type { RuntimeOptions } from './runtime.ts';

const FIVE_MINUTES = 300_000;
const MOST_OUTPUT = 32 * 1024 * 1024;
const MOST_STDERR = 1024 * 1024;

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it was ended, where it did not end by itself. */
  readonly cut?: { readonly code: string; readonly message: string; readonly hint: string };
}

/** Runs a command line such as `fn-label --verbose`, split as a shell would, without a shell. */
export async function runExec(
  command: string,
  input: { readonly items: readonly KrmObject[]; readonly functionConfig?: KrmObject },
  options: RuntimeOptions,
  signal?: AbortSignal,
): Promise<FunctionOutput> {
  const [program, ...args] = splitCommand(command);
  if (program === undefined)
    return refused('EXEC_EMPTY', 'The exec entry names no program.', 'Name a program.');
  if (command.includes('\0'))
    return refused('EXEC_INVALID', 'The exec entry holds a NUL character.', 'Correct it.');
  const ended = await start(program, args, printResourceList(input), options, signal);
  signal?.throwIfAborted();
  const { exitCode, stdout, stderr, cut } = ended;
  if (cut !== undefined) return { ...refused(cut.code, cut.message, cut.hint), stderr };
  return { ...readAnswer(stdout, exitCode, input.items), ...(stderr === '' ? {} : { stderr }) };
}

function readAnswer(stdout: string, exitCode: number, given: readonly KrmObject[]): FunctionOutput {
  const list = readResourceList(stdout, given);
  if (typeof list === 'string') {
    if (exitCode !== 0) return { exitCode, results: [] };
    return {
      exitCode: 1,
      results: [{ message: list, severity: 'error', tags: { code: 'FUNCTION_OUTPUT' } }],
    };
  }
  return { exitCode, results: list.results, ...(exitCode === 0 ? { items: list.items } : {}) };
}

function start(
  program: string,
  args: readonly string[],
  stdin: string,
  options: RuntimeOptions,
  signal: AbortSignal | undefined,
): Promise<Ended> {
  const { timeout = FIVE_MINUTES, outputLimit = MOST_OUTPUT } = options;
  const { promise, resolve } = Promise.withResolvers<Ended>();
  // Its own process group, so that what the program started ends with it.
  const child = spawn(program, args, {
    stdio: 'pipe',
    detached: true,
    ...(options.workingDirectory === undefined ? {} : { cwd: options.workingDirectory }),
    ...(options.environment === undefined ? {} : { env: { ...options.environment } }),
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  let size = 0;
  let said = 0;
  let cut: Ended['cut'];
  const stop = (reason?: Ended['cut']): void => {
    cut ??= reason;
    if (child.pid !== undefined) killGroup(child.pid);
    // What left the group may still hold the pipes.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const timer = setTimeout(() => {
    stop({
      code: 'FUNCTION_TIMEOUT',
      message: `${program} took longer than ${Math.round(timeout / 1000)} s and was ended.`,
      hint: 'Make the function faster, or give it fewer resources with selectors.',
    });
  }, timeout);
  const abort = (): void => stop();
  const settle = (ended: Ended): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    resolve(ended);
  };
  signal?.addEventListener('abort', abort, { once: true });
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= outputLimit) stdout.push(chunk);
    else {
      stop({
        code: 'FUNCTION_OUTPUT_LIMIT',
        message: `${program} printed more than ${Math.round(outputLimit / 1024)} KiB and was ended.`,
        hint: 'Let the function print one ResourceList and nothing else.',
      });
    }
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.length;
    if (said <= MOST_STDERR) stderr.push(chunk);
  });
  child.stdin.on('error', () => undefined);
  child.on('error', (error) => {
    cut ??= {
      code: 'EXEC_FAILED',
      message: `${program} cannot be started: ${error.message}`,
      hint: 'Install the program, or correct its path.',
    };
    settle({ exitCode: 1, stdout: '', stderr: '', cut });
  });
  child.on('close', (code) => {
    settle({
      exitCode: code ?? 1,
      stdout: textOf(stdout),
      stderr: textOf(stderr),
      ...(cut === undefined ? {} : { cut }),
    });
  });
  child.stdin.end(stdin);
  return promise;
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8');
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Splits a command line as a POSIX shell would: quotes and backslashes, nothing else. */
export function splitCommand(command: string): string[] {
  const words: string[] = [];
  const token = /\s*((?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+)/gsy;
  for (const match of command.matchAll(token)) {
    const word = match[1] ?? '';
    words.push(
      word.replaceAll(
        /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs,
        (_all, escaped?: string, double?: string, single?: string) =>
          escaped ?? single ?? (double ?? '').replaceAll(/\\(["\\$`])/g, '$1'),
      ),
    );
  }
  return words;
}

function refused(code: string, message: string, hint: string): FunctionOutput {
  return { exitCode: 1, results: [], refused: { code, message, hint } };
}
