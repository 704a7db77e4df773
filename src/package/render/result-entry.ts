import type { ResultItem } from './function-runtime.ts';
import type { FunctionRun } from './render-types.ts';

/** A run as kpt writes it, in its lists of results and in a Kptfile's `renderStatus`. */
export function entryOf(run: FunctionRun): Record<string, unknown> {
  const { image, exec } = run.spec ?? {};
  return {
    ...(exec === undefined ? { image: image ?? run.function } : { exec }),
    ...(run.stderr === undefined ? {} : { stderr: run.stderr.replace(/\n$/, '') }),
    exitCode: run.exitCode,
    ...(run.results.length === 0 ? {} : { results: run.results.map(itemOf) }),
  };
}

/** In kpt's order of fields; an absent severity is printed as info. */
function itemOf(item: ResultItem): object {
  const { message, severity, resourceRef, field, file, tags } = item;
  return {
    message,
    severity: severity ?? 'info',
    ...(resourceRef === undefined ? {} : { resourceRef }),
    ...(field === undefined ? {} : { field }),
    ...(file === undefined ? {} : { file }),
    ...(tags === undefined ? {} : { tags }),
  };
}
