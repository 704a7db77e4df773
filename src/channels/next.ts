/** Which revision a downstream gets next, and the way from there to the head. */
import type { ChannelGraph } from './channel-graph.ts';

export interface NextRequest {
  /** The revision that the downstream is at. */
  readonly at: number;
  /** SelfCertified goes to the head, whether an edge leads there or not. */
  readonly policy?: 'CatalogProvided' | 'SelfCertified';
  /** Revisions that are taken only where there is no other. */
  readonly deprecated?: ReadonlySet<number>;
}

export type Next =
  /** At the head. */
  | { readonly kind: 'current' }
  /** Above the head: a member of another channel that waits. */
  | { readonly kind: 'ahead'; readonly head: number }
  /** One step, and all that follow it up to the head. */
  | { readonly kind: 'step'; readonly to: number; readonly path: readonly number[] }
  /** Away from a revision that was withdrawn, which may lead down. */
  | { readonly kind: 'back'; readonly to: number; readonly downgrade: boolean }
  /** No edge leads on. `nearest` is the live member closest to it from which the head can be reached. */
  | {
      readonly kind: 'unreachable';
      readonly head: number;
      readonly reachable: readonly number[];
      readonly nearest?: number;
    }
  /** The channel offers nothing, or its head is not plain. */
  | { readonly kind: 'no-head' };

/** Decides the next step; the same for the same channel, whatever the order of its members. */
export function nextRevision(graph: ChannelGraph, request: NextRequest): Next {
  const { at, policy = 'CatalogProvided', deprecated = new Set() } = request;
  const { head } = graph;
  if (head === undefined) return { kind: 'no-head' };
  if (at === head) return { kind: 'current' };
  if (graph.withdrawn.has(at)) return { kind: 'back', to: head, downgrade: head < at };
  const path = pathFrom(at, graph, deprecated);
  const [to] = path;
  if (to !== undefined) return { kind: 'step', to, path };
  if (policy === 'SelfCertified') return { kind: 'step', to: head, path: [head] };
  if (at > head) return { kind: 'ahead', head };
  const reachable = membersOnTheWay(graph, deprecated);
  const nearest = reachable.toSorted((a, b) => Math.abs(a - at) - Math.abs(b - at) || a - b)[0];
  return { kind: 'unreachable', head, reachable, ...(nearest !== undefined && { nearest }) };
}

/**
 * The steps from a revision on. Ends at the head, or where nothing leads on; nothing is visited twice.
 */
export function pathFrom(
  at: number,
  graph: ChannelGraph,
  deprecated: ReadonlySet<number> = new Set(),
): number[] {
  const path: number[] = [];
  const seen = new Set([at]);
  let here = bestAfter(at, graph, deprecated);
  while (here !== undefined && !seen.has(here)) {
    seen.add(here);
    path.push(here);
    here = bestAfter(here, graph, deprecated);
  }
  return path;
}

/** The next of these steps; undefined at the head, and where nothing leads on. */
export function bestAfter(
  at: number,
  graph: ChannelGraph,
  deprecated: ReadonlySet<number> = new Set(),
): number | undefined {
  return at === graph.head ? undefined : graph.best(at, deprecated);
}

/** Live members from which the steps lead to the head; each is asked once. */
function membersOnTheWay(graph: ChannelGraph, deprecated: ReadonlySet<number>): number[] {
  const leads = new Map<number, boolean>();
  if (graph.head !== undefined) leads.set(graph.head, true);
  for (const start of graph.live) {
    const trail: number[] = [];
    let here: number | undefined = start;
    while (here !== undefined && !leads.has(here)) {
      // Where the steps come back to themselves they lead nowhere.
      leads.set(here, false);
      trail.push(here);
      here = bestAfter(here, graph, deprecated);
    }
    const arrives = here !== undefined && leads.get(here) === true;
    for (const one of trail) leads.set(one, arrives);
  }
  return graph.live.filter((one) => leads.get(one) === true);
}
