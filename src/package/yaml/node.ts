/**
 * YAML as a tree that remembers where in which text it stands. A node with `at` was read; one without was made.
 * A made collection with `base` is that read collection with changes: writing it edits base's text in place.
 */

/** What a scalar is once Kubernetes has read it; integers past 2^53 are bigints. */
export type ScalarValue = string | number | bigint | boolean | null;

export interface Source {
  readonly text: string;
  readonly eol: '\n' | '\r\n';
}

/** `start` includes anchor and tag, `body` does not; `end` is where the content ends, comments not included. */
export interface Place {
  readonly source: Source;
  readonly start: number;
  readonly body: number;
  readonly end: number;
}

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly value: ScalarValue;
  readonly style?: ScalarStyle;
  /** A tag that Kubernetes has no reading for, such as `!vault`. */
  readonly tag?: string;
  readonly anchor?: string;
  readonly at?: Place;
}

export interface AliasNode {
  readonly kind: 'alias';
  readonly name: string;
  /** What it stands for; absent when the anchor is missing or holds the alias itself. */
  readonly target?: YamlNode;
  readonly at?: Place;
}

export interface MapNode {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
  readonly flow?: boolean;
  readonly tag?: string;
  readonly anchor?: string;
  readonly at?: Place;
  readonly base?: MapNode;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: readonly ListItem[];
  readonly flow?: boolean;
  readonly tag?: string;
  readonly anchor?: string;
  readonly at?: Place;
  readonly base?: ListNode;
}

export type YamlNode = ScalarNode | AliasNode | MapNode | ListNode;

/**
 * Where an entry or item stands: `start` is its key (or `?`) or dash, `indicator` the offset after its `:` or `-`,
 * `after` where the entry before it ends (or its parent begins).
 */
export interface SlotPlace {
  readonly source: Source;
  readonly start: number;
  readonly indicator: number;
  readonly after: number;
  readonly flow: boolean;
}

/** Comments that a made entry or item shall have instead of its base's; null removes, absent keeps. */
export interface CommentChange {
  /** Comments and blank lines above it, indented against `column`. */
  readonly lead?: { readonly lines: readonly string[]; readonly column: number };
  readonly line?: string | null;
}

export interface MapEntry {
  /** The key's text, or a JSON form for keys that are no scalars. */
  readonly name: string;
  readonly key: YamlNode;
  readonly value: YamlNode;
  readonly at?: SlotPlace;
  readonly base?: MapEntry;
  /** The read entry whose text brings the value, when it is not base's own. */
  readonly from?: MapEntry;
  readonly comments?: CommentChange;
}

export interface ListItem {
  readonly value: YamlNode;
  readonly at?: SlotPlace;
  readonly base?: ListItem;
  readonly from?: ListItem;
  readonly comments?: CommentChange;
}

export type Slot = MapEntry | ListItem;

const indexes = new WeakMap<MapNode, ReadonlyMap<string, MapEntry>>();

/** Finds an entry by name, in constant time for large maps. */
export function entryOf(map: MapNode, name: string): MapEntry | undefined {
  if (map.entries.length < 8) return map.entries.find((entry) => entry.name === name);
  let index = indexes.get(map);
  if (index === undefined) {
    index = new Map(map.entries.map((entry) => [entry.name, entry]));
    indexes.set(map, index);
  }
  return index.get(name);
}

/** Follows aliases to what they stand for. */
export function resolved(node: YamlNode): YamlNode {
  let here = node;
  for (let hops = 0; here.kind === 'alias' && here.target !== undefined && hops < 100; hops += 1)
    here = here.target;
  return here;
}

/** The value below a path of map keys, aliases followed; undefined when there is none. */
export function valueAt(node: YamlNode | undefined, ...names: readonly string[]): YamlNode | undefined {
  let here = node === undefined ? undefined : resolved(node);
  for (const name of names) {
    if (here?.kind !== 'map') return undefined;
    const value = entryOf(here, name)?.value;
    here = value === undefined ? undefined : resolved(value);
  }
  return here;
}

/** The scalar below a path of map keys as text; '' when there is none. */
export function textAt(node: YamlNode | undefined, ...names: readonly string[]): string {
  const value = valueAt(node, ...names);
  return value?.kind === 'scalar' && value.value !== null ? String(value.value) : '';
}
