/** Objects as files: one for each, in the order in which they are to be applied. */
import type { PackageFiles } from '../package/package.ts';
import { fromValue } from '../package/yaml/compare.ts';
import { documentText } from '../package/yaml/patch.ts';
import { kindOf, nameOf, type Manifest } from './manifest.ts';

/** Characters of a file name. */
const MAX_LENGTH = 120;

/** Files such as `03_clusterrole_reader.yaml`; the number is the place in the order. */
export function objectFiles(objects: readonly Manifest[]): PackageFiles {
  const digits = Math.max(2, String(objects.length - 1).length);
  return new Map(
    objects.map((object, at) => {
      const number = String(at).padStart(digits, '0');
      const name = `${safe(kindOf(object))}_${safe(nameOf(object))}`.slice(0, MAX_LENGTH);
      const text = documentText(fromValue(object), undefined);
      return [`${number}_${name}.yaml`, { mode: '100644', bytes: new TextEncoder().encode(text) }];
    }),
  );
}

/** Names of roles may have colons, and those of strangers anything. */
function safe(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, '-');
}
