import type { ActivityApi } from './activity.ts';
import type { CallLimits } from './call-gate.ts';
import type { ChecksApi } from './checks.ts';
import type { CommentsApi } from './comments.ts';
import type { CommitsApi } from './commits.ts';
import type { EditsApi } from './edits.ts';
import type { HealthApi } from './health.ts';
import type { IssuesApi } from './issues.ts';
import type { PullsApi } from './pulls.ts';
import type { ReactionsApi } from './reactions.ts';
import type { ReleasesApi } from './releases.ts';
import type { RepositoryApi } from './repository.ts';
import type { ReviewsApi } from './reviews.ts';
import type { RefusedToken } from './token-cache.ts';

/** One finished call to the forge, for metrics and logs. Holds no private name. */
export interface ForgeCall {
  readonly method: string;
  /** The route's template, such as `/repos/{owner}/{repo}/pulls`. */
  readonly route: string;
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly ms: number;
  readonly installationId: number | null;
  /** `x-ratelimit-remaining`, where it was told. */
  readonly remaining?: number;
}

/** Waits until this installation may create content again (GitHub: 80 a minute, 500 an hour). */
export interface ContentBudget {
  take(installationId: number, signal?: AbortSignal): Promise<void>;
}

export interface ForgeOptions {
  readonly appId: number | string;
  /** PEM. */
  readonly privateKey: string;
  /** `https://api.github.com`, or `https://HOST/api/v3`. */
  readonly baseUrl: string;
  readonly budget?: ContentBudget;
  readonly onCall?: (call: ForgeCall) => void;
  /** What the forge allows an installation. Default: what GitHub does. */
  readonly limits?: Partial<CallLimits>;
  /** First pause before a call is made again, and what other pauses are counted in; milliseconds, default 500. */
  readonly backoffMs?: number;
}

export interface AppIdentity {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  /** `<slug>[bot]`: the login that our comments and commits carry. */
  readonly botLogin: string;
}

export interface Installation {
  readonly id: number;
  readonly account: string;
  readonly accountType: 'Organization' | 'User';
  readonly suspended: boolean;
  readonly permissions: Readonly<Record<string, string>>;
}

export type Visibility = 'public' | 'internal' | 'private';

export interface Repository {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  /** `owner/name`. */
  readonly fullName: string;
  readonly defaultBranch: string;
  readonly visibility: Visibility;
  readonly archived: boolean;
  readonly fork: boolean;
  readonly htmlUrl: string;
  readonly cloneUrl: string;
  /** Topics, without values, and custom properties. */
  readonly labels: Readonly<Record<string, string>>;
}

/** A webhook delivery that the forge could not hand over. */
export interface FailedDelivery {
  readonly id: number;
  readonly guid: string;
  readonly event: string;
  readonly action: string | null;
  readonly deliveredAt: string;
  readonly statusCode: number;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
}

export interface RepositoryKey {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
}

/** Everything that is asked of one repository; see the file of each part. */
export type RepositoryForge = {
  readonly installationId: number;
  readonly key: RepositoryKey;
} & RepositoryApi &
  ActivityApi &
  PullsApi &
  ReviewsApi &
  EditsApi &
  CommentsApi &
  ReactionsApi &
  IssuesApi &
  ChecksApi &
  CommitsApi &
  HealthApi &
  ReleasesApi;

/**
 * The App on its forge. Errors are PorticoError: RATE_LIMITED (with `retryAfter`), FORGE_UNAVAILABLE (5xx or network;
 * a write may or may not have happened), FORGE_AUTH, FORGE_FORBIDDEN, FORGE_NOT_FOUND, FORGE_CONFLICT (409),
 * FORGE_INVALID (422), INSTALLATION_GONE (the App is not there any more). GETs are asked again, writes never.
 */
export interface Forge {
  app(signal?: AbortSignal): Promise<AppIdentity>;
  installations(signal?: AbortSignal): Promise<Installation[]>;
  repositories(installationId: number, signal?: AbortSignal): Promise<Repository[]>;
  /** The forge's number of an account; null where there is none. */
  accountId(installationId: number, login: string, signal?: AbortSignal): Promise<number | null>;
  /** The repository that has this name, or had it and no other took it; null where the App is not installed. */
  repositoryAt(owner: string, repo: string, signal?: AbortSignal): Promise<{ readonly id: number } | null>;
  /** The installation that covers a repository, or null when the App is not installed there. */
  repositoryInstallation(owner: string, repo: string, signal?: AbortSignal): Promise<Installation | null>;
  /** Deliveries since then of which no attempt succeeded, oldest first, one per guid. */
  failedDeliveries(since: Date, signal?: AbortSignal): Promise<FailedDelivery[]>;
  redeliver(deliveryId: number, signal?: AbortSignal): Promise<void>;
  repository(installationId: number, key: RepositoryKey): RepositoryForge;
  /** A token for git, for this repository alone and for contents alone. */
  tokenFor(installationId: number, repositoryId: number, signal?: AbortSignal): Promise<string>;
  /** The one to try after that was refused: the same a moment later while it is young, else a new one; null: none would help. */
  tokenAfter(
    refused: RefusedToken,
    installationId: number,
    repositoryId: number,
    signal?: AbortSignal,
  ): Promise<string | null>;
}
