import { isMap } from './go-fields.ts';
import { goYaml } from './go-yaml.ts';
import type { Manifest } from './manifest.ts';
import { readManifest } from './read-manifest.ts';
import { textAt } from './value-at.ts';

/** Manifests of a bundle as files of a package, each named by its kind and name. What is no manifest is left out. */
export function manifestFiles(manifests: readonly Manifest[]): Map<string, string> {
  const files = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const manifest of manifests) {
    const fields = readManifest(manifest.text());
    if (!isMap(fields)) continue;
    const words = [textAt(fields, 'kind'), textAt(fields, 'metadata', 'name')];
    const plain = words
      .join('-')
      .toLowerCase()
      .replaceAll(/[^a-z0-9.-]+/g, '-')
      .replaceAll(/^[.-]+|[.-]+$/g, '');
    const name = plain === '' ? 'manifest' : plain.slice(0, 120);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    // A name cannot hold an underscore here, so that no other manifest has this one.
    files.set(`manifests/${name}${count === 1 ? '' : `_${count}`}.yaml`, goYaml(fields));
  }
  return files;
}
