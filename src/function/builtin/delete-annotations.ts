/** delete-annotations v0.1 (krm-functions-catalog contrib/functions/go/delete-annotations). */
import { isMap } from '../../package/plain-values.ts';
import type { ResultItem } from '../../package/render/function-runtime.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { configMapData, pathOnly, frameworkFailure, metadataOf, nameOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';

export const deleteAnnotations: BuiltinFunction = {
  name: 'delete-annotations',
  versions: [{ major: 0, minor: 1, patch: 9, run }],
  type: 'mutator',
  summary: 'removes the annotations in `annotationKeys`',
  config: ['ConfigMap'],
  fields: 'metadata.annotations',
  idempotent: 'yes',
};

/** Removes the annotations that `data.annotationKeys` lists. Results: how many resources, and each removal. */
function run(input: BuiltinInput): BuiltinOutput {
  const keys = (configMapData(input.functionConfig)?.['annotationKeys'] ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  if (keys.length === 0)
    return frameworkFailure('failed to configure function: `annotationKeys` must be given');
  const results: ResultItem[] = [];
  const touched = new Set<object>();
  for (const item of input.items) {
    const annotations = metadataOf(item)['annotations'];
    if (!isMap(annotations)) continue;
    for (const key of keys) {
      if (!Object.hasOwn(annotations, key)) continue;
      delete annotations[key];
      touched.add(item);
      // The spelling is upstream's.
      results.push({
        message: `Annonation: [${key}] removed from resource: [${nameOf(item)}]`,
        ...pathOnly(item),
      });
    }
    if (Object.keys(annotations).length === 0) delete metadataOf(item)['annotations'];
  }
  const message = `The provided annotations were deleted from ${touched.size} resource(s)`;
  return { items: input.items, results: [{ message, severity: 'info' }, ...results] };
}
