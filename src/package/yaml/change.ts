import { PorticoError } from '../../error.ts';
import { canon, same } from './compare.ts';
import { entryOf, resolved, textAt } from './node.ts';
import type { ListItem, ListNode, MapEntry, MapNode, YamlNode } from './node.ts';
import { formatPath } from './path.ts';
import type { PathSegment, YamlPath } from './path.ts';
import { commonPairs } from './sequence.ts';

/**
 * A node with the data of `wanted`, made out of `old`: what is equal stays `old`'s own, what differs is changed as
 * deep down as possible, and what is new is `wanted`'s.
 */
export function adapt(old: YamlNode, wanted: YamlNode): YamlNode {
  if (old === wanted || same(old, wanted)) return old;
  if (old.kind === 'map' && wanted.kind === 'map' && old.tag === wanted.tag) return adaptMap(old, wanted);
  if (old.kind === 'list' && wanted.kind === 'list' && old.tag === wanted.tag) return adaptList(old, wanted);
  return wanted;
}

function adaptMap(old: MapNode, wanted: MapNode): MapNode {
  const kept = old.entries.flatMap((entry) => {
    const other = entryOf(wanted, entry.name);
    return other === undefined ? [] : [changedEntry(entry, adapt(entry.value, other.value), other)];
  });
  return madeMap(old, inOrder(kept, wanted.entries));
}

/** An entry with another value, or the same entry when the value is its own. */
export function changedEntry(entry: MapEntry, value: YamlNode, from?: MapEntry): MapEntry {
  if (value === entry.value) return entry;
  const base = entry.at === undefined ? entry.base : entry;
  return {
    name: entry.name,
    key: entry.key,
    value,
    ...(base === undefined ? {} : { base }),
    ...(from === undefined ? {} : { from }),
  };
}

/** An item with another value, or the same item when the value is its own. */
export function changedItem(item: ListItem, value: YamlNode, from?: ListItem): ListItem {
  if (value === item.value) return item;
  const base = item.at === undefined ? item.base : item;
  return { value, ...(base === undefined ? {} : { base }), ...(from === undefined ? {} : { from }) };
}

/** A map made out of a read one. */
export function madeMap(old: MapNode, entries: readonly MapEntry[]): MapNode {
  const unchanged =
    entries.length === old.entries.length && entries.every((entry, at) => entry === old.entries[at]);
  return unchanged ? old : { ...shape(old), kind: 'map', entries };
}

/** A list made out of a read one. */
export function madeList(old: ListNode, items: readonly ListItem[]): ListNode {
  const unchanged = items.length === old.items.length && items.every((item, at) => item === old.items[at]);
  return unchanged ? old : { ...shape(old), kind: 'list', items };
}

function shape<Node extends MapNode | ListNode>(old: Node): Pick<Node, 'flow' | 'tag' | 'anchor' | 'base'> {
  const { flow, tag, anchor } = old;
  const base = old.at === undefined ? old.base : old;
  return {
    ...(flow === undefined ? {} : { flow }),
    ...(tag === undefined ? {} : { tag }),
    ...(anchor === undefined ? {} : { anchor }),
    ...(base === undefined ? {} : { base }),
  };
}

/** Adds the entries of `all` that `kept` lacks, each behind the entry that precedes it in `all`. */
export function inOrder(kept: readonly MapEntry[], all: readonly MapEntry[]): MapEntry[] {
  const names = new Set(kept.map((entry) => entry.name));
  const groups = new Map<string, MapEntry[]>();
  let before = '';
  let start = true;
  for (const entry of all) {
    if (names.has(entry.name)) {
      before = entry.name;
      start = false;
    } else {
      const key = start ? '\u0000' : before;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [entry]);
      else group.push(entry);
    }
  }
  return [
    ...(groups.get('\u0000') ?? []),
    ...kept.flatMap((entry) => [entry, ...(groups.get(entry.name) ?? [])]),
  ];
}

function adaptList(old: ListNode, wanted: ListNode): ListNode {
  const byName = namesOf(old) !== undefined ? namesOf(wanted) : undefined;
  if (byName !== undefined) {
    const own = new Map(old.items.map((item) => [textAt(item.value, 'name'), item]));
    const items = wanted.items.map((item) => {
      const twin = own.get(textAt(item.value, 'name'));
      return twin === undefined ? item : changedItem(twin, adapt(twin.value, item.value), item);
    });
    return madeList(old, items);
  }
  const items: ListItem[] = [];
  let x = 0;
  let y = 0;
  const pairs = commonPairs(
    old.items.map((item) => canon(item.value)),
    wanted.items.map((item) => canon(item.value)),
  );
  for (const [nextX, nextY] of [...pairs, [old.items.length, wanted.items.length] as const]) {
    const gap = nextX - x;
    for (let at = 0; at < nextY - y; at += 1) {
      const twin = at < gap ? old.items[x + at] : undefined;
      const item = wanted.items[y + at];
      if (item !== undefined)
        items.push(twin === undefined ? item : changedItem(twin, adapt(twin.value, item.value), item));
    }
    const equal = old.items[nextX];
    if (equal !== undefined) items.push(equal);
    x = nextX + 1;
    y = nextY + 1;
  }
  return madeList(old, items);
}

