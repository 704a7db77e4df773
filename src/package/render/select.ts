import { isMap } from '../plain-values.ts';
import type { FunctionSpec, Selector } from './function-runtime.ts';
import type { KrmObject } from './krm-object.ts';

/**
 * True when a function is meant for a resource: one of its selectors matches (or it has none), and no exclude does.
 * Fields inside a selector must all be equal. An empty selector matches everything, an empty exclude nothing, as in kpt.
 */
export function isSelected(item: KrmObject, spec: FunctionSpec): boolean {
  const wanted = spec.selectors ?? [];
  if (wanted.length > 0 && !wanted.some((selector) => matches(item, selector))) return false;
  return !(spec.exclude ?? []).some(
    (selector) => Object.keys(selector).length > 0 && matches(item, selector),
  );
}

function matches(item: KrmObject, selector: Selector): boolean {
  const metadata = isMap(item['metadata']) ? item['metadata'] : {};
  return (
    equal(selector.apiVersion, item['apiVersion']) &&
    equal(selector.kind, item['kind']) &&
    equal(selector.name, metadata['name']) &&
    equal(selector.namespace, metadata['namespace']) &&
    holds(selector.labels, metadata['labels']) &&
    holds(selector.annotations, metadata['annotations'])
  );
}

function equal(wanted: string | undefined, value: unknown): boolean {
  return wanted === undefined || wanted === value;
}

function holds(wanted: Readonly<Record<string, string>> | undefined, map: unknown): boolean {
  return Object.entries(wanted ?? {}).every(
    ([key, value]) => isMap(map) && Object.hasOwn(map, key) && map[key] === value,
  );
}
