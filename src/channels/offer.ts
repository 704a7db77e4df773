/** What a package offers: its revisions, and its channels, by their document or by a tag beside the revisions. */
import { compareRevisions, parseRevisionName } from '../revision/revision-name.ts';
import { graphOf, type ChannelGraph } from './channel-graph.ts';
import { channelGraphInput } from './check-channels.ts';
import type { ChannelDocument, DeprecationDocument, PackageChannels } from './package-channels.ts';

export interface PackageOffer {
  /** Package path. */
  readonly path: string;
  /** Names of the tags, oldest first, such as `v7`. */
  readonly revisions: readonly string[];
  readonly channels: ReadonlyMap<string, OfferedChannel>;
  readonly defaultChannel?: string;
  readonly deprecations: readonly DeprecationDocument[];
  /** Revisions that are taken only where there is no other. */
  readonly deprecated: ReadonlySet<number>;
}

export type OfferedChannel =
  | { readonly kind: 'document'; readonly document: ChannelDocument; readonly graph: ChannelGraph }
  /** No document has it: the tag leads to one revision, and that is all there is. */
  | { readonly kind: 'tag'; readonly revision: string };

/**
 * Puts together what is known of a package. Channels of the document stand above tags of the same names.
 *
 * @param tags channel → the revision that its tag leads to
 */
export function offerOf(
  path: string,
  revisions: Iterable<string>,
  document: PackageChannels | undefined,
  tags: ReadonlyMap<string, string> = new Map(),
): PackageOffer {
  const names = inOrder(revisions);
  const numbers = new Set(names.flatMap((name) => numberOf(name) ?? []));
  const channels = new Map<string, OfferedChannel>(
    [...tags].map(([name, revision]) => [name, { kind: 'tag', revision }]),
  );
  for (const channel of document?.channels ?? []) {
    const graph = graphOf(channelGraphInput(channel, numbers));
    channels.set(channel.name, { kind: 'document', document: channel, graph });
  }
  const deprecations = document?.deprecations ?? [];
  const { defaultChannel } = document ?? {};
  return {
    path,
    revisions: names,
    channels: new Map([...channels].sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(defaultChannel !== undefined && { defaultChannel }),
    deprecations,
    deprecated: new Set(
      deprecations.flatMap(({ schema, name = '' }) => (schema === 'revision' ? (numberOf(name) ?? []) : [])),
    ),
  };
}

/** Revisions oldest first, each once; what is no name of a revision is passed over. */
function inOrder(revisions: Iterable<string>): string[] {
  return [...new Set(revisions)]
    .flatMap((name) => parseRevisionName(name) ?? [])
    .sort(compareRevisions)
    .map(({ name }) => name);
}

/** 7 for `v7`; undefined for other names, such as those by SemVer. */
export function numberOf(revision: string): number | undefined {
  const found = /^v([1-9]\d{0,8})$/.exec(revision)?.[1];
  return found === undefined ? undefined : Number(found);
}
