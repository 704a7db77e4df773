/** The child process in which modules run, and what is looked at before one does. */

import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';

import type { ErrorCode } from '../../error-code.ts';
import type { Refusal } from '../../error.ts';
import { PERMISSION_FLAG } from '../../processes/permission-flag.ts';
import { hasBubblewrap, inBubblewrap } from '../sandbox/bubblewrap.ts';
import type { Limits } from '../sandbox/limits.ts';
import { heldTooMuch, supervise, type Ended } from '../sandbox/supervise.ts';
import { PAGE } from './wasm-module.ts';

/** Bytes of a module; the process has memory for its compilation. */
const MAX_MODULE = 64 * 1024 * 1024;

/** What Node and V8 need beside the module's memory. */
const NODE_BYTES = 192 * 1024 * 1024;

/** Why a module may not run: it is not there, is too large, or is not the one that was allowed. */
export function codeFault({
  file,
  sha256,
  bytes,
}: {
  /** Name of the file, for messages. */
  readonly file: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly bytes: Uint8Array | null;
}): Refusal | undefined {
  if (bytes === null) {
    const message = `${file} does not exist, although the configuration allows it.`;
    return { code: 'WASM_MISSING', message, hint: 'Add the file to the base branch, or fix its path.' };
  }
  if (bytes.length > MAX_MODULE) {
    const message = `${file} has more than ${MAX_MODULE / 1024 / 1024} MiB.`;
    return { code: 'WASM_TOO_LARGE', message, hint: 'Build a smaller module.' };
  }
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found === sha256) return undefined;
  const message = `${file} is not the module that the configuration allows: its sha256 is ${found}.`;
  return { code: 'WASM_DIGEST', message, hint: 'Fix the file, or the sha256 in the configuration.' };
}

/** A child, what it runs and what it reads. */
export interface WasmChild {
  /** Name of the module, for messages. */
  readonly name: string;
  readonly source: string;
  readonly task: { readonly moduleBytes: number };
  readonly module: Uint8Array;
  /** What stands behind the module on its stdin. */
  readonly input: string;
  readonly limits: Limits;
}

/** Runs the source text of a child to its end; it reads the task on its first line, the module and its input. */
export async function runWasmProcess(
  { name, source, task, module, input, limits }: WasmChild,
  signal?: AbortSignal,
): Promise<Ended> {
  const stdin = Buffer.concat([Buffer.from(`${JSON.stringify(task)}\n`), module, Buffer.from(input)]);
  const own = { ...limits, memoryBytes: limits.memoryBytes + NODE_BYTES };
  const child = { ...(await wasmProcess(source, limits)), env: {}, stdin, name, limits: own };
  signal?.throwIfAborted();
  const ended = await supervise(child, signal);
  signal?.throwIfAborted();
  return ended;
}

/** What the child said of its end, in its own child's shape; undefined where it did not come to that. */
export function saidAtEnd({ status }: Ended): unknown {
  try {
    return JSON.parse(status);
  } catch {
    return undefined;
  }
}

/** Why a child ended that did not say so. V8 ends the whole process where its own memory is used up. */
export function endedUntold(
  { name, limits }: Pick<WasmChild, 'name' | 'limits'>,
  what: { readonly code: ErrorCode; readonly noun: string },
  { exitCode, stderr }: Ended,
): Refusal {
  if (exitCode > 128) return heldTooMuch(name, limits);
  const message = `The process of ${name} ended with code ${exitCode} before it could say how the ${what.noun} ended.`;
  return { code: what.code, message, hint: stderr.trim().slice(-500) || 'Try again.' };
}

/** That a module broke off, and how much memory it held. */
export function brokeOff(
  { name, limits }: Pick<WasmChild, 'name' | 'limits'>,
  end: { readonly message: string; readonly memory: number },
): string {
  const held = `${mebibytes(end.memory)} of ${mebibytes(limits.memoryBytes)} MiB`;
  return `${name} broke off: ${end.message} (it held ${held} of memory).`;
}

const mebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);

/**
 * Node with nothing but its standard streams, running a source text: no files, no child processes, no addons; in
 * bubblewrap where possible.
 */
async function wasmProcess(
  source: string,
  limits: Limits,
): Promise<{ program: string; args: readonly string[]; cwd?: string }> {
  const args = [
    PERMISSION_FLAG,
    '--no-warnings',
    '--max-old-space-size=128',
    `--wasm-max-mem-pages=${Math.floor(limits.memoryBytes / PAGE)}`,
    '-e',
    source,
  ];
  const cwd = tmpdir();
  if (!(await hasBubblewrap())) return { program: process.execPath, args, cwd };
  const view = { readable: [process.execPath], cwd: '/tmp', env: {} };
  return inBubblewrap(process.execPath, args, view, undefined);
}
