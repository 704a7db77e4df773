export type Visibility = 'public' | 'internal' | 'private';

export interface RepositoryFacts {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  /** `owner/name`. */
  readonly fullName: string;
  readonly defaultBranch: string;
  readonly visibility: Visibility;
  readonly archived: boolean;
  /** True for a fork of another repository. */
  readonly fork?: boolean;
  readonly htmlUrl: string;
  readonly cloneUrl: string;
  /** Topics, without values, and custom properties. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A branch moved. The actor is the account that authenticated, whatever the commits say of their authors. */
export interface BranchPush {
  /** Null where the branch began. */
  readonly before: string | null;
  /** Null where it ended. */
  readonly after: string | null;
  /** What the forge calls it: `push`, `force_push`, `branch_creation`, `branch_deletion`, `pr_merge`, `merge_queue_merge`. */
  readonly type: string;
  /** Null where the forge names nobody. */
  readonly actor: {
    readonly login: string;
    readonly id?: number | undefined;
    readonly isBot: boolean;
  } | null;
  readonly at: string;
}

export interface BranchActivity {
  /** Oldest first, also in earlier lives of the branch's name. */
  readonly pushes: readonly BranchPush[];
  /** False where there was more than is read. */
  readonly complete: boolean;
}

/** What the rulesets of a branch demand, also of those who may pass them by. */
export interface BranchRules {
  readonly mergeQueue: boolean;
  readonly requiresSignatures: boolean;
  /** A rule that a push cannot satisfy, whatever its commits are: a pull request, a deployment, one that nobody here knows. */
  readonly refusesPushes: boolean;
  readonly requiredChecks: readonly { readonly context: string }[];
}

/** What the forge knows of a repository itself. Every write may run twice. */
export interface RepositoryPort {
  get(signal?: AbortSignal): Promise<RepositoryFacts>;
  branchRules(branch: string, signal?: AbortSignal): Promise<BranchRules>;
  /** What the branch's own protection demands, apart from rulesets; null where there is no such branch. */
  branchProtection(
    branch: string,
    signal?: AbortSignal,
  ): Promise<{
    readonly requiredChecks: readonly string[];
    /** There is such a protection. What else it demands is told to administrators alone. */
    readonly isOn: boolean;
  } | null>;
  /** Who moved a branch (its full ref), of this repository or of another (`owner/name`); null where that is not shown. */
  branchActivity(
    ref: string,
    options?: { readonly repository?: string },
    signal?: AbortSignal,
  ): Promise<BranchActivity | null>;
}
