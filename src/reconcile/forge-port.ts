/** What the reconcilers need of the forge. */

export interface Pull {
  readonly number: number;
  readonly nodeId: string;
  readonly state: 'open' | 'closed';
  readonly draft: boolean;
  readonly merged: boolean;
  readonly mergedBy: string | null;
  readonly mergeCommitSha: string | null;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  /** The forge's number of the account, which stays when the login changes. */
  readonly authorId?: number | undefined;
  readonly headRef: string;
  readonly headSha: string;
  /** Null when the fork is gone. */
  readonly headRepositoryId: number | null;
  /** `owner/name` of it. */
  readonly headRepository?: string | null;
  readonly baseRef: string;
  /** The repository that it goes into, as it was when the pull request was read; labels are not told here. */
  readonly baseRepository?: Omit<RepositoryFacts, 'labels'>;
  readonly htmlUrl: string;
  readonly locked: boolean;
  readonly labels: readonly string[];
  readonly mergedAt: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
  /** What the forge says of merging it: `clean`, `blocked`, `behind` and others; null while it computes. */
  readonly mergeableState?: string | null;
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

export interface Comment {
  readonly id: number;
  readonly nodeId: string;
  readonly author: string;
  /** The forge's number of the account, which stays when the login changes. */
  readonly authorId?: number | undefined;
  readonly authorIsBot: boolean;
  readonly appId: number | null;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Review {
  readonly id: number;
  readonly nodeId: string;
  readonly author: string;
  /** The forge's number of the account, which stays when the login changes. */
  readonly authorId?: number | undefined;
  readonly authorIsBot: boolean;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  readonly body: string;
  readonly commitId: string | null;
  readonly submittedAt: string | null;
}

export interface CheckAnnotation {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
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

export interface CheckInput {
  readonly name: string;
  readonly headSha: string;
  readonly externalId: string;
  readonly status: 'in_progress' | 'completed';
  readonly conclusion?: 'success' | 'failure' | 'neutral' | 'action_required';
  readonly title: string;
  readonly summary: string;
  readonly text?: string;
  readonly annotations?: readonly CheckAnnotation[];
  /** At most three. */
  readonly actions?: readonly CheckAction[];
  /** A run that began before that (ISO 8601) is replaced by a new one even where it says the same. */
  readonly notBefore?: string;
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

/** A remark on lines of a pull request's newer side; of several lines, `startLine` is the first. */
export interface ReviewRemark {
  readonly path: string;
  readonly line: number;
  readonly startLine?: number;
  readonly body: string;
}

export type MergeAnswer =
  | { readonly ok: true; readonly sha: string }
  | {
      readonly ok: false;
      /** 'forbidden': the App may not, as where a workflow changes. 'busy': the forge needs longer than was waited. */
      readonly reason: 'moved' | 'not-mergeable' | 'blocked' | 'queue' | 'forbidden' | 'busy' | 'stack';
      readonly message: string;
    };

export type Reaction = 'eyes' | 'rocket' | 'confused' | '-1';

export interface Issue {
  readonly number: number;
  readonly state: 'open' | 'closed';
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly labels: readonly string[];
  readonly locked: boolean;
  /** Pull requests are issues too. */
  readonly isPull: boolean;
}

export interface RepositoryFacts {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly fullName: string;
  readonly defaultBranch: string;
  readonly visibility: 'public' | 'internal' | 'private';
  readonly archived: boolean;
  /** True for a fork of another repository. */
  readonly fork?: boolean;
  readonly htmlUrl: string;
  readonly cloneUrl: string;
  /** Topics, without values, and custom properties. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** States as the forge names them, the newest of each; times are ISO 8601. */
export interface CommitHealth {
  readonly statuses: readonly {
    readonly context: string;
    readonly state: string;
    readonly at: string;
    /** Of a check run: the number of its App. */
    readonly app?: number | undefined;
  }[];
  readonly deployments: readonly {
    readonly environment: string;
    readonly state: string;
    readonly at: string;
  }[];
}

/** The calls made of the forge for one repository. Every write may run twice. */
export interface Forge {
  get(signal?: AbortSignal): Promise<RepositoryFacts>;
  getPull(
    n: number,
    options?: { readonly waitForMergeable?: boolean },
    signal?: AbortSignal,
  ): Promise<Pull | null>;
  listOpenPulls(signal?: AbortSignal): Promise<readonly Pull[]>;
  pullsForHead(
    head: { readonly branch: string },
    options?: { readonly state?: 'open' | 'all' },
    signal?: AbortSignal,
  ): Promise<readonly Pull[]>;
  /** Pull requests that brought this commit to a branch, merged ones included. */
  pullsForCommit(sha: string, signal?: AbortSignal): Promise<readonly Pull[]>;
  createPull(
    pull: {
      readonly title: string;
      readonly body: string;
      readonly head: string;
      readonly base: string;
      readonly draft?: boolean;
    },
    signal?: AbortSignal,
  ): Promise<{ readonly created: boolean; readonly pull: Pull }>;
  updatePull(
    n: number,
    patch: { readonly title?: string; readonly body?: string; readonly state?: 'open' | 'closed' },
    signal?: AbortSignal,
  ): Promise<unknown>;
  closePull(n: number, signal?: AbortSignal): Promise<unknown>;
  markReady(nodeId: string, signal?: AbortSignal): Promise<unknown>;
  convertToDraft(nodeId: string, signal?: AbortSignal): Promise<unknown>;
  /** A commit of a tree that the forge has, signed by the forge. Answers its id; moves no ref. */
  createCommit(
    commit: { readonly tree: string; readonly parents: readonly string[]; readonly message: string },
    signal?: AbortSignal,
  ): Promise<string>;
  /** What the rulesets of a branch demand, also of those who may pass them by. */
  branchRules(
    branch: string,
    signal?: AbortSignal,
  ): Promise<{
    readonly mergeQueue: boolean;
    readonly requiresSignatures: boolean;
    readonly requiredChecks: readonly { readonly context: string }[];
  }>;
  mergePull(
    n: number,
    request: {
      readonly sha: string;
      readonly method: 'merge' | 'squash' | 'rebase';
      readonly title?: string;
      readonly message?: string;
      /** Asked before each further try, where the forge only needed a moment. */
      readonly stillStands?: (signal?: AbortSignal) => Promise<boolean>;
    },
    signal?: AbortSignal,
  ): Promise<MergeAnswer>;
  /** Puts it into the merge queue of its base, only with this head. */
  enqueuePull(
    nodeId: string,
    sha: string,
    signal?: AbortSignal,
  ): Promise<
    | { readonly ok: true }
    | { readonly ok: false; readonly reason: 'moved' | 'blocked' | 'forbidden'; readonly message: string }
  >;
  /** Who moved a branch (its full ref), of this repository or of another (`owner/name`); null where that is not shown. */
  branchActivity(
    ref: string,
    options?: { readonly repository?: string },
    signal?: AbortSignal,
  ): Promise<BranchActivity | null>;
  listReviews(n: number, signal?: AbortSignal): Promise<readonly Review[]>;
  /** Whether a comment was ever changed, or a review after it was given, by whomever; in doubt it was. */
  isEdited(
    text: { readonly nodeId: string; readonly author: string; readonly submittedAt?: string | null },
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** Whether what stands in a comment is its author's own: never changed, or by the author last; in doubt it is not. */
  isAuthorsOwn(
    text: { readonly nodeId: string; readonly author: string },
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** A review that only comments. Null where the forge refuses it, because a line is not in the diff any more. */
  remark(
    n: number,
    review: {
      readonly commitId: string;
      readonly body: string;
      readonly comments: readonly ReviewRemark[];
    },
    signal?: AbortSignal,
  ): Promise<unknown>;
  listComments(n: number, signal?: AbortSignal): Promise<readonly Comment[]>;
  getComment(id: number, signal?: AbortSignal): Promise<Comment | null>;
  createComment(n: number, body: string, signal?: AbortSignal): Promise<Comment>;
  upsertSticky(n: number, marker: string, body: string, signal?: AbortSignal): Promise<unknown>;
  /** The same among comments that were listed just now. */
  upsertStickyAmong(
    comments: readonly Comment[],
    n: number,
    marker: string,
    body: string,
    signal?: AbortSignal,
  ): Promise<unknown>;
  /** Comments of issues and pull requests of the whole repository changed since then, for the sweep. */
  listRecentComments(
    since: Date,
    signal?: AbortSignal,
  ): Promise<readonly (Comment & { readonly issue: number })[]>;
  getIssue(n: number, signal?: AbortSignal): Promise<Issue | null>;
  /** The first issue of that title by that account, open or closed. */
  oldestIssue(
    wanted: { readonly creator: string; readonly title: string },
    signal?: AbortSignal,
  ): Promise<Issue | null>;
  /** Pull requests are left out. */
  listIssues(
    filter: {
      readonly state?: 'open' | 'closed' | 'all';
      /** Those that have all of them. */
      readonly labels?: readonly string[];
    },
    signal?: AbortSignal,
  ): Promise<
    readonly {
      readonly number: number;
      readonly state: 'open' | 'closed';
      readonly title: string;
      readonly body: string;
      readonly updatedAt: string;
    }[]
  >;
  updateIssue(n: number, patch: { readonly body: string }, signal?: AbortSignal): Promise<unknown>;
  createIssue(
    issue: { readonly title: string; readonly body: string },
    signal?: AbortSignal,
  ): Promise<{ readonly number: number }>;
  addReaction(
    target: { readonly commentId: number },
    content: Reaction,
    signal?: AbortSignal,
  ): Promise<unknown>;
  removeReaction(
    target: { readonly commentId: number },
    content: Reaction,
    signal?: AbortSignal,
  ): Promise<unknown>;
  listReactions(
    target: { readonly commentId: number },
    signal?: AbortSignal,
  ): Promise<readonly { readonly content: string; readonly author: string }[]>;
  permission(login: string, signal?: AbortSignal): Promise<string>;
  /** The role, and which account has this login now; null where none has. */
  member(login: string, signal?: AbortSignal): Promise<{ readonly role: string; readonly id: number | null }>;
  teamMember(org: string, team: string, login: string, signal?: AbortSignal): Promise<boolean>;
  putCheck(check: CheckInput, signal?: AbortSignal): Promise<unknown>;
  /** Several of one commit at the cost of one look. */
  putChecks(checks: readonly CheckInput[], signal?: AbortSignal): Promise<unknown>;
  listChecks(sha: string, signal?: AbortSignal): Promise<readonly CheckRun[]>;
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
  /** What each App has to check of a commit, and how many runs it has made for that. */
  checkSuites(sha: string, signal?: AbortSignal): Promise<readonly CheckSuite[]>;
  /** What others say about a commit by statuses, where asked, and by deployments to these environments. */
  healthOf(
    sha: string,
    asked: { readonly statuses: boolean; readonly environments: readonly string[] },
    signal?: AbortSignal,
  ): Promise<CommitHealth>;
  getRelease(
    tag: string,
    signal?: AbortSignal,
  ): Promise<{ readonly tag: string; readonly name: string; readonly body: string } | null>;
  /** What people wrote about a tag, as Markdown that is inert: no mention, link by number, command, comment or HTML. */
  releaseNotes(tag: string, signal?: AbortSignal): Promise<string | null>;
  hasLabel(name: string, signal?: AbortSignal): Promise<boolean>;
  /** Labels of an issue or pull request; those that the repository lacks are made. */
  addLabels(n: number, labels: readonly string[], signal?: AbortSignal): Promise<unknown>;
  removeLabel(n: number, label: string, signal?: AbortSignal): Promise<unknown>;
  /** The labels that it has or had, whoever put them on. */
  labelsEverOn(n: number, signal?: AbortSignal): Promise<readonly string[]>;
  removeRelease(tag: string, signal?: AbortSignal): Promise<unknown>;
  upsertRelease(
    release: { readonly tag: string; readonly name: string; readonly body: string },
    signal?: AbortSignal,
  ): Promise<unknown>;
}

/** Whom GitHub names for what its merge queue merged. */
export const MERGE_QUEUE = 'github-merge-queue[bot]';
