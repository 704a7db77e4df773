import type { Refusal } from '../../error.ts';
import type { FunctionOutput, PrintedOutput } from '../../package/render/function-runtime.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { readResourceList } from '../resource-list.ts';
import type { Ended } from './supervise.ts';

export interface FunctionInput {
  readonly items: readonly KrmObject[];
  readonly functionConfig?: KrmObject;
}

/** What a process printed and how it ended, or that it was cut short. */
export function printedBy({ exitCode, stdout, stderr, cut }: Ended): PrintedOutput {
  if (cut === undefined) return { printed: { exitCode, stdout, stderr } };
  return { output: { ...refused(cut), ...(stderr === '' ? {} : { stderr }) } };
}

/** A function's answer, read from what it printed; `given` is what it was given. */
export function readPrinted(answer: PrintedOutput, given: readonly KrmObject[]): FunctionOutput {
  if ('output' in answer) return answer.output;
  const { stderr } = answer.printed;
  return { ...readAnswer(answer.printed, given), ...(stderr === '' ? {} : { stderr }) };
}

function readAnswer(
  { stdout, exitCode }: Pick<Ended, 'stdout' | 'exitCode'>,
  given: readonly KrmObject[],
): FunctionOutput {
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
export function refused({ code, message, hint }: Refusal): Omit<FunctionOutput, 'items'> {
  return { exitCode: 1, results: [], refused: { code, message, hint } };
}
