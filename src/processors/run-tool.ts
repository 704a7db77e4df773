/**
 * Runs a tool on files of a package: in bubblewrap where that works, without network, with an empty home and with no file of
 * this machine but the staged ones, which it cannot change.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import type { ErrorCode } from '../error-code.ts';
import type { Refusal } from '../error.ts';
import { hasBubblewrap, inBubblewrap } from '../function/sandbox/bubblewrap.ts';
import { makeControlGroup } from '../function/sandbox/control-group.ts';
import type { Limits } from '../function/sandbox/limits.ts';
import { supervise, type Ended } from '../function/sandbox/supervise.ts';
import type { Tree } from '../package/tree-digest.ts';
import { refuse } from './processor-step.ts';
import { findTool, type Tool, type ToolKind } from './tool.ts';

/** Where tools are found and run, for whoever may start no program. */
export interface ToolMachine {
  find(name: ToolKind, wanted: string | undefined): Promise<FoundTool>;
  /** Runs it with the files as its working directory, whose name is in nothing that it says. */
  run(tool: Tool, args: readonly string[], files: Tree): Promise<ToolRun>;
}

type FoundTool = Awaited<ReturnType<typeof findTool>>;

export interface ToolOptions {
  /** In the place of this process. */
  readonly machine?: ToolMachine;
  /** Where tools are looked for; the process' own environment when absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Whether programs can be confined here; asks bubblewrap when absent. */
  readonly hasSandbox?: () => Promise<boolean>;
  /** Refuse to run tools where nothing confines them. For servers, which run what strangers may choose. */
  readonly needsSandbox?: boolean;
  /** In the place of the usual limits. */
  readonly limits?: Partial<Limits>;
  readonly signal?: AbortSignal;
}

const MIB = 1024 * 1024;

/** One run of a tool. A chart of hundreds of templates takes a second and some 200 MiB. */
const TOOL_LIMITS: Limits = {
  timeoutMs: 60_000,
  outputBytes: 32 * MIB,
  memoryBytes: 1024 * MIB,
  processes: 64,
};

/** What is staged for a tool: the largest charts have a few hundred files and some MiB. */
const STAGED_FILES = 10_000;
const STAGED_BYTES = 64 * MIB;
const BATCH_SIZE = 16;
const KILLED = 137;
/** The last words of a program in Go that the machine gave no more memory, sooner than the watch saw it. */
const GO_OUT_OF_MEMORY = /^fatal error: (?:runtime: )?(?:out of memory|cannot allocate memory)/m;

export interface Staged extends AsyncDisposable {
  readonly directory: string;
  readonly files: Tree;
  /** A text without the name of the directory, which nobody knows and which differs each time. */
  readonly clean: (text: string) => string;
}

/** The program that a processor needs; refused with the ways to get it where there is none. */
export async function toolFor(
  name: ToolKind,
  wanted: string | undefined,
  { machine, environment = process.env }: ToolOptions,
): Promise<FoundTool> {
  return (await machine?.find(name, wanted)) ?? (await findTool(name, wanted, environment));
}

