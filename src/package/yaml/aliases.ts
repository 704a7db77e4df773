import { fromValue, toValue } from './compare.ts';
import type { ListItem, MapEntry, Source, YamlNode } from './node.ts';

/**
 * The tree with every alias written out that was read from another text: its anchor may not exist here. Everything
 * else stays as it is.
 */
export function withoutForeignAliases(node: YamlNode, home: Source): YamlNode {
  if (node.at !== undefined)
    return node.at.source === home || !holdsAlias(node) ? node : fromValue(toValue(node));
  if (node.kind === 'map') {
    const entries = node.entries.map((entry) => localSlot(entry, home));
    return { ...node, entries };
  }
  if (node.kind === 'list') {
    const items = node.items.map((item) => localSlot(item, home));
    return { ...node, items };
  }
  return node.kind === 'alias' ? fromValue(toValue(node)) : node;
}

function localSlot<Kind extends MapEntry | ListItem>(slot: Kind, home: Source): Kind {
  if (slot.at?.source === home) return slot;
  const value = withoutForeignAliases(slot.value, home);
  if (value === slot.value) return slot;
  const { at: _, from: __, ...rest } = slot;
  return { ...rest, value } as Kind;
}

/** Whether an alias is anywhere in the tree. */
export function holdsAlias(node: YamlNode): boolean {
  if (node.kind === 'alias') return true;
  if (node.kind === 'map') return node.entries.some((entry) => holdsAlias(entry.value));
  return node.kind === 'list' && node.items.some((item) => holdsAlias(item.value));
}
