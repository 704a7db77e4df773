import { changedEntry, inOrder, madeMap } from '../yaml/change.ts';
import { isNull, same } from '../yaml/compare.ts';
import { nextLine, triviaStart } from '../yaml/layout.ts';
import { entryOf, resolved } from '../yaml/node.ts';
import type { MapEntry, MapNode, Place, YamlNode } from '../yaml/node.ts';
import type { YamlPath } from '../yaml/path.ts';
import { commentNote, mergedComments, withComments } from './comments.ts';
import type { TellComment } from './comments.ts';
import type { Choice, Side } from './conflict.ts';
import { clashOf } from './exclusive-fields.ts';
import { mergeText } from './lines.ts';
import { mergeLists } from './lists.ts';
import { UPSTREAM_IDENTIFIER } from './resources.ts';
import type { ListKeys } from './schema.ts';
import { takeUpstream } from './take-upstream.ts';

/** What the walk needs to know, and whom it tells. */
export interface FieldContext {
  readonly keysOf: ListKeys;
  /** Told of each conflict, and of other fields that follow its side; answers which side is taken. */
  readonly conflict: (
    path: YamlPath,
    values: Values,
    also?: readonly (Values & { readonly path: YamlPath })[],
  ) => Side;
  /** Told of each conflict about a part of a text or list. */
  readonly stretch: (path: YamlPath, stretch: Stretch) => Choice;
  /** Told of what is no conflict, and yet worth a look. */
  readonly note: (code: string, path: YamlPath, message: string) => void;
  /** True for a merge whose result is only inspected: it reports nothing, and tries no further merges. */
  readonly isTrial?: true;
}

interface Values {
  readonly base: YamlNode | undefined;
  readonly upstream: YamlNode | undefined;
  readonly local: YamlNode | undefined;
}

/** Lines of a text, or items of a list, that both sides made something else of. */
export interface Stretch extends Values {
  /** How many equal ones come before it in the same place. */
  readonly nth: number;
  /** True where both may stay. */
  readonly both: boolean;
}

/** Where the walk stands: the path for people, the pattern for the schema. */
export interface Spot {
  readonly path: YamlPath;
  readonly pattern: string;
}

/** One place in its three states. */
export interface NodeMerge<Node = YamlNode> {
  readonly local: Node | undefined;
  readonly base: Node | undefined;
  readonly upstream: Node | undefined;
  readonly spot: Spot;
  readonly context: FieldContext;
}

/**
 * The three-way merge of one place: kpt's rules. Undefined is absent, and null is a value like others: a chart or a
 * patch reads `key: null` as an order to remove the key. What nobody changed stays local's own node, so that its text stays;
 * a conflict takes the side that the context says.
 */
export function mergeNodes({ local, base, upstream, spot, context }: NodeMerge): YamlNode | undefined {
  if (same(base, upstream)) return withUpstreamComments({ local, base, upstream, spot, context });
  // Both made the same of it, and upstream perhaps other comments.
  if (same(local, upstream) && local?.kind === 'map')
    return withUpstreamComments({ local, base, upstream, spot, context });
  if (same(local, upstream)) return local;
  if (sameAlias(local, base) && sameAlias(local, upstream)) return local;
  const untouched = same(local, base);
  if (untouched && (local === undefined || upstream === undefined)) return upstream;
  // Where both sides filled a null, each added all that it has.
  const isFilled = isNull(base) && local !== undefined && upstream !== undefined;
  const sides = [local, isFilled ? undefined : base, upstream].map((node) => node && resolved(node));
  const kinds = new Set(sides.flatMap((node) => (node === undefined ? [] : [node.kind])));
  if (kinds.size === 1) {
    const [d, o, u] = sides;
    if (kinds.has('map')) {
      const [own, old, theirs] = [asMap(d), asMap(o), asMap(u)];
      return isRemovedAndChanged(own, old, theirs, spot)
        ? settled({ local, base, upstream, spot, context })
        : mergeMaps({ local: own, base: old, upstream: theirs, spot, context });
    }
    if (kinds.has('list'))
      return mergeLists({ local: asList(d), base: asList(o), upstream: asList(u), untouched, spot, context });
  }
  if (untouched) return upstream;
  return (
    mergedText({ local, base, upstream, spot, context }) ?? settled({ local, base, upstream, spot, context })
  );
}

/** Maps whose keys mean nothing to each other: what one side added stands without the others. */
const INDEPENDENT = /(?:^|\.)metadata\.(?:labels|annotations)$|^(?:data|binaryData|stringData)$/;

