/** JSON as Go's encoder writes it, because names and annotations are made of its bytes. */
import { isMap } from '../fbc/go-fields.ts';
import { byText } from '../fbc/go-text.ts';
import type { YamlValue } from '../package/yaml/edit.ts';

/** `sorted` orders the keys of maps, as Go does where it has a map and no struct. */
export function goJson(value: YamlValue, sorted: boolean): string {
  if (typeof value === 'string') return goString(value);
  if (Array.isArray(value)) {
    return `[${(value as readonly YamlValue[]).map((item) => goJson(item, sorted)).join(',')}]`;
  }
  if (isMap(value)) {
    const names = Object.keys(value);
    if (sorted) names.sort(byText);
    return `{${names.map((name) => `${goString(name)}:${goJson(value[name] ?? null, sorted)}`).join(',')}}`;
  }
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : 'null';
  return value === null || typeof value === 'object' ? 'null' : value.toString();
}

function goString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
