import { stringify } from 'yaml';

import type { RenderResult } from '../package/render/render-types.ts';

/** kpt's `FunctionResultList` (what `--results-dir` writes to results.yaml), as YAML text. */
export function functionResultList(result: RenderResult): string {
  return stringify({
    apiVersion: 'kpt.dev/v1',
    kind: 'FunctionResultList',
    metadata: { name: 'fnresults' },
    exitCode: result.ok ? 0 : 1,
  });
}
