/** remove-local-config-resources v0.1 (krm-functions-catalog functions/go/remove-local-config-resources). */
import { annotationOf } from '../../package/render/bookkeeping.ts';
import type { ResultItem } from '../../package/render/function-runtime.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { pathOnly, nameOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';

export const removeLocalConfigResources: BuiltinFunction = {
  name: 'remove-local-config-resources',
  versions: [{ major: 0, minor: 1, patch: 9, run }],
  type: 'mutator',
  summary: 'drops resources marked `config.kubernetes.io/local-config: "true"`',
  config: ['none'],
  fields: 'whole resources',
  idempotent: 'yes',
};

/** Drops the resources whose local-config annotation is "true". Results: how many, and each name. */
function run(input: BuiltinInput): BuiltinOutput {
  const isLocal = (item: (typeof input.items)[number]): boolean =>
    annotationOf(item, 'config.kubernetes.io/local-config')?.toLowerCase() === 'true';
  const pruned = input.items.filter(isLocal);
  const items = input.items.filter((item) => !isLocal(item));
  if (pruned.length === 0) {
    const message = 'Found no resources to prune with the local config annotation';
    return { items, results: [{ message, severity: 'warning' }] };
  }
  const names = pruned.map((item): ResultItem => ({
    message: `Resource name: [${nameOf(item)}]`,
    severity: 'info',
    ...pathOnly(item),
  }));
  return {
    items,
    results: [{ message: `Number of resources pruned: ${pruned.length}`, severity: 'info' }, ...names],
  };
}
