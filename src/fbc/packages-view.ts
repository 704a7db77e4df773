/** A catalog that is in order, as the commands print it. */
import { headsOf } from './channel-graph.ts';
import { byText } from './go-text.ts';
import { MAX_EDGES } from './limits.ts';
import type { ModelPackage } from './model.ts';
import { upgradeEdges } from './upgrade-edges.ts';

export interface ChannelView {
  readonly head: string;
  readonly entries: readonly string[];
  /** `a -> b (replaces)`, in the order of the versions. */
  readonly edges: readonly string[];
  /** Edges that are too many to list. */
  readonly edgesLeftOut?: number;
  readonly deprecated?: string;
}

export interface PackageView {
  readonly defaultChannel: string;
  readonly deprecated?: string;
  readonly deprecatedBundles?: Readonly<Record<string, string>>;
  readonly channels: Readonly<Record<string, ChannelView>>;
}

export function packagesView(packages: ReadonlyMap<string, ModelPackage>): Record<string, PackageView> {
  const view = Object.create(null) as Record<string, PackageView>;
  let room = MAX_EDGES;
  for (const [name, one] of packages) {
    const channels = Object.create(null) as Record<string, ChannelView>;
    for (const channel of one.channels.values()) {
      const { edges, leftOut } = upgradeEdges(channel, one, room);
      room -= edges.length;
      channels[channel.name] = {
        head: headsOf(channel.entries.values())[0] ?? '',
        entries: [...channel.entries.keys()].sort(byText),
        edges: edges.map(({ from, to, by }) => `${from} -> ${to} (${by})`),
        ...(leftOut > 0 && { edgesLeftOut: leftOut }),
        ...(channel.deprecated !== undefined && { deprecated: channel.deprecated }),
      };
    }
    view[name] = {
      defaultChannel: one.defaultChannel,
      ...(one.deprecated !== undefined && { deprecated: one.deprecated }),
      ...(one.deprecatedBundles.size > 0 && {
        deprecatedBundles: Object.fromEntries(one.deprecatedBundles),
      }),
      channels,
    };
  }
  return view;
}