/**
 * True where one side removed a map and the other changed it. Keys alone would leave half a map that neither side had,
 * such as a probe of nothing but a timeout.
 */
function isRemovedAndChanged(
  local: MapNode | undefined,
  base: MapNode | undefined,
  upstream: MapNode | undefined,
  { pattern }: Spot,
): boolean {
  if (base === undefined || (local === undefined) === (upstream === undefined)) return false;
  const now = local ?? upstream;
  const isOnlyMore =
    now !== undefined &&
    base.entries.every(({ name, value }) => {
      const kept = find(now, name);
      return kept === undefined || same(kept.value, value);
    });
  return !(isOnlyMore && INDEPENDENT.test(pattern));
}

function asMap(node: YamlNode | undefined): MapNode | undefined {
  return node?.kind === 'map' ? node : undefined;
}

function asList(node: YamlNode | undefined): Extract<YamlNode, { kind: 'list' }> | undefined {
  return node?.kind === 'list' ? node : undefined;
}

function sameAlias(a: YamlNode | undefined, b: YamlNode | undefined): boolean {
  return a?.kind === 'alias' && b?.kind === 'alias' && a.name === b.name;
}

/** Reports a conflict and gives the side that was taken. */
export function settled({ local, base, upstream, spot, context }: NodeMerge): YamlNode | undefined {
  if (context.conflict(spot.path, { base, upstream, local }) === 'local') return local;
  return local === undefined || upstream === undefined ? upstream : takeUpstream(local, base, upstream);
}

/** Upstream did not change the data, but perhaps comments in it. */
function withUpstreamComments({ local, base, upstream, spot, context }: NodeMerge): YamlNode | undefined {
  if (local?.kind !== base?.kind || local?.kind !== upstream?.kind || sameText(base, upstream)) return local;
  if (local?.kind === 'map')
    return mergeMaps({ local, base: asMap(base), upstream: asMap(upstream), spot, context });
  if (local?.kind === 'list')
    return mergeLists({
      local,
      base: asList(base),
      upstream: asList(upstream),
      untouched: same(local, base),
      spot,
      context,
    });
  return local;
}

/** True where the texts are the same, with the comments around them that belong to the place. */
function sameText(a: YamlNode | undefined, b: YamlNode | undefined): boolean {
  // A map without its sheltered parts, as of a Kptfile, stands nowhere: what is in it does.
  if (a?.at === undefined || b?.at === undefined) return a === b;
  return textAround(a.at) === textAround(b.at);
}

function textAround({ source, start, end }: Place): string {
  return source.text.slice(triviaStart(source.text, start), nextLine(source.text, end));
}

/** Merges maps key by key; an absent map counts as empty, so that each side's own keys are decided one by one. */
export function mergeMaps({
  local,
  base,
  upstream,
  spot,
  context,
}: NodeMerge<MapNode>): YamlNode | undefined {
  const below = (name: string): Spot => ({
    path: [...spot.path, name],
    pattern: spot.pattern === '' ? name : `${spot.pattern}.${name}`,
  });
  const kept: MapEntry[] = [];
  const sides = settledFields({ local, base, upstream, spot, context });
  for (const entry of local?.entries ?? []) {
    const o = find(base, entry.name);
    const u = find(upstream, entry.name);
    const side = isBookkeeping(entry, spot) ? 'local' : sides.get(entry.name);
    if (side !== undefined) {
      if (side === 'local') kept.push(entry);
      else if (u !== undefined) {
        const taken = changedEntry(entry, takeUpstream(entry.value, o?.value, u.value), u);
        kept.push(withComments(taken, mergedComments(entry, o, u, telling(below(entry.name), context))));
      }
      continue;
    }
    const inner = commentSchema(entry, context, below(entry.name).pattern);
    const value = mergeNodes({
      local: entry.value,
      base: o?.value,
      upstream: u?.value,
      spot: below(entry.name),
      context: inner,
    });
    if (value === undefined) continue;
    const changed = changedEntry(entry, value, u);
    kept.push(withComments(changed, mergedComments(entry, o, u, telling(below(entry.name), context))));
  }
  const added = (upstream?.entries ?? []).flatMap((entry): MapEntry[] => {
    if (find(local, entry.name) !== undefined) return [];
    const side = sides.get(entry.name);
    if (side !== undefined) return side === 'local' ? [] : [entry];
    const old = find(base, entry.name);
    if (old === undefined) return [entry];
    const value = mergeNodes({
      local: undefined,
      base: old.value,
      upstream: entry.value,
      spot: below(entry.name),
      context,
    });
    if (value === undefined) return [];
    return [value === entry.value ? entry : { name: entry.name, key: entry.key, value, from: entry }];
  });
  const addedNames = new Set(added.map((entry) => entry.name));
  const byName = new Map(added.map((entry) => [entry.name, entry]));
  const order = (upstream?.entries ?? [])
    .filter((entry) => addedNames.has(entry.name) || find(local, entry.name) !== undefined)
    .map((entry) => byName.get(entry.name) ?? entry);
  const keptNames = new Set(kept.map((entry) => entry.name));
  const entries = inOrder(
    kept,
    order.filter((entry) => keptNames.has(entry.name) || addedNames.has(entry.name)),
  );
  const old = local ?? upstream;
  if (old === undefined) return undefined;
  if (entries.length === 0 && upstream === undefined) return undefined;
  if (entries.length === 0 && local === undefined && (upstream?.entries.length ?? 0) > 0) return undefined;
  return madeMap(old, entries);
}

