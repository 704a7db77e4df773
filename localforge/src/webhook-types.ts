import type { PointLimits } from './point-limits.ts';
import type { Realism } from './realism/settings.ts';
import type { AccountRecord, DeliveryRecord, RepositoryRecord } from './records.ts';

/** Something that happened, to be told to the App and to repository hooks. */
export interface WebhookEvent {
  /** `pull_request` */
  readonly event: string;
  /** `opened`; absent for events without actions. */
  readonly action?: string;
  readonly sender: AccountRecord;
  readonly repository?: RepositoryRecord;
  /** The owner of the installation concerned, when there is no repository. */
  readonly account?: AccountRecord;
  /** The fields besides `action`, `repository`, `organization`, `sender` and `installation`. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Not to repository hooks, and to the App whether it subscribed or not (`check_run.rerequested`, `installation`, …). */
  readonly onlyApp?: boolean;
  /** Overrides `repository` and `installation` in the body, for events about those. */
  readonly override?: Readonly<Record<string, unknown>>;
}

/** What becomes of a delivery; a test can also decide by the delivery itself. */
export interface WebhookKnobs {
  /** Fraction from 0 to 1, or a choice. A lost delivery is never sent; it is listed as failed. */
  lose: number | ((delivery: DeliveryRecord) => boolean);
  /** Sent twice with the same GUID. */
  duplicate: number | ((delivery: DeliveryRecord) => boolean);
  /** How many deliveries are held and shuffled before they go out; 0 or 1: in order. */
  reorder: number;
  /** Milliseconds, at most; each delivery waits a random part of it. */
  delay: number;
  /** Makes the fractions above repeat. */
  seed: number;
}

export interface Knobs {
  readonly webhooks: WebhookKnobs;
  /** When set, the next `times` mutating REST requests get this refusal instead of being done. */
  secondaryLimit: { readonly status: 403 | 429; readonly retryAfter: number; times: number } | null;
  /** When set, the next `times` merges of pull requests are refused with 405 and this message instead of being done. */
  nextMerges: { readonly message: string; times: number } | null;
  /** What this forge does as GitHub and a simple one would not. */
  readonly realism: Realism;
  /** Requests an hour for each user and installation, as `x-ratelimit-limit` says. */
  rateLimit: number;
  /**
   * GitHub's limits of points and of calls at once, for each user and each installation: a read is one point and a write five, 900
   * of REST and 2,000 of GraphQL in a minute, 100 calls at once
   * (https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api, "About secondary rate limits"). null: none,
   * as on a GitHub Enterprise Server unless its administrator sets some.
   */
  points: PointLimits | null;
  /** When set, the next `times` GraphQL requests fail, with status 200 as on GitHub. */
  graphqlFault: { readonly kind: 'rate-limit' | 'untyped'; times: number } | null;
}
