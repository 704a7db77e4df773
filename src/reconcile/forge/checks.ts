export interface CheckAnnotation {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Columns are only used where start and end line are the same. */
  readonly startColumn?: number;
  readonly endColumn?: number;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly message: string;
  readonly title?: string;
  /** Shown behind a fold, as it is. */
  readonly rawDetails?: string;
}

/** A button of a check: label and identifier up to 20 characters, description up to 40. */
export interface CheckAction {
  readonly label: string;
  readonly description: string;
  readonly identifier: string;
}

/** A check as it is to be. Too long texts are cut, with a note. */
export interface CheckInput {
  readonly name: string;
  readonly headSha: string;
  /** Kept as the first part of the run's `external_id`. */
  readonly externalId: string;
  readonly status: 'in_progress' | 'completed';
  /** Needed exactly when completed. */
  readonly conclusion?: 'success' | 'failure' | 'neutral' | 'action_required';
  readonly title: string;
  readonly summary: string;
  readonly text?: string;
  readonly annotations?: readonly CheckAnnotation[];
  /** At most three. */
  readonly actions?: readonly CheckAction[];
  /** A run that began before that (ISO 8601) is replaced by a new one even where it says the same. */
  readonly notBefore?: string;
  /** Written only where the commit has a run of ours of that name: else another check tells what it says. */
  readonly onlyIfThere?: true;
}

export interface CheckRun {
  readonly id: number;
  readonly name: string;
  readonly headSha: string;
  readonly externalId: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly appId: number | null;
  readonly suiteId: number | null;
  readonly title: string | null;
  readonly startedAt: string | null;
}

/** States as the forge names them; times are ISO 8601. */
export interface CommitHealth {
  /** The newest of each context, and of each name of a check run, with the state that a status would have. */
  readonly statuses: readonly {
    readonly context: string;
    readonly state: string;
    readonly at: string;
    /** Of a check run: the number of its App. Absent for a commit status. */
    readonly app?: number | undefined;
  }[];
  /** The newest state of each environment's newest deployment of the commit. */
  readonly deployments: readonly {
    readonly environment: string;
    readonly state: string;
    readonly at: string;
  }[];
}

export interface CheckSuite {
  readonly id: number;
  readonly appId: number | null;
  /** Of GitHub Actions. */
  readonly ofActions: boolean;
  /** The branch that it looks at, in this repository or in a fork; null where that is not said. */
  readonly branch: string | null;
  readonly status: string;
  readonly runs: number;
}

/** Check runs of ours, and what others say of a commit. Every write may run twice. */
export interface ChecksPort {
  /** Makes our run of that name on that commit be so. An equal one costs no write. */
  putCheck(check: CheckInput, signal?: AbortSignal): Promise<unknown>;
  /** Several of one commit at the cost of one look. */
  putChecks(checks: readonly CheckInput[], signal?: AbortSignal): Promise<unknown>;
  /** The latest run of each name and App on a commit. */
  listChecks(sha: string, signal?: AbortSignal): Promise<readonly CheckRun[]>;
  /** The same, of those of ours alone. */
  ourChecks(sha: string, signal?: AbortSignal): Promise<readonly CheckRun[]>;
  /** All runs of ours of that name on a commit, also those that a newer one has replaced. */
  checkHistory(sha: string, name: string, signal?: AbortSignal): Promise<readonly CheckRun[]>;
  /** What others say by commit statuses; `pending` where there are none too. */
  combinedStatus(
    sha: string,
    signal?: AbortSignal,
  ): Promise<{
    readonly state: string;
    readonly statuses: readonly { readonly context: string; readonly state: string }[];
  }>;
  /** The suites of all Apps at a commit; one without runs is of an App that has not reported, and may never. */
  checkSuites(sha: string, signal?: AbortSignal): Promise<readonly CheckSuite[]>;
  /**
   * What others say about a commit by statuses and check runs, where asked, and by deployments to these environments, or to all.
   * `statuses: false` and no environments save the calls.
   */
  healthOf(
    sha: string,
    asked: { readonly statuses: boolean; readonly environments: readonly string[] | 'all' },
    signal?: AbortSignal,
  ): Promise<CommitHealth>;
}

/** Whether a check is called as those that Portico makes, see check-names.ts: every other one comes from somebody else. */
export function isPorticoCheck(name: string): boolean {
  return /^(?:portico|portico\/.+|guardrail\/.+)$/.test(name);
}
