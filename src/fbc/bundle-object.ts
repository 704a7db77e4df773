import type { YamlValue } from '../package/yaml/edit.ts';
import type { Fields, Property } from './catalog.ts';
import { byText } from './go-text.ts';
import { PROPERTY } from './properties.ts';

/** The property that carries a manifest inside of a catalog. */
export function bundleObject(fields: Fields): Property {
  return { type: PROPERTY.object, value: { data: base64(goJson(fields)) } };
}

/** JSON with sorted keys, as Go writes maps. */
export function goJson(value: YamlValue): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === 'bigint') return Number(item);
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => byText(a, b)));
  });
}

function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (let start = 0; start < bytes.length; start += 8_192) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 8_192));
  }
  return btoa(binary);
}
