import { loadLibrary } from '../../../src/function/starlark/library/library.ts';
import { runScript } from '../../../src/function/starlark/run.ts';
import { decodeText } from '../../../src/function/starlark/text.ts';

/** What `repr` says of an expression, or its error. */
export function evaluate(expression: string, before = ''): string {
  const run = runScript('t', `${before}\nresult = repr((${expression}))\n`, { load: loadLibrary });
  return run.error === undefined ? decodeText(run.variables.get('result') as string) : `error: ${run.error}`;
}

/** What a script prints, then its error. */
export function output(script: string): string {
  const run = runScript('t', script, { load: loadLibrary });
  return run.output + (run.error === undefined ? '' : `error: ${run.error}`);
}
