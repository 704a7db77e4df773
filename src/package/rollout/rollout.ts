/** A `Rollout` document as a value: an update reaches the downstreams of an upstream package wave by wave. */

/** So many, or so many of a hundred. */
export type Share =
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'percent'; readonly percent: number };

/** What must hold of a wave before the next one opens. */
export interface WaveGate {
  /** How many of the wave have published the revision. */
  readonly published: Share;
  /** Commit statuses that must be `success` on each published commit, as globs over contexts. */
  readonly statuses: readonly string[];
  /** Environments to which each published commit must have been deployed with success. */
  readonly deployments: readonly string[];
  /** Seconds after its opening at which a wave that does not hold has failed. */
  readonly timeout?: number;
  readonly onFailure: 'stop' | 'rollback';
  /** Somebody has to let the next wave open, once the rest of the gate holds. */
  readonly manual?: true;
  /** Addresses that must say that it holds, once the rest does. */
  readonly urls?: readonly string[];
  /** So many of the wave may not fail; absent: one fails it. */
  readonly stopAt?: Share;
}

/** All that is named must fit; a list fits where one of its entries does. */
export interface WaveSelector {
  /** Globs over `owner/name`. */
  readonly repositories?: readonly string[];
  /** Globs over package paths. */
  readonly packages?: readonly string[];
  /** Topics of the repository. */
  readonly topics?: readonly string[];
  /** Custom properties of the repository; all of them. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Labels of the `Repository` document beside the rollout that stands for the repository; all of them. */
  readonly labels?: Readonly<Record<string, string>>;
  /** An inventory object that is named like the repository, of this kind and with all of these labels. */
  readonly inventory?: { readonly kind: string; readonly labels: Readonly<Record<string, string>> };
  /** Only deployment repositories, or only others. */
  readonly deployment?: boolean;
}

export interface Wave {
  readonly name: string;
  readonly select: WaveSelector;
  /** How many of those that it selects and no earlier wave has; absent: all. */
  readonly size?: Share;
  readonly gate: WaveGate;
  /** Seconds between the gate's holding and the opening of the next wave. */
  readonly pauseAfter: number;
}

export interface Rollout {
  readonly name: string;
  /** `repo` as `owner/name` or a name of the same owner; absent: where the document stands. */
  readonly upstreams: readonly { readonly repo?: string; readonly packages: readonly string[] }[];
  /** At least one; none where there is a mistake. */
  readonly waves: readonly Wave[];
  /** Who is told when it stops, waits too long or goes back: `@login` or `@org/team`. Absent: nobody. */
  readonly owners?: readonly string[];
  /** The document cannot be followed, and until it can no update of what it names goes out by itself: a sentence. */
  readonly mistake?: string;
  /** What it names cannot be read: it holds all packages that it could name. */
  readonly isEverywhere?: true;
}

/** So many of a whole: a per cent is rounded up, and never more than there are. */
export function shareOf(share: Share, whole: number): number {
  const wanted = share.kind === 'count' ? share.count : Math.ceil((share.percent * whole) / 100);
  return Math.min(wanted, whole);
}
