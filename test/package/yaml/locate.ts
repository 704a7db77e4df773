import { PorticoError } from '../../../src/error.ts';
import { locateIn } from '../../../src/package/yaml/edit.ts';
import { readYamlFile } from '../../../src/package/yaml/read.ts';

type Rest = Parameters<typeof locateIn> extends [unknown, ...infer Others] ? Others : never;

/** Where a path stands in a text; undefined where it does not, or the text does not parse. */
export function locate(text: string, ...rest: Rest): ReturnType<typeof locateIn> {
  try {
    return locateIn(readYamlFile(text), ...rest);
  } catch (error) {
    if (error instanceof PorticoError) return undefined;
    throw error;
  }
}
