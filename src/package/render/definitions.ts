/** Which files of a folder hold definitions of custom resources. */
import type { KrmObject } from './krm-object.ts';
import { readResources } from './read-resources.ts';

/**
 * The CustomResourceDefinitions of a file. Files beside them may be anything: what does not speak of definitions is not
 * read, nor is what is neither YAML nor JSON by its name.
 * @throws UnreadableFile for one that does, and cannot be read
 */
export function definitionsIn(file: string, bytes: Uint8Array): KrmObject[] {
  if (!/\.(?:ya?ml|json)$/.test(file)) return [];
  const text = new TextDecoder().decode(bytes);
  if (!text.includes('CustomResourceDefinition')) return [];
  return readResources(file, text).documents.flatMap(({ value }) =>
    value['kind'] === 'CustomResourceDefinition' ? [value] : [],
  );
}

/** Of two definitions with one name the first. */
export function firstOfEach(definitions: Iterable<KrmObject>): KrmObject[] {
  const found = new Map<string, KrmObject>();
  for (const definition of definitions) {
    const metadata = definition['metadata'] as KrmObject | null | undefined;
    const name = typeof metadata?.['name'] === 'string' ? metadata['name'] : `#${found.size}`;
    if (!found.has(name)) found.set(name, definition);
  }
  return [...found.values()];
}
