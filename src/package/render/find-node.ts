import type { YamlNode } from '../yaml/node.ts';
import { entryOf, resolved } from '../yaml/node.ts';

/** The node at a path of keys and indexes, or the nearest one above it. */
export function nodeAt(root: YamlNode, path: readonly (string | number)[]): YamlNode {
  let here = root;
  for (const segment of path) {
    const inner = resolved(here);
    const next =
      inner.kind === 'map'
        ? entryOf(inner, String(segment))?.value
        : inner.kind === 'list'
          ? inner.items[Number(segment)]?.value
          : undefined;
    if (next === undefined) return here;
    here = next;
  }
  return here;
}
