import { stringify } from 'yaml';

import type { ResultItem } from '../package/render/function-runtime.ts';
import type { FunctionRun, RenderResult } from '../package/render/render-types.ts';

/** kpt's `FunctionResultList` (what `--results-dir` writes to results.yaml), as YAML text. Guardrails are left out. */
export function functionResultList(result: Pick<RenderResult, 'ok' | 'runs'>): string {
  // A function that could not be run at all has no entry, as with kpt.
  const runs = result.runs.filter((run) => run.guardrail === undefined && run.refused === undefined);
  const list = {
    apiVersion: 'kpt.dev/v1',
    kind: 'FunctionResultList',
    metadata: { name: 'fnresults' },
    exitCode: result.ok ? 0 : 1,
    ...(runs.length === 0 ? {} : { items: runs.map(entryOf) }),
  };
  return stringify(list, { lineWidth: 0 });
}

function entryOf(run: FunctionRun): object {
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
