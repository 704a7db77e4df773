/**
 * The upgrade graph of one channel. All of it follows from the set of entries: their order says nothing, and every result
 * is sorted.
 */
import { byText } from './go-text.ts';

/** What the graph needs of an entry: names alone. Revisions of a package have the same shape. */
export interface GraphEntry {
  readonly name: string;
  /** '' for none. */
  readonly replaces: string;
  readonly skips: readonly string[];
}

/** Entries that nothing in the channel replaces or skips. A good channel has one. */
export function headsOf(entries: Iterable<GraphEntry>): string[] {
  const all = [...entries];
  const below = new Set<string>();
  for (const { replaces, skips } of all) {
    if (replaces !== '') below.add(replaces);
    for (const skip of skips) below.add(skip);
  }
  return all
    .map(({ name }) => name)
    .filter((name) => !below.has(name))
    .sort(byText);
}

export type GraphFault =
  | { readonly kind: 'no-head' }
  | { readonly kind: 'heads'; readonly heads: readonly string[] }
  /** From an entry along what each replaces back to it. */
  | { readonly kind: 'cycle'; readonly path: readonly string[] }
  | { readonly kind: 'stranded'; readonly names: readonly string[] };

export type GraphHead =
  | { readonly head: string; readonly fault?: undefined }
  | { readonly head?: undefined; readonly fault: GraphFault };

/**
 * The head, where the channel is in order: one head, no cycle below it, and every entry either skipped or on the chain of what
 * the head replaces. The chain ends at an entry that is skipped or not there.
 */
export function headOf(entries: ReadonlyMap<string, GraphEntry>): GraphHead {
  const heads = headsOf(entries.values());
  const [head] = heads;
  if (head === undefined) return { fault: { kind: 'no-head' } };
  if (heads.length > 1) return { fault: { kind: 'heads', heads } };
  const skipped = new Set<string>();
  for (const { skips } of entries.values()) for (const skip of skips) skipped.add(skip);
  const chain = new Set([head]);
  for (let here = entries.get(head); here !== undefined; here = entries.get(here.replaces)) {
    if (skipped.has(here.replaces)) break;
    if (chain.has(here.replaces)) {
      const names = [...chain];
      const path = [...names.slice(names.indexOf(here.replaces)), here.replaces];
      return { fault: { kind: 'cycle', path } };
    }
    chain.add(here.replaces);
  }
  const stranded = [...entries.keys()].filter((name) => !chain.has(name) && !skipped.has(name));
  return stranded.length === 0 ? { head } : { fault: { kind: 'stranded', names: stranded.sort(byText) } };
}

/** A fault in the words of operator-registry. */
export function faultText(fault: GraphFault): string {
  switch (fault.kind) {
    case 'no-head':
      return 'no channel head found in graph';
    case 'heads':
      return `multiple channel heads found in graph: ${fault.heads.join(', ')}`;
    case 'cycle':
      return `detected cycle in replaces chain of upgrade graph: ${fault.path.join(' -> ')}`;
    case 'stranded':
      return `channel contains one or more stranded bundles: ${fault.names.join(', ')}`;
  }
}

/**
 * Groups of entries from each of which the others can be reached by replaces and skips: whoever is in one may go round
 * for ever. operator-registry sees only those along the head's own chain. An entry that names itself is a group of one.
 */
export function cyclesOf(entries: ReadonlyMap<string, GraphEntry>): string[][] {
  const cycles: string[][] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  for (const start of [...entries.keys()].sort(byText)) {
    if (index.has(start)) continue;
    // Tarjan's algorithm without recursion: chains are thousands of entries long.
    const work: { readonly name: string; readonly below: readonly string[]; at: number }[] = [];
    const enter = (name: string): void => {
      index.set(name, index.size);
      low.set(name, index.size - 1);
      stack.push(name);
      onStack.add(name);
      work.push({ name, below: belowOf(entries, name), at: 0 });
    };
    enter(start);
    for (let frame = work.at(-1); frame !== undefined; frame = work.at(-1)) {
      const next = frame.below[frame.at];
      frame.at += 1;
      if (next === undefined) {
        work.pop();
        const parent = work.at(-1);
        if (parent !== undefined) lower(low, parent.name, low.get(frame.name));
        if (low.get(frame.name) !== index.get(frame.name)) continue;
        const group = stack.splice(stack.lastIndexOf(frame.name));
        for (const name of group) onStack.delete(name);
        if (group.length > 1 || frame.below.includes(frame.name)) cycles.push(group.sort(byText));
      } else if (!index.has(next)) enter(next);
      else if (onStack.has(next)) lower(low, frame.name, index.get(next));
    }
  }
  return cycles.sort((a, b) => byText(a[0] ?? '', b[0] ?? ''));
}

function belowOf(entries: ReadonlyMap<string, GraphEntry>, name: string): string[] {
  const entry = entries.get(name);
  if (entry === undefined) return [];
  return [entry.replaces, ...entry.skips].filter((other) => entries.has(other));
}

function lower(low: Map<string, number>, name: string, value: number | undefined): void {
  low.set(name, Math.min(low.get(name) ?? Infinity, value ?? Infinity));
}
