/**
 * The message of a revision's tag: a sentence for people, then git trailers (see git-interpret-trailers) that say
 * where the revision comes from. It is the record that stays when every comment is gone.
 */

/** A Kptfile's `upstream` and `upstreamLock`, as far as a tag tells them. */
export interface UpstreamPlace {
  readonly repo: string;
  readonly directory: string;
  readonly ref: string;
}

export interface Provenance {
  readonly package: string;
  readonly revision: string;
  /** The content digest, see `contentDigest`. */
  readonly digest: string;
  readonly upstream?: UpstreamPlace;
  readonly upstreamLock?: UpstreamPlace & { readonly commit: string };
  readonly guardrails: readonly { readonly name: string; readonly function: string }[];
  readonly approvedBy: readonly string[];
  /** Number of the pull request. */
  readonly proposal?: number;
  readonly requestedBy?: string;
  /** The revision whose content this one brings back. */
  readonly restoredFrom?: string;
}

export function formatProvenance(_provenance: Provenance): string {
  return '';
}

/** Undefined for a tag message that is not one of ours. */
export function parseProvenance(_message: string): Provenance | undefined {
  return undefined;
}
