import { stringify } from 'yaml';

import type { RenderResult } from '../package/render/render-types.ts';
import { entryOf } from '../package/render/result-entry.ts';

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
