/** WebAssembly modules as functions: WASI preview 1 in a child process of their own. */
import { PorticoError } from '../../error.ts';
import type { ForeignFunction, PrintedOutput } from '../../package/render/function-runtime.ts';
import { printedBy, refused } from '../sandbox/answer.ts';
import type { Limits } from '../sandbox/limits.ts';
import type { Ended } from '../sandbox/supervise.ts';
import { runGoJs } from './go-js-host.ts';
import { goJsObjects } from './go-js-objects.ts';
import { runWasmChild } from './wasm-child.ts';
import type { WasmEnd, WasmTask } from './wasm-child.ts';
import { capMemory } from './wasm-module.ts';
import {
  brokeOff,
  codeFault,
  endedUntold,
  runWasmProcess,
  saidAtEnd,
  type WasmChild,
} from './wasm-process.ts';

type WasmCode = Extract<ForeignFunction['code'], { readonly kind: 'wasm' }>;

const CHILD = `(${runWasmChild.toString()})((world) => (${runGoJs.toString()})(world, (${goJsObjects.toString()})(world)))`;

/** Runs a module whose bytes are those that the digest names, on the text of a ResourceList. */
export async function runWasm(
  code: WasmCode,
  input: string,
  limits: Limits,
  signal?: AbortSignal,
): Promise<PrintedOutput> {
  const { file, bytes } = code;
  const fault = codeFault(code);
  if (fault !== undefined) return { output: refused(fault) };
  let module: Uint8Array;
  try {
    module = capMemory(bytes ?? new Uint8Array(), limits.memoryBytes);
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    const { code, message, hint = '' } = error;
    return { output: refused({ code, message: `${file} cannot run: ${message}`, hint }) };
  }
  const task: WasmTask = { moduleBytes: module.length, args: ['function'] };
  const child = { name: file, source: CHILD, task, module, input, limits };
  const ended = await runWasmProcess(child, signal);
  return outputOf(child, ended);
}

function outputOf(child: WasmChild, ended: Ended): PrintedOutput {
  if (ended.cut !== undefined) return printedBy(ended);
  const end = saidAtEnd(ended) as WasmEnd | undefined;
  if (end === undefined) {
    return { output: refused(endedUntold(child, { code: 'WASM_BROKEN', noun: 'function' }, ended)) };
  }
  if (end.end === 'refused') {
    const hint =
      'Build a command for WASI preview 1: Go with GOOS=wasip1, Rust with wasm32-wasip1; or a function as the wasm ' +
      'images of kpt are (GOOS=js).';
    const message = `${child.name} cannot run: ${end.message}`;
    return { output: refused({ code: 'WASM_INVALID', message, hint }) };
  }
  if (end.end === 'exit') return printedBy({ ...ended, exitCode: end.code });
  const message = brokeOff(child, end);
  const stderr = ended.stderr === '' ? {} : { stderr: ended.stderr };
  const results = [{ message, severity: 'error', tags: { code: 'WASM_TRAP' } }] as const;
  return { output: { exitCode: 1, results, ...stderr } };
}