/** The names of a list of maps that all have one of their own, else undefined. */
export function namesOf(list: ListNode): readonly string[] | undefined {
  const names = list.items.map((item) => textAt(item.value, 'name'));
  return names.length > 0 && !names.includes('') && new Set(names).size === names.length ? names : undefined;
}

/** The node at a path, aliases on the way followed; undefined when there is none. */
export function nodeAt(root: YamlNode | null, path: YamlPath): YamlNode | undefined {
  let here = root ?? undefined;
  for (const segment of path) {
    const slot = here === undefined ? undefined : slotAt(resolved(here), segment);
    if (slot === undefined) return undefined;
    here = slot.value;
  }
  return here;
}

/** The entry or item of a collection that a path segment names. */
export function slotAt(node: YamlNode, segment: PathSegment): MapEntry | ListItem | undefined {
  if (node.kind === 'map') return typeof segment === 'string' ? entryOf(node, segment) : undefined;
  if (node.kind !== 'list' || typeof segment === 'string') return undefined;
  return node.items[positionOf(node, segment)];
}

function positionOf(list: ListNode, segment: Exclude<PathSegment, string>): number {
  if (typeof segment === 'number') return segment;
  const fields = Object.entries(segment);
  return list.items.findIndex((item) => fields.every(([key, value]) => textAt(item.value, key) === value));
}

/**
 * The tree with one slot changed: `change` gets the slot's value (undefined when absent) and gives the new one,
 * undefined to remove it. Missing parents are made. Throws `YAML_PATH` where the path leads through a scalar or past
 * the end of a list.
 */
export function changeAt(
  root: YamlNode,
  path: YamlPath,
  change: (old: YamlNode | undefined) => YamlNode | undefined,
): YamlNode {
  return changeBelow(root, path, 0, change) ?? { kind: 'scalar', value: null };
}

function changeBelow(
  node: YamlNode | undefined,
  path: YamlPath,
  depth: number,
  change: (old: YamlNode | undefined) => YamlNode | undefined,
): YamlNode | undefined {
  const segment = path[depth];
  if (segment === undefined) return change(node);
  const below = (old: YamlNode | undefined): YamlNode | undefined =>
    changeBelow(old, path, depth + 1, change);
  const here = emptyFor(node, segment);
  if (here.kind === 'map' && typeof segment === 'string')
    return changeKey(here, segment, node === undefined, below);
  if (here.kind === 'list' && typeof segment !== 'string')
    return changeItem({ list: here, segment, made: node === undefined, below, path });
  throw noSuchPlace(path.slice(0, depth + 1));
}

function emptyFor(node: YamlNode | undefined, segment: PathSegment): YamlNode {
  const absent = node === undefined || (node.kind === 'scalar' && node.value === null);
  if (!absent) return node;
  return typeof segment === 'string' ? { kind: 'map', entries: [] } : { kind: 'list', items: [] };
}

type Change = (old: YamlNode | undefined) => YamlNode | undefined;

function changeKey(map: MapNode, name: string, made: boolean, below: Change): YamlNode | undefined {
  const entry = entryOf(map, name);
  const value = below(entry?.value);
  if (value === undefined) {
    if (made) return undefined;
    return madeMap(
      map,
      map.entries.filter((other) => other !== entry),
    );
  }
  if (entry !== undefined) {
    return madeMap(
      map,
      map.entries.map((other) => (other === entry ? changedEntry(entry, value) : other)),
    );
  }
  return madeMap(map, [...map.entries, { name, key: { kind: 'scalar', value: name }, value }]);
}

function changeItem({
  list,
  segment,
  made,
  below,
  path,
}: {
  readonly list: ListNode;
  readonly segment: Exclude<PathSegment, string>;
  readonly made: boolean;
  readonly below: Change;
  readonly path: YamlPath;
}): YamlNode | undefined {
  const at = positionOf(list, segment);
  const item = list.items[at];
  if (item === undefined && typeof segment === 'number' && segment > list.items.length)
    throw noSuchPlace(path);
  const value = below(item?.value);
  if (value === undefined) {
    if (made) return undefined;
    return madeList(
      list,
      list.items.filter((other) => other !== item),
    );
  }
  if (item !== undefined) {
    return madeList(
      list,
      list.items.map((other) => (other === item ? changedItem(item, value) : other)),
    );
  }
  return madeList(list, [
    ...list.items,
    { value: typeof segment === 'number' ? value : withFields(value, segment) },
  ]);
}

/** A new item carries the fields that name it. */
function withFields(value: YamlNode, fields: Readonly<Record<string, string>>): YamlNode {
  if (value.kind !== 'map') return value;
  const missing = Object.entries(fields).filter(([key]) => entryOf(value, key) === undefined);
  const entries = missing.map(([name, text]) => ({
    name,
    key: { kind: 'scalar', value: name } as const,
    value: { kind: 'scalar', value: text } as const,
  }));
  return entries.length === 0 ? value : madeMap(value, [...entries, ...value.entries]);
}

export function noSuchPlace(path: YamlPath): PorticoError {
  return new PorticoError('YAML_PATH', `There is no place "${formatPath(path)}" in the document`, {
    blame: 'user',
    hint: 'Check the path against the document: keys in maps, positions or names in lists.',
  });
}
