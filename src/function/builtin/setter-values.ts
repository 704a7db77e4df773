import { isMap } from '../../package/plain-values.ts';
import { isContainer, textOf } from '../../package/render/field-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';

/** The setters of a functionConfig's `data`, by name; lists that are written as YAML lists count as their text. */
export function setterValues(config: KrmObject | undefined): Map<string, string> {
  const data = config?.['data'];
  const setters = new Map<string, string>();
  if (!isMap(data)) return setters;
  for (const name of Object.keys(data).sort()) {
    const value = data[name];
    if (value === null) setters.set(name, '');
    else setters.set(name, isContainer(value) ? JSON.stringify(value) : (textOf(data, name) ?? ''));
  }
  return setters;
}
