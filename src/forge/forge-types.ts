import type { CallLimits } from './call-gate.ts';

/** One finished call to the forge, for metrics and logs. Holds no private name. */
export interface ForgeCall {
  readonly method: string;
  /** The route's template, such as `/repos/{owner}/{repo}/pulls`. */
  readonly route: string;
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly ms: number;
  readonly installationId: number | null;
  /** The one repository that the call's token is for; null where it is for the App, or for all of an installation. */
  readonly repositoryId: number | null;
  /** It changes something, where it is not refused. */
  readonly writes: boolean;
  /** `x-ratelimit-remaining`, where it was told. */
  readonly remaining?: number;
}

/** Waits until this installation may create content again (GitHub: 80 a minute, 500 an hour). */
export interface ContentBudget {
  take(installationId: number, signal?: AbortSignal): Promise<void>;
}

/** Until when the calls of one installation are made one by one, in milliseconds since 1970. */
export interface LookPause {
  until: number;
}

export interface ForgePause {
  /** Null: of the App itself. */
  readonly installationId: number | null;
  readonly calls: 'rest' | 'graphql';
  /** Milliseconds since 1970. */
  readonly until: number;
}

export interface ForgeOptions {
  readonly appId: number | string;
  /** PEM. */
  readonly privateKey: string;
  /** `https://api.github.com`, or `https://HOST/api/v3`. */
  readonly baseUrl: string;
  readonly budget?: ContentBudget;
  readonly onCall?: (call: ForgeCall) => void;
  /** Runs right before each write is sent; what it throws prevents the write. */
  readonly beforeWrite?: () => Promise<void>;
  /** The forge wants calls of one kind to pause. */
  readonly onPause?: (pause: ForgePause) => void;
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
  /** Others write checks through the same App: those of ours are told by their names. */
  readonly isShared?: true;
}

export interface Installation {
  readonly id: number;
  readonly account: string;
  readonly accountType: 'Organization' | 'User';
  readonly suspended: boolean;
  readonly permissions: Readonly<Record<string, string>>;
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
