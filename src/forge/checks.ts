export type CheckStatus = 'queued' | 'in_progress' | 'completed';
export type CheckConclusion =
  | 'success'
  | 'failure'
  | 'neutral'
  | 'cancelled'
  | 'skipped'
  | 'timed_out'
  | 'action_required';

export interface CheckAnnotation {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Only used where start and end line are the same. */
  readonly startColumn?: number;
  readonly endColumn?: number;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly message: string;
  readonly title?: string;
  readonly rawDetails?: string;
}

/** A button: label and identifier up to 20 characters, description up to 40. */
export interface CheckAction {
  readonly label: string;
  readonly description: string;
  readonly identifier: string;
}

/** A check as it is to be. Too long texts are cut, with a note; more than three actions or too long ones throw. */
export interface CheckInput {
  readonly name: string;
  readonly headSha: string;
  /** Kept as the first part of the run's `external_id`. */
  readonly externalId: string;
  readonly status: CheckStatus;
  /** Needed exactly when completed. */
  readonly conclusion?: CheckConclusion;
  readonly title: string;
  readonly summary: string;
  readonly text?: string;
  readonly annotations?: readonly CheckAnnotation[];
  readonly actions?: readonly CheckAction[];
  readonly detailsUrl?: string;
}

export interface CheckRun {
  readonly id: number;
  readonly name: string;
  readonly headSha: string;
  readonly externalId: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly appId: number | null;
  readonly title: string | null;
  readonly summary: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly htmlUrl: string | null;
}

export interface CombinedStatus {
  readonly state: 'success' | 'pending' | 'failure' | 'error';
  readonly statuses: readonly {
    readonly context: string;
    readonly state: string;
    readonly description: string | null;
  }[];
}

export interface ChecksApi {
  /** Makes our run of that name on that commit be so. An equal one costs no write. */
  putCheck(
    check: CheckInput,
    signal?: AbortSignal,
  ): Promise<{ readonly id: number; readonly written: 'created' | 'updated' | 'unchanged' }>;
  /** The latest run of each name and App on a commit. */
  listChecks(sha: string, signal?: AbortSignal): Promise<CheckRun[]>;
  combinedStatus(sha: string, signal?: AbortSignal): Promise<CombinedStatus>;
}
