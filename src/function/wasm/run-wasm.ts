/** WebAssembly modules as functions: WASI preview 1 in a child process of their own. */
import { PorticoError } from '../../error.ts';
import type { ForeignFunction, FunctionOutput } from '../../package/render/function-runtime.ts';
import { printResourceList } from '../resource-list.ts';
import { answerOf, refused } from '../sandbox/answer.ts';
import type { FunctionInput } from '../sandbox/answer.ts';
import type { Limits } from '../sandbox/limits.ts';
import { heldTooMuch } from '../sandbox/supervise.ts';
import type { Ended } from '../sandbox/supervise.ts';
import { runGoJs } from './go-js-host.ts';
import { goJsObjects } from './go-js-objects.ts';
import { runWasmChild } from './wasm-child.ts';
import type { WasmEnd, WasmTask } from './wasm-child.ts';
import { capMemory } from './wasm-module.ts';
import { codeFault, runWasmProcess } from './wasm-process.ts';

type WasmCode = Extract<ForeignFunction['code'], { readonly kind: 'wasm' }>;

const CHILD = `(${runWasmChild.toString()})((world) => (${runGoJs.toString()})(world, (${goJsObjects.toString()})(world)))`;

/** Runs a module whose bytes are those that the digest names. */
export async function runWasm(
  code: WasmCode,
  input: FunctionInput,
  limits: Limits,
  signal?: AbortSignal,
): Promise<FunctionOutput> {
  const { file, bytes } = code;
  const fault = codeFault(code);
  if (fault !== undefined) return refused(fault);
  let module: Uint8Array;
  try {
    module = capMemory(bytes ?? new Uint8Array(), limits.memoryBytes);
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    const { code, message, hint = '' } = error;
    return refused({ code, message: `${file} cannot run: ${message}`, hint });
  }
  const task: WasmTask = { moduleBytes: module.length, args: ['function'] };
  const child = { name: file, source: CHILD, task, module, input: printResourceList(input), limits };
  const ended = await runWasmProcess(child, signal);
  return outputOf(file, ended, input, limits);
}

function outputOf(file: string, ended: Ended, input: FunctionInput, limits: Limits): FunctionOutput {
  if (ended.cut !== undefined) return answerOf(ended, input);
  const end = endOf(ended.status);
  if (end === undefined) {
    // V8 ends the whole process where its own memory is used up: what it prints then is of no use to anybody.
    return refused(ended.exitCode > 128 ? heldTooMuch(file, limits) : broken(file, ended));
  }
  if (end.end === 'refused') {
    const hint =
      'Build a command for WASI preview 1: Go with GOOS=wasip1, Rust with wasm32-wasip1; or a function as the wasm ' +
      'images of kpt are (GOOS=js).';
    return refused({ code: 'WASM_INVALID', message: `${file} cannot run: ${end.message}`, hint });
  }
  if (end.end === 'exit') return answerOf({ ...ended, exitCode: end.code }, input);
  const held = `${Math.round(end.memory / 1024 / 1024)} of ${Math.round(limits.memoryBytes / 1024 / 1024)} MiB`;
  const message = `${file} broke off: ${end.message} (it held ${held} of memory).`;
  const stderr = ended.stderr === '' ? {} : { stderr: ended.stderr };
  return { exitCode: 1, results: [{ message, severity: 'error', tags: { code: 'WASM_TRAP' } }], ...stderr };
}

function endOf(status: string): WasmEnd | undefined {
  try {
    return JSON.parse(status) as WasmEnd;
  } catch {
    return undefined;
  }
}

function broken(file: string, { exitCode, stderr }: Ended): { code: string; message: string; hint: string } {
  const message = `The process of ${file} ended with code ${exitCode} before it could say how the function ended.`;
  return { code: 'WASM_BROKEN', message, hint: stderr.trim().slice(-500) || 'Try again.' };
}
