/**
 * What a function did to a resource, as a change of its text's tree: parts whose data and notes stayed are the
 * document's own nodes and keep their bytes.
 */
import { isMap } from '../plain-values.ts';
import { holdsAlias } from '../yaml/aliases.ts';
import type {
  CommentChange,
  ListItem,
  ListNode,
  MapEntry,
  MapNode,
  ScalarNode,
  Slot,
  YamlNode,
} from '../yaml/node.ts';
import { readPlain } from '../yaml/scalar.ts';
import { isContainer, noteOf, sameNote, sameValue } from './field-notes.ts';
import type { Container } from './field-notes.ts';
import type { KrmObject } from './krm-object.ts';
import { pairItems } from './pair-items.ts';

export interface ChangedTree {
  readonly root: YamlNode;
  /**
   * True when the new text has to be looked at: comments are wanted where it has no place yet, or parts went or moved,
   * which an odd layout may get wrong.
   */
  readonly unfinished: boolean;
}

interface State {
  unfinished: boolean;
  /** Write aliases out, since what they stand for changes. */
  readonly expand: boolean;
}

/** The tree of a document that held `before` and shall hold `after`. */
export function changeTree(root: MapNode, before: KrmObject, after: KrmObject): ChangedTree {
  const state: State = {
    unfinished: false,
    expand: mayHaveAnchor(root) && anchorsChange(root, before, after),
  };
  return { root: changeMap(root, before, after, state), unfinished: state.unfinished };
}

/** Most texts have no anchor at all. */
function mayHaveAnchor(root: MapNode): boolean {
  return root.at?.source.text.includes('&') !== false;
}

/** A tree of data that is not in any text yet. Comments beside the data are not written at once: see `unfinished`. */
export function newTree(value: KrmObject): ChangedTree {
  const state: State = { unfinished: false, expand: false };
  return { root: makeMap(value, state), unfinished: state.unfinished };
}

/** True when a part with an anchor changes: aliases of it must keep their value. */
function anchorsChange(node: YamlNode, before: unknown, after: unknown): boolean {
  if (sameValue(before, after)) return false;
  if (node.kind === 'alias' || node.kind === 'scalar')
    return node.kind === 'scalar' && node.anchor !== undefined;
  if (node.anchor !== undefined) return true;
  if (node.kind === 'map' && isMap(before)) {
    return node.entries.some((entry) =>
      anchorsChange(entry.value, before[entry.name], isMap(after) ? after[entry.name] : undefined),
    );
  }
  if (node.kind === 'list' && Array.isArray(before)) {
    return node.items.some((item, at) =>
      anchorsChange(item.value, before[at], Array.isArray(after) ? after[at] : undefined),
    );
  }
  return false;
}

function changeValue({
  node,
  before,
  beforeKey,
  after,
  key,
  state,
}: {
  readonly node: YamlNode;
  readonly before: Container;
  readonly beforeKey: string | number;
  readonly after: Container;
  readonly key: string | number;
  readonly state: State;
}): YamlNode {
  const old = (before as KrmObject)[beforeKey];
  const now = (after as KrmObject)[key];
  const restyled = noteOf(before, beforeKey).style !== noteOf(after, key).style && isContainer(now);
  if (!state.expand && !restyled && sameValue(old, now) && sameText(before, beforeKey, after, key))
    return node;
  if (state.expand && !restyled && sameValue(old, now) && !holdsAlias(node)) return node;
  if (!restyled && node.kind === 'map' && isMap(old) && isMap(now)) return changeMap(node, old, now, state);
  if (!restyled && node.kind === 'list' && Array.isArray(old) && Array.isArray(now))
    return changeList(node, old, now, state);
  return makeValue(after, key, state);
}

function sameText(
  before: Container,
  beforeKey: string | number,
  after: Container,
  key: string | number,
): boolean {
  const left = noteOf(before, beforeKey);
  const right = noteOf(after, key);
  return left.style === right.style && left.source === right.source;
}

function changeMap(node: MapNode, before: KrmObject, after: KrmObject, state: State): MapNode {
  const entries: MapEntry[] = [];
  const old = new Set<string>();
  for (const entry of node.entries) {
    old.add(entry.name);
    if (!Object.hasOwn(after, entry.name)) continue;
    const value = changeValue({
      node: entry.value,
      before,
      beforeKey: entry.name,
      after,
      key: entry.name,
      state,
    });
    const comments = commentChange({
      slot: entry,
      value,
      before,
      beforeKey: entry.name,
      after,
      key: entry.name,
      state,
    });
    if (value === entry.value && comments === undefined) entries.push(entry);
    else
      entries.push({
        name: entry.name,
        key: entry.key,
        value,
        base: entry,
        ...(comments === undefined ? {} : { comments }),
      });
  }
  const kept = entries.length;
  for (const name of Object.keys(after)) if (!old.has(name)) entries.push(makeEntry(after, name, state));
  if (kept < old.size) state.unfinished = true;
  // Nothing is left to edit in place.
  if (kept === 0 && old.size > 0)
    return { kind: 'map', entries, ...(node.flow === true ? { flow: true } : {}) };
  return { kind: 'map', entries, ...shapeOf(node) };
}

