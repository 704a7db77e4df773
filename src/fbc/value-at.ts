/** Values inside of a resource's fields, whatever stands on the way there. */
import type { YamlValue } from '../package/yaml/edit.ts';
import type { Fields } from './catalog.ts';
import { isMap } from './go-fields.ts';

/** The value below these names; undefined where one of them is not there. */
export function valueAt(fields: YamlValue | undefined, ...path: readonly string[]): YamlValue | undefined {
  let here = fields;
  for (const name of path) here = isMap(here) ? here[name] : undefined;
  return here;
}

/** The text below these names; '' where there is none. */
export function textAt(fields: YamlValue | undefined, ...path: readonly string[]): string {
  const value = valueAt(fields, ...path);
  return typeof value === 'string' ? value : '';
}

/** The maps of a list; none of what is no list. */
export function mapsOf(value: YamlValue | undefined): Fields[] {
  return Array.isArray(value) ? (value as readonly YamlValue[]).filter(isMap) : [];
}
