/** delete-annotations v0.1 (krm-functions-catalog contrib/functions/go/delete-annotations). */
import { isMap } from '../../package/render/field-notes.ts';
import type { ResultItem } from '../../package/render/function-runtime.ts';
import { configMapData, pathOnly, frameworkFailure, metadataOf, nameOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';

/** Removes the annotations that `data.annotationKeys` lists. Results: how many resources, and each removal. */
export function deleteAnnotations(input: BuiltinInput): BuiltinOutput {
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
