import { readWord } from '../render/field-notes.ts';
import type { YamlValue } from '../yaml/edit.ts';
import type { YamlNode } from '../yaml/node.ts';

/**
 * The data of a document whose fields are mostly texts: `y`, `no` and their like are the words that stand there, as in
 * YAML 1.2, and null is absence.
 */
export function documentValue(node: YamlNode): YamlValue {
  switch (node.kind) {
    case 'scalar':
      if (typeof node.value !== 'boolean' || node.at === undefined || node.style !== 'plain')
        return node.value;
      return readWord(node.at.source.text.slice(node.at.body, node.at.end), node.value);
    case 'alias':
      return node.target === undefined ? null : documentValue(node.target);
    case 'list':
      return node.items.map((item) => documentValue(item.value));
    case 'map': {
      // Without a prototype, so that a key such as `__proto__` is only a key.
      const map = Object.create(null) as Record<string, YamlValue>;
      for (const entry of node.entries) {
        const value = documentValue(entry.value);
        if (value !== null) map[entry.name] = value;
      }
      return map;
    }
  }
}
