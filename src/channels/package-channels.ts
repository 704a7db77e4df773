/** What a `PackageChannels` document says, field by field; nothing here is judged. */

/** With its line in the file, from 1. */
export type Placed<Value> = Value & { readonly line: number };

export interface MemberDocument {
  readonly revision: number;
  readonly waypoint?: boolean;
  readonly note?: string;
  readonly withdrawn?: { readonly reason?: string; readonly at?: string };
  readonly replaces?: number;
  readonly skips?: readonly number[];
  readonly skipRange?: string;
  readonly version?: string;
}

export interface PromotionDocument {
  /** The channel whose revisions may be taken over. */
  readonly from: string;
  readonly soak?: string;
  readonly require: readonly string[];
  /** Of a hundred downstreams, so many have to be healthy for `rollout`; absent: all. */
  readonly healthy?: number;
  readonly approvers: readonly string[];
  readonly auto?: 'open' | 'merge';
}

export interface ChannelDocument {
  readonly name: string;
  readonly mode: 'sequence' | 'graph';
  /** Every published revision is a member. */
  readonly auto?: 'all';
  /** Said twice on purpose: it must be what follows from the members. */
  readonly head?: number;
  readonly headLine: number;
  readonly members: readonly Placed<MemberDocument>[];
  readonly promotion?: Placed<PromotionDocument>;
}

export interface DeprecationDocument {
  readonly schema: 'package' | 'channel' | 'revision';
  readonly name?: string;
  readonly message: string;
  readonly severity: 'info' | 'warning' | 'blocking';
  readonly supersededBy?: number;
}

export interface PackageChannels {
  readonly package: string;
  readonly packageLine: number;
  readonly defaultChannel?: string;
  readonly defaultLine: number;
  readonly channels: readonly Placed<ChannelDocument>[];
  readonly deprecations: readonly Placed<DeprecationDocument>[];
}