function changeList(
  node: ListNode,
  before: readonly unknown[],
  after: readonly unknown[],
  state: State,
): ListNode {
  const twins = pairItems(before, after);
  const items = after.map((_, at): ListItem => {
    const from = twins[at] ?? -1;
    const item = node.items[from];
    if (item === undefined) return makeItem(after as unknown[], at, state);
    const value = changeValue({
      node: item.value,
      before: before as unknown[],
      beforeKey: from,
      after: after as unknown[],
      key: at,
      state,
    });
    const comments = commentChange({
      slot: item,
      value,
      before: before as unknown[],
      beforeKey: from,
      after: after as unknown[],
      key: at,
      state,
    });
    if (value === item.value && comments === undefined) return item;
    return { value, base: item, ...(comments === undefined ? {} : { comments }) };
  });
  if (after.length !== before.length || twins.some((from, at) => from !== at)) state.unfinished = true;
  const kept = twins.some((from) => from >= 0);
  if (!kept && before.length > 0)
    return { kind: 'list', items, ...(node.flow === true ? { flow: true } : {}) };
  return { kind: 'list', items, ...shapeOf(node) };
}

function shapeOf<Node extends MapNode | ListNode>(
  node: Node,
): Pick<Node, 'flow' | 'tag' | 'anchor' | 'base'> {
  const { flow, tag, anchor } = node;
  return {
    ...(flow === undefined ? {} : { flow }),
    ...(tag === undefined ? {} : { tag }),
    ...(anchor === undefined ? {} : { anchor }),
    base: node,
  };
}

function commentChange({
  slot,
  value,
  before,
  beforeKey,
  after,
  key,
  state,
}: {
  readonly slot: Slot;
  readonly value: YamlNode;
  readonly before: Container;
  readonly beforeKey: string | number;
  readonly after: Container;
  readonly key: string | number;
  readonly state: State;
}): CommentChange | undefined {
  const old = noteOf(before, beforeKey);
  const now = noteOf(after, key);
  const text = now.comment ?? now.keyComment;
  // A collection that is written anew takes the line of its key along: its comment comes back in a second round.
  const rewritten =
    value !== slot.value &&
    !(value.kind === 'scalar' && slot.value.kind === 'scalar') &&
    !('base' in value && value.base === slot.value);
  if (rewritten) state.unfinished = true;
  if (sameNote(before, after, key) && beforeKey === key) return undefined;
  if (old.comment === now.comment && old.keyComment === now.keyComment) return undefined;
  return { line: text === undefined ? null : `# ${text}` };
}

function makeEntry(map: KrmObject, name: string, state: State): MapEntry {
  noteUnwritten(map, name, state);
  const key: ScalarNode = { kind: 'scalar', value: name, ...quotesFor(name) };
  return { name, key, value: makeValue(map, name, state) };
}

function makeItem(list: unknown[], at: number, state: State): ListItem {
  noteUnwritten(list, at, state);
  return { value: makeValue(list, at, state) };
}

function noteUnwritten(container: Container, key: string | number, state: State): void {
  const note = noteOf(container, key);
  if (note.comment !== undefined || note.keyComment !== undefined) state.unfinished = true;
}

function makeValue(container: Container, key: string | number, state: State): YamlNode {
  const value = (container as KrmObject)[key];
  const note = noteOf(container, key);
  if (isMap(value))
    return note.style === 'flow' ? { ...makeMap(value, state), flow: true } : makeMap(value, state);
  if (Array.isArray(value)) {
    const items = value.map((_, at) => makeItem(value, at, state));
    return note.style === 'flow' ? { kind: 'list', items, flow: true } : { kind: 'list', items };
  }
  const spelled = note.source !== undefined && Object.is(note.spelled, value) ? note.source : undefined;
  if (typeof value === 'string' && spelled === undefined) {
    const style =
      note.style === 'single' || note.style === 'double' ? { style: note.style } : quotesFor(value);
    return { kind: 'scalar', value, ...style };
  }
  const scalar = (value ?? null) as ScalarNode['value'];
  if (spelled === undefined) return { kind: 'scalar', value: scalar };
  // Spelled as the function wants it: a scalar read from a text of its own.
  const source = { text: spelled, eol: '\n' } as const;
  const at = { source, start: 0, body: 0, end: spelled.length };
  return { kind: 'scalar', value: scalar, style: 'plain', at };
}

function makeMap(value: KrmObject, state: State): MapNode {
  return { kind: 'map', entries: Object.keys(value).map((name) => makeEntry(value, name, state)) };
}

/** kpt puts what only looks like something else in double quotes; other quotes are the writer's. */
function quotesFor(text: string): { style?: 'double' } {
  return readPlain(text) !== text || /^[-+]?[\d.][\d_.,:eE+-]*$/.test(text) ? { style: 'double' } : {};
}
