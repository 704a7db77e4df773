import { PorticoError } from '../error.ts';
import { toValue } from '../package/yaml/compare.ts';
import { readYamlFile } from '../package/yaml/read.ts';
import type { Fields } from './catalog.ts';
import { isMap } from './go-fields.ts';

/** The first document of a manifest; undefined for what is no map, or cannot be read. */
export function readManifest(text: string): Fields | undefined {
  try {
    const root = readYamlFile(text).documents.find((document) => document.root !== null)?.root;
    const value = root === null || root === undefined ? undefined : toValue(root);
    return isMap(value) ? value : undefined;
  } catch (error) {
    if (error instanceof PorticoError) return undefined;
    throw error;
  }
}