/** Writes files into a fresh directory, which goes when it is disposed of; where a machine runs tools, it does that. */
export async function stage(
  files: Tree,
  { machine }: Pick<ToolOptions, 'machine'> = {},
): Promise<{ readonly staged: Staged } | { readonly refused: Refusal }> {
  const bytes = [...files.values()].reduce((sum, file) => sum + file.length, 0);
  if (files.size > STAGED_FILES || bytes > STAGED_BYTES) {
    const message = `${files.size} files with ${Math.ceil(bytes / MIB)} MiB are too much for one processor`;
    const most = `${STAGED_FILES} files and ${STAGED_BYTES / MIB} MiB`;
    return refuse(
      'PROCESSOR_INPUT_LIMIT',
      message,
      `It may read ${most}: leave the rest out with \`exclude\`.`,
    );
  }
  if (machine !== undefined) {
    return { staged: { directory: '', files, clean: asItIs, [Symbol.asyncDispose]: nothing } };
  }
  const directory = await mkdtemp(join(tmpdir(), 'portico-processor-'));
  const staged: Staged = {
    directory,
    files,
    clean: (text) => text.replaceAll(`${directory}/`, ''),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
  try {
    const folders = new Set([...files.keys()].map((path) => dirname(join(directory, path))));
    for (const folder of folders) await mkdir(folder, { recursive: true });
    const all = [...files];
    for (let at = 0; at < all.length; at += BATCH_SIZE) {
      const some = all.slice(at, at + BATCH_SIZE);
      await Promise.all(some.map(([path, content]) => writeFile(join(directory, path), content)));
    }
    return { staged };
  } catch (error) {
    await staged[Symbol.asyncDispose]();
    throw error;
  }
}

function asItIs(text: string): string {
  return text;
}

function nothing(): Promise<void> {
  return Promise.resolve();
}

export type ToolRun =
  | {
      readonly stdout: string;
      readonly stderr: string;
      readonly exitCode: number;
      readonly unconfined?: string;
    }
  | { readonly refused: Refusal };

/** Runs it to its end, with the staged directory as its working directory. Throws the signal's reason when aborted. */
export async function runTool(
  tool: Tool,
  args: readonly string[],
  staged: Staged,
  options: ToolOptions,
): Promise<ToolRun> {
  const { signal, machine } = options;
  signal?.throwIfAborted();
  if (machine !== undefined) return machine.run(tool, args, staged.files);
  const limits = { ...TOOL_LIMITS, ...options.limits };
  const host = options.environment ?? process.env;
  const wanted = host['PORTICO_EXEC_SANDBOX'] !== 'off';
  const boxed = (wanted || options.needsSandbox === true) && (await (options.hasSandbox ?? hasBubblewrap)());
  if (!boxed && options.needsSandbox === true) {
    const message = `${tool.name} was not run: nothing here confines what charts and overlays of others do`;
    return refuse(
      'SANDBOX_MISSING',
      message,
      'The operator of Portico must install bubblewrap where it may create namespaces.',
    );
  }
  const name = tool.name;
  const common = { stdin: '', name, limits };
  let ended: Ended;
  if (boxed) {
    const env = environmentFor('/tmp');
    const view = { readable: [staged.directory, tool.file], cwd: staged.directory, env };
    const inside = inBubblewrap(tool.file, args, view, limits);
    const group = makeControlGroup(limits);
    try {
      ended = await supervise({ ...(group?.wrap(inside) ?? inside), env: {}, ...common }, signal);
    } finally {
      await group?.close();
    }
  } else {
    const home = await mkdtemp(join(tmpdir(), 'portico-home-'));
    try {
      const env = environmentFor(home);
      ended = await supervise({ program: tool.file, args, cwd: staged.directory, env, ...common }, signal);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  }
  signal?.throwIfAborted();
  const { exitCode, stdout, stderr, cut } = ended;
  if (cut !== undefined) return { refused: inOurWords(cut, name, limits) };
  // Nobody but the kernel kills it in there: memory is what it ran out of.
  if ((boxed && exitCode === KILLED) || GO_OUT_OF_MEMORY.test(stderr))
    return { refused: memoryLimit(name, limits) };
  const unconfined =
    `${name} ran without a sandbox: bubblewrap is not installed or may make no namespaces. ` +
    'Install it, or set PORTICO_EXEC_SANDBOX=off to run without a sandbox.';
  return { exitCode, stdout, stderr, ...(wanted && !boxed && { unconfined }) };
}

/** Nothing of ours but a home that is empty: no plugin, repository, credential or cluster is found. */
function environmentFor(home: string): Record<string, string> {
  return { HOME: home, TMPDIR: home, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', TZ: 'UTC' };
}

/** The watch speaks of functions. */
const CODES: Readonly<Partial<Record<ErrorCode, ErrorCode>>> = {
  EXEC_FAILED: 'PROCESSOR_FAILED',
  FUNCTION_OUTPUT_LIMIT: 'PROCESSOR_OUTPUT_LIMIT',
  FUNCTION_PROCESS_LIMIT: 'PROCESSOR_PROCESS_LIMIT',
  FUNCTION_TIMEOUT: 'PROCESSOR_TIMEOUT',
};

function inOurWords({ code, message, hint }: Refusal, name: string, limits: Limits): Refusal {
  if (code === 'FUNCTION_MEMORY_LIMIT') return memoryLimit(name, limits);
  const hints: Readonly<Partial<Record<ErrorCode, string>>> = {
    FUNCTION_TIMEOUT: 'Look for templates that repeat without end, or divide the chart.',
    FUNCTION_OUTPUT_LIMIT: 'Look for templates that print without end, or divide the chart.',
    FUNCTION_PROCESS_LIMIT: 'It should start no other programs.',
  };
  return { code: CODES[code] ?? code, message, hint: hints[code] ?? hint };
}

function memoryLimit(name: string, { memoryBytes }: Limits): Refusal {
  return {
    code: 'PROCESSOR_MEMORY_LIMIT',
    message: `${name} needed more than ${Math.round(memoryBytes / MIB)} MiB of memory and was ended.`,
    hint: 'Look for templates that build ever larger values, or divide the chart.',
  };
}
