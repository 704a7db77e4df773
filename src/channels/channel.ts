/** A channel of a package: which revisions it offers, and which of them may be jumped over. */

export interface SequenceMember {
  readonly revision: number;
  /** No jump leads over it. */
  readonly waypoint?: boolean;
  /** No longer offered; downstreams that have it move back to the head. */
  readonly withdrawn?: boolean;
}

/** Revisions in their order; every member may go to the head, as far as no waypoint stands between. */
export interface SequenceChannel {
  readonly mode: 'sequence';
  readonly members: readonly SequenceMember[];
}

export interface GraphMember extends SequenceMember {
  readonly replaces?: number;
  readonly skips?: readonly number[];
  /** A range over versions: revision 7 is version 7.0.0 unless `version` says otherwise. */
  readonly skipRange?: string;
  readonly version?: string;
}

/** Edges that are told one by one, as catalogs have them. */
export interface GraphChannel {
  readonly mode: 'graph';
  readonly members: readonly GraphMember[];
}

export type Channel = SequenceChannel | GraphChannel;
