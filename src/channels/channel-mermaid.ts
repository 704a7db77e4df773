/** A part of a channel as Mermaid: what a change is about, and a few revisions around it. */
import type { ChannelGraph } from './channel-graph.ts';
import { bestAfter } from './next.ts';

/** Revisions before and behind each that a change is about. */
const HOPS = 5;
/** Nodes that one drawing shows; Mermaid refuses long texts, and nobody reads more. */
const MAX_NODES = 60;

export interface ChannelDrawing {
  /** Revisions that the change is about. */
  readonly about: ReadonlySet<number>;
  readonly deprecated: ReadonlySet<number>;
  /** Of operators, by their revisions. */
  readonly versions: ReadonlyMap<number, string>;
}

/** An arrow leads from each revision to the one that follows it; from one that was withdrawn, dotted, to the head. */
export function channelMermaid(graph: ChannelGraph, { about, deprecated, versions }: ChannelDrawing): string {
  const all = [...new Set([...graph.live, ...graph.withdrawn])].sort((a, b) => a - b);
  const places = [...all.keys()].filter((at) => about.has(all[at] ?? 0));
  const near = all.filter((_revision, at) => places.some((place) => Math.abs(place - at) <= HOPS));
  const shown = near.slice(-MAX_NODES);
  const names = new Set(shown);
  const lines = [
    'graph LR',
    '  classDef deprecated fill:#E8960F',
    '  classDef withdrawn stroke:#FF0000,stroke-width:4px',
  ];
  for (const revision of shown) {
    const withdrawn = graph.withdrawn.has(revision);
    const kind = withdrawn ? ':::withdrawn' : deprecated.has(revision) ? ':::deprecated' : '';
    const said = [versions.get(revision) ?? [], revision === graph.head ? 'head' : []].flat().join(', ');
    lines.push(`  v${revision}["v${revision}${said && ` (${said})`}"]${kind}`);
    const to = withdrawn ? graph.head : bestAfter(revision, graph, deprecated);
    if (to !== undefined && names.has(to)) lines.push(`  v${revision} ${withdrawn ? '-.->' : '-->'} v${to}`);
  }
  const more = all.length - shown.length;
  if (more > 0) lines.push(`  more["… ${more} more"]`);
  return lines.join('\n');
}
