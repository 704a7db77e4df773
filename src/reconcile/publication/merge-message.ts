/**
 * Pure: what a merge that Portico made says about the publish that it was asked for. People read the trailers; Portico
 * believes the sealed line alone, which is bound to the pull request and its head: anybody can write a trailer.
 */
import type { Keyring } from '../../revision/keyring.ts';
import type { Bump } from '../../revision/numbering.ts';
import { openRecord, sealRecord } from '../../revision/sealed-record.ts';

export interface MergeRequestTrailers {
  readonly requestedBy?: string;
  /** Id of the comment or review with the command: a command that was carried out is known again by it. */
  readonly requestedIn?: number;
  readonly bump?: Bump;
  /** Approvals of the same change elsewhere that counted, such as `carol in acme/edge-canary#7`. */
  readonly approvedElsewhere?: readonly string[];
}

/** The merge that a message is for. */
export interface MergePlace {
  readonly repository: number;
  readonly pull: number;
  /** The commit that is merged. */
  readonly head: string;
}

const SEALED = 'Portico-Merge: ';

export function mergeMessage(trailers: MergeRequestTrailers, place: MergePlace, seals: Keyring): string {
  return [
    ...(trailers.requestedBy === undefined ? [] : [`Requested-By: ${trailers.requestedBy}`]),
    ...(trailers.requestedIn === undefined ? [] : [`Requested-In: ${trailers.requestedIn}`]),
    ...(trailers.bump === undefined ? [] : [`Revision-Bump: ${trailers.bump}`]),
    ...(trailers.approvedElsewhere ?? []).map((given) => `Approved-Elsewhere: ${given}`),
    `${SEALED}${sealRecord({ of: 'merge', ...place }, trailers, seals)}`,
  ].join('\n');
}

/** Reads back what Portico wrote for this very merge; undefined for every other message. */
export function mergeRequestOf(
  message: string,
  place: MergePlace,
  seals: Keyring,
): MergeRequestTrailers | undefined {
  for (const line of message.split('\n')) {
    if (!line.startsWith(SEALED)) continue;
    const trailers = openRecord({ of: 'merge', ...place }, line.slice(SEALED.length).trim(), seals);
    // The seal says that this is what mergeMessage wrote.
    if (trailers !== undefined) return trailers as MergeRequestTrailers;
  }
  return undefined;
}
