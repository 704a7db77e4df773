import { canon } from '../yaml/compare.ts';
import { textAt } from '../yaml/node.ts';
import type { ListItem, ListNode, YamlNode } from '../yaml/node.ts';
import type { PathSegment } from '../yaml/path.ts';
import { commonPairs } from '../yaml/sequence.ts';
import { leavesOf } from './leaves.ts';

/** Names an item among its siblings; undefined when this pass cannot. */
export type ItemKey = (item: YamlNode) => PathSegment | undefined;

/** The states of one item in the three lists, and how a path names it. */
export interface Triple {
  readonly local?: ListItem;
  readonly base?: ListItem;
  readonly upstream?: ListItem;
  readonly segment: PathSegment;
}

type Draft = { local?: ListItem; base?: ListItem; upstream?: ListItem };

/**
 * Finds for each item its counterparts, pass after pass. Of items that share a key those with equal content belong
 * together first, the others in order of appearance.
 */
export function matchItems(lists: readonly (ListNode | undefined)[], passes: readonly ItemKey[]): Triple[] {
  const placed = new Set<ListItem>();
  const triples: (Draft & Pick<Triple, 'segment'>)[] = [];
  for (const pass of [...passes, sameContent]) {
    if (pass !== sameContent) findBases(triples, lists[1], pass, placed);
    const groups = new Map<string, { readonly key: PathSegment; readonly sides: ListItem[][] }>();
    for (const [side, list] of lists.entries()) {
      for (const item of list?.items ?? []) {
        const key = placed.has(item) ? undefined : pass(item.value);
        if (key === undefined) continue;
        const text = JSON.stringify(key);
        const group = groups.get(text) ?? { key, sides: [[], [], []] };
        groups.set(text, group);
        group.sides[side]?.push(item);
      }
    }
    const isLast = pass === sameContent || passes.length === 1;
    for (const { key, sides } of groups.values()) {
      const [local = [], base = [], upstream = []] = sides;
      for (const draft of paired(local, base, upstream)) {
        const members = [draft.local, draft.base, draft.upstream].filter((item) => item !== undefined);
        // A lone item may still find its counterpart in a later pass.
        if (members.length === 1 && !isLast) continue;
        for (const item of members) placed.add(item);
        triples.push({ ...draft, segment: segmentOf(draft, key, lists) });
      }
    }
  }
  return triples;
}

/** True where which items belong together can be a guess: they have several names each, or two share one. */
export function isAmbiguous({ items }: ListNode, passes: readonly ItemKey[]): boolean {
  return (
    passes.length > 1 ||
    passes.some((pass) => {
      const names = items.flatMap(({ value }) => JSON.stringify(pass(value)) ?? []);
      return new Set(names).size < names.length;
    })
  );
}

/**
 * Items that both sides changed to one new key, as functions that both gave a name, continue the base item that a later
 * pass names alike.
 */
function findBases(
  triples: readonly Draft[],
  base: ListNode | undefined,
  pass: ItemKey,
  placed: Set<ListItem>,
): void {
  const open = triples.filter((one) => one.base === undefined && one.local && one.upstream);
  if (open.length === 0) return;
  const keyOf = (item: ListItem | undefined): string => JSON.stringify(item && pass(item.value)) ?? '';
  const found = Map.groupBy(base?.items.filter((item) => !placed.has(item)) ?? [], keyOf);
  for (const draft of open) {
    const name = keyOf(draft.local);
    const [item, ...others] = found.get(name) ?? [];
    if (name === '' || keyOf(draft.upstream) !== name || item === undefined || others.length > 0) continue;
    draft.base = item;
    placed.add(item);
    found.delete(name);
  }
}

/**
 * Joins what the key tore apart: an item whose key one side changed while its name stayed, and two new items of one
 * name. For lists whose items have names of their own on all sides.
 */
export function joinedByName(triples: readonly Triple[]): Triple[] {
  const joined: Triple[] = triples.filter(({ base }) => base !== undefined);
  for (const one of triples.filter(({ base }) => base === undefined)) {
    const names = [one.local, one.upstream].map(nameOf).filter((name) => name !== '');
    const at = joined.findIndex(
      (known) =>
        (one.local === undefined || known.local === undefined) &&
        (one.upstream === undefined || known.upstream === undefined) &&
        names.includes(nameOf(known.base ?? known.local ?? known.upstream)),
    );
    const known = joined[at];
    if (known === undefined) joined.push(one);
    else
      joined[at] = { ...known, ...one, segment: { name: nameOf(known.base ?? one.local ?? one.upstream) } };
  }
  return joined;
}

function nameOf(item: ListItem | undefined): string {
  return item === undefined ? '' : textAt(item.value, 'name');
}

