/** Pure: where a package goes that follows a channel with a file, and the whole way from there to the head. */
import { offerOf, type PackageOffer } from '../../channels/offer.ts';
import type { DeprecationDocument, PackageChannels } from '../../channels/package-channels.ts';
import { deprecationsOn, planUpdate, type PlanCode, type Position } from '../../channels/plan.ts';
import { newestInRange } from '../../config/follow.ts';
import type { UpdatePolicy } from '../../config/repository-config.ts';
import { sentenceStart } from '../../text/joined.ts';
import { foreignSentence } from '../text/markdown-blocks.ts';
import { withheld, type Withheld, type WithheldReason } from './update-target.ts';

/** What an update says of the channel that it follows, and of what is deprecated on the way. */
export interface UpdateWay {
  /** `step 1 of 3: v3 → v7 → v12`, or `back to v9 (v10 withdrawn: broken probe)`; absent where no channel leads. */
  readonly text?: string;
  readonly channel?: string;
  /** The revision that is left because it was withdrawn. */
  readonly withdrawn?: string;
  /** Markdown: by what, by whom and why. */
  readonly because?: string;
  readonly deprecations: readonly DeprecationDocument[];
}

export interface ChannelRequest {
  /** Path of the upstream package. */
  readonly path: string;
  readonly channel: string;
  readonly policy: Pick<UpdatePolicy, 'policy' | 'onWithdrawn'>;
  /** Revisions that have their tag. */
  readonly available: readonly string[];
  readonly at: Position;
  /** The revision that a tag of the channel's name leads to. */
  readonly tagged: string | undefined;
}

export type ChannelTarget =
  | { readonly kind: 'target'; readonly revision: string; readonly way: UpdateWay }
  | Withheld;

/** The next step in a channel of this document, or why there is none. */
export function channelTarget(document: PackageChannels, request: ChannelRequest): ChannelTarget {
  const { channel, policy, at, tagged } = request;
  const tags = new Map(tagged === undefined ? [] : [[channel, tagged] as const]);
  const offer = offerOf(request.path, request.available, document, tags);
  const follow = { kind: 'channel', channel } as const;
  const planned = planUpdate(offer, {
    at,
    follow,
    newestInRange,
    ...(policy.policy && { policy: policy.policy }),
  });
  const { code, message, to, deprecations } = planned;
  if (code === 'withdrawn' && planned.downgrade === true && policy.onWithdrawn === 'ignore') {
    return withheld('withdrawn', `${sentence(message)} It stays there: updates.onWithdrawn is ignore.`);
  }
  if (to === undefined) return withheld(REASONS[code] ?? 'no-revision', sentence(message));
  const left = code === 'withdrawn' && at.kind === 'revision' ? at.revision : undefined;
  const way = { text: message, channel, deprecations, ...(left !== undefined && { withdrawn: left }) };
  return { kind: 'target', revision: to, way };
}

/** Where a package begins that is not there yet: at the head, unless it lets nobody in. */
export function firstInChannel(
  document: PackageChannels,
  { path, channel, available, tagged }: Omit<ChannelRequest, 'policy' | 'at'>,
): ChannelTarget {
  const tags = new Map(tagged === undefined ? [] : [[channel, tagged] as const]);
  const offered = offerOf(path, available, document, tags).channels.get(channel);
  if (offered === undefined) return withheld('no-channel', `The upstream has no channel ${channel}.`);
  const to = offered.kind === 'tag' ? offered.revision : headName(offered.graph.head);
  if (to === undefined) return withheld('no-head', `The channel ${channel} offers nothing.`);
  const deprecations = deprecationsOn(document, { from: undefined, to, channel });
  const closed = deprecations.find(({ severity }) => severity === 'blocking');
  if (closed !== undefined) {
    return withheld('no-head', sentence(`no new package can be made from ${to}: ${closed.message}`));
  }
  return { kind: 'target', revision: to, way: { channel, deprecations } };
}

function headName(head: number | undefined): string | undefined {
  return head === undefined ? undefined : `v${head}`;
}

/** What is told of an update that no channel leads: what is deprecated of it. */
export function otherWay(
  { deprecations }: Pick<PackageOffer, 'deprecations'>,
  step: { readonly from: string | undefined; readonly to: string; readonly channel: string | undefined },
): UpdateWay {
  return { deprecations: deprecationsOn({ deprecations }, step) };
}

/** As the command line calls them. */
const REASONS: Readonly<Partial<Record<PlanCode, WithheldReason>>> = {
  current: 'up-to-date',
  ahead: 'ahead',
  unreachable: 'unreachable',
  drifted: 'drifted',
  'no-head': 'no-head',
  'no-channel': 'no-channel',
};

/** It may hold what the upstream gives as its reason, and comments are made of it. */
function sentence(text: string): string {
  return foreignSentence(sentenceStart(text));
}
