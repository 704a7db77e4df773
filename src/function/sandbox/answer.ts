import type { FunctionOutput } from '../../package/render/function-runtime.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { readResourceList } from '../resource-list.ts';
import type { Cut, Ended } from './supervise.ts';

export interface FunctionInput {
  readonly items: readonly KrmObject[];
  readonly functionConfig?: KrmObject;
}

/** From what a process printed and how it ended to a function's answer. */
export function answerOf(ended: Ended, input: FunctionInput): FunctionOutput {
  const stderr = ended.stderr === '' ? {} : { stderr: ended.stderr };
  if (ended.cut !== undefined) return { ...refused(ended.cut), ...stderr };
  return { ...readAnswer(ended, input.items), ...stderr };
}

function readAnswer({ stdout, exitCode }: Ended, given: readonly KrmObject[]): FunctionOutput {
  const list = readResourceList(stdout, given);
  if (typeof list !== 'string')
    return { exitCode, results: list.results, ...(exitCode === 0 ? { items: list.items } : {}) };
  if (exitCode !== 0) return { exitCode, results: [] };
  return {
    exitCode: 1,
    results: [{ message: list, severity: 'error', tags: { code: 'FUNCTION_OUTPUT' } }],
  };
}

/** The answer of a function that did not run, or not to its end. */
export function refused({ code, message, hint }: Cut): FunctionOutput {
  return { exitCode: 1, results: [], refused: { code, message, hint } };
}