/** Pairs the items of one key: upstream's with base's, then local's with either. */
function paired(
  local: readonly ListItem[],
  base: readonly ListItem[],
  upstream: readonly ListItem[],
): Draft[] {
  const old = base.map((item): Draft => ({ base: item }));
  const toUpstream = continued(old, upstream);
  const known = [
    ...old.map((draft) => ({ ...draft, ...optional('upstream', toUpstream.get(draft)) })),
    ...without(upstream, toUpstream.values()).map((item): Draft => ({ upstream: item })),
  ];
  const toLocal = continued(known, local);
  return [
    ...known.map((draft) => ({ ...draft, ...optional('local', toLocal.get(draft)) })),
    ...without(local, toLocal.values()).map((item) => ({ local: item })),
  ];
}

function optional(side: keyof Draft, item: ListItem | undefined): Draft {
  return item === undefined ? {} : { [side]: item };
}

function without(items: readonly ListItem[], taken: Iterable<ListItem>): ListItem[] {
  const gone = new Set(taken);
  return items.filter((item) => !gone.has(item));
}

/** Past so many comparisons items of one key are paired in order of appearance. */
const MAX_COMPARISONS = 10_000;

/**
 * The item that continues each draft: the one that is as upstream has it now, else as base had it; else the one that
 * shares most with it.
 */
function continued(drafts: readonly Draft[], now: readonly ListItem[]): Map<Draft, ListItem> {
  const pairs = new Map<Draft, ListItem>();
  const [onlyDraft, onlyNow] = [drafts[0], now[0]];
  if (drafts.length < 2 && now.length < 2) {
    if (onlyDraft !== undefined && onlyNow !== undefined) pairs.set(onlyDraft, onlyNow);
    return pairs;
  }
  const left = (): Draft[] => drafts.filter((draft) => !pairs.has(draft));
  for (const side of ['upstream', 'base'] as const) {
    const known = left().flatMap((draft) => {
      const item = draft[side];
      return item === undefined ? [] : [{ draft, text: canon(item.value) }];
    });
    const open = without(now, pairs.values());
    for (const [x, y] of commonPairs(
      known.map(({ text }) => text),
      open.map(({ value }) => canon(value)),
    )) {
      const [one, twin] = [known[x], open[y]];
      if (one !== undefined && twin !== undefined) pairs.set(one.draft, twin);
    }
  }
  // What the other side still has is more likely to be here, too; what only it has is a guess.
  const rank = ({ base, upstream }: Draft): number =>
    base === undefined ? 2 : upstream === undefined ? 1 : 0;
  const open = left().sort((a, b) => rank(a) - rank(b));
  const free = without(now, pairs.values());
  const isShort = open.length * free.length <= MAX_COMPARISONS;
  for (const draft of open) {
    const item = draft.base ?? draft.upstream;
    const at = isShort && item !== undefined ? mostAlike(item, free) : 0;
    const [twin] = free.splice(at, 1);
    if (twin !== undefined) pairs.set(draft, twin);
  }
  return pairs;
}

function mostAlike(item: ListItem, candidates: readonly ListItem[]): number {
  const leaves = new Set(leavesOf(item.value));
  const shared = candidates.map(
    ({ value }) => [...leavesOf(value)].filter((leaf) => leaves.has(leaf)).length,
  );
  return Math.max(0, shared.indexOf(Math.max(...shared)));
}

/**
 * The item as a path segment: by the fields of its key, with their own values, where they name one item alone; with
 * its name beside them where only that tells it apart; else by its position.
 */
function segmentOf(draft: Draft, key: PathSegment, lists: readonly (ListNode | undefined)[]): PathSegment {
  const sides = [draft.local, draft.upstream, draft.base];
  const at = sides.findIndex((item) => item !== undefined);
  const item = sides[at];
  const items = [lists[0], lists[2], lists[1]][at]?.items ?? [];
  if (item === undefined || typeof key !== 'object') return key;
  const keyed = fieldsOf(item, Object.keys(key));
  for (const fields of [keyed, { ...fieldsOf(item, ['name']), ...keyed }]) {
    const found = items.filter((other) => isNamedBy(other, fields));
    if (Object.keys(fields).length > 0 && found.length === 1) return fields;
  }
  return items.indexOf(item);
}

function fieldsOf(item: ListItem, names: readonly string[]): Readonly<Record<string, string>> {
  const fields = names.map((name) => [name, textAt(item.value, name)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== ''));
}

function isNamedBy(item: ListItem, fields: Readonly<Record<string, string>>): boolean {
  return Object.entries(fields).every(([name, value]) => textAt(item.value, name) === value);
}

const sameContent: ItemKey = (item) => ({ '': canon(item) });
