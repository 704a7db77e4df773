/** What the hostile functions of all three runtimes are held to. */
import type { FunctionOutput } from '../../../src/package/render/function-runtime.ts';

const MIB = 1024 * 1024;

/** Small where that makes a test short; PORTICO_LONG=1 runs the hostile set at the limits that users have. */
export const LONG = process.env['PORTICO_LONG'] === '1';
export const SHORT_LIMITS = { memoryBytes: 64 * MIB, outputBytes: 256 * 1024, processes: 24 };

export const ITEM = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

/** What must never be seen in an answer. */
export const SECRET = 'hunter2-is-no-secret';

/** How a run ended, in one word. */
export function outcomeOf(output: FunctionOutput): string {
  if (output.refused !== undefined) return output.refused.code;
  const [first] = output.results;
  return first?.tags?.['code'] ?? `exit ${output.exitCode}`;
}