/** kpt's own annotation says where this copy of a resource came from: upstream's says it of upstream's. */
function isBookkeeping({ name }: MapEntry, { pattern }: Spot): boolean {
  return pattern === 'metadata.annotations' && name === UPSTREAM_IDENTIFIER;
}

/** Which side decides about fields that exclude each other; empty where there are none. */
function settledFields({
  local,
  base,
  upstream,
  spot,
  context,
}: NodeMerge<MapNode>): ReadonlyMap<string, Side> {
  const clash = local && upstream && clashOf(spot.pattern, base, upstream, local);
  if (clash === undefined) return new Map();
  const valuesOf = (name: string): Values => ({
    base: find(base, name)?.value,
    upstream: find(upstream, name)?.value,
    local: find(local, name)?.value,
  });
  const also = clash.fields
    .filter((name) => name !== clash.field)
    .map((name) => ({ path: [...spot.path, name], ...valuesOf(name) }))
    .filter((one) => !same(one.upstream, one.local));
  const side = context.conflict([...spot.path, clash.field], valuesOf(clash.field), also);
  return new Map(clash.fields.map((name) => [name, side]));
}

/** Tells of a comment at this place that both sides changed. */
export function telling({ path }: Spot, { note }: FieldContext): TellComment {
  return commentNote((code, message) => note(code, path, message));
}

function find(map: MapNode | undefined, name: string): MapEntry | undefined {
  return map === undefined ? undefined : entryOf(map, name);
}

/** A schema in the line comment of a key, as kyaml reads it, says how its list merges. */
function commentSchema(entry: MapEntry, context: FieldContext, pattern: string): FieldContext {
  if (entry.value.kind !== 'list' || entry.at === undefined) return context;
  const end = entry.at.source.text.indexOf('\n', entry.at.indicator);
  const line = entry.at.source.text.slice(entry.at.indicator, end === -1 ? undefined : end);
  if (!line.includes('x-kubernetes-patch')) return context;
  const strategy = /"x-kubernetes-patch-strategy"\s*:\s*"([^"]*)"/.exec(line)?.[1]?.split(',') ?? [];
  const key = /"x-kubernetes-patch-merge-key"\s*:\s*"([^"]*)"/.exec(line)?.[1];
  if (!strategy.includes('merge')) return context;
  const keys = key === undefined ? [] : [key];
  return { ...context, keysOf: (asked) => (asked === pattern ? keys : context.keysOf(asked)) };
}

/** Strings of several lines that both sides changed merge line by line; what overlaps is a conflict of those lines alone. */
function mergedText({ local, base, upstream, spot, context }: NodeMerge): YamlNode | undefined {
  const [d, o, u] = [local, base, upstream].map((node) => {
    const value = node?.kind === 'scalar' ? node.value : undefined;
    return typeof value === 'string' && value.includes('\n') ? value : undefined;
  });
  if (d === undefined || o === undefined || u === undefined) return undefined;
  const text = mergeText(d, o, u, ({ nth, both, ...lines }) => {
    const [mine, old, theirs] = [lines.local, lines.base, lines.upstream].map((value): YamlNode => ({
      kind: 'scalar',
      value,
    }));
    return context.stretch(spot.path, { local: mine, base: old, upstream: theirs, nth, both });
  });
  // The side that stands as a whole brings its own notation.
  if (text === u) return upstream;
  if (text === d) return local;
  return text === undefined ? undefined : { kind: 'scalar', value: text };
}
