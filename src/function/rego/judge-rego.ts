/** Rego policies that OPA has compiled to WebAssembly, judged in a child process of their own. */
import { changeOf } from '../../cel/review.ts';
import type { Change, Review } from '../../cel/review.ts';
import { PorticoError } from '../../error.ts';
import type { Judgement, RegoModule } from '../../package/render/function-runtime.ts';
import { WASM_LIMITS } from '../sandbox/limits.ts';
import type { Limits } from '../sandbox/limits.ts';
import type { Ended } from '../sandbox/supervise.ts';
import { capMemory, importedMemory } from '../wasm/wasm-module.ts';
import {
  brokeOff,
  codeFault,
  endedUntold,
  runWasmProcess,
  saidAtEnd,
  type WasmChild,
} from '../wasm/wasm-process.ts';
import { regoBuiltins } from './rego-builtins.ts';
import { runRegoChild, type RegoAnswer, type RegoEnd, type RegoTask } from './rego-child.ts';
import { remarksOf } from './rego-remarks.ts';

/**
 * Judges every change of the review. The policy's `input` has what CEL policies see (`object`, `oldObject`, `package`,
 * `params`, `namespaceObject`), and the same as Gatekeeper's templates read it (`review`, `parameters`).
 */
export async function judgeRego(
  module: RegoModule,
  review: Review,
  limits: Limits = WASM_LIMITS,
  signal?: AbortSignal,
): Promise<Judgement> {
  const { file, bytes, entrypoint } = module;
  const fault = codeFault(module);
  if (fault !== undefined) return { refused: fault };
  if (bytes === null || review.changes.length === 0) return { remarks: [] };
  let capped: Uint8Array;
  let memory: RegoTask['memory'];
  try {
    capped = capMemory(bytes, limits.memoryBytes);
    memory = importedMemory(bytes, limits.memoryBytes);
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    return { refused: { code: error.code, message: `${file} cannot run: ${error.message}`, hint: COMPILE } };
  }
  const task: RegoTask = {
    moduleBytes: capped.length,
    memory,
    ...(entrypoint !== undefined && { entrypoint }),
  };
  const inputs = review.changes.map((change) => JSON.stringify(inputOf(change, review), exactIntegers));
  const child = { name: file, source: CHILD, task, module: capped, input: inputs.join('\n'), limits };
  const ended = await runWasmProcess(child, signal);
  return judgementOf(child, ended);
}

const CHILD = `(${runRegoChild.toString()})((${regoBuiltins.toString()})())`;
const COMPILE = 'Compile the policy with opa build -t wasm.';

/** Gatekeeper's templates know a resource as `review.object`, and their parameters as `parameters`. */
function inputOf(change: Change, { package: facts, params, namespaces }: Review): Record<string, unknown> {
  const { object, oldObject, namespace } = change;
  const { operation, group, version, kind, name, namespace: within } = changeOf(change, namespaces);
  const review = { operation, kind: { group, version, kind }, name, namespace: within, object, oldObject };
  const parameters = params ?? {};
  return {
    object,
    oldObject,
    namespaceObject: namespace ?? null,
    package: facts,
    params: params ?? null,
    review,
    parameters,
  };
}

/** Whole numbers are exact, however large. */
function exactIntegers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value;
}

declare global {
  /** In the language, and not yet in its types. */
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

function judgementOf(child: WasmChild, ended: Ended): Judgement {
  if (ended.cut !== undefined) return { refused: ended.cut };
  const end = saidAtEnd(ended) as RegoEnd | undefined;
  if (end === undefined) {
    return { refused: endedUntold(child, { code: 'REGO_BROKEN', noun: 'policy' }, ended) };
  }
  if (end.end === 'refused') {
    const message = `${child.name} cannot run: ${end.message}`;
    return { refused: { code: 'REGO_INVALID', message, hint: end.hint } };
  }
  if (end.end === 'trap') {
    const hint = 'Fix the policy, or use selectors to give it fewer resources.';
    return { refused: { code: 'REGO_TRAP', message: brokeOff(child, end), hint } };
  }
  return { remarks: remarksOf(JSON.parse(ended.stdout) as RegoAnswer) };
}
