/**
 * What a command is decided on: a snapshot that the reconciler reads from the forge just before. Times are ISO 8601
 * in UTC, commit ids whole, package paths below the registered directory.
 */
import type { RepositoryConfig } from '../config/repository-config.ts';
import type { StateName } from '../revision/state.ts';
import type { Account } from './account.ts';
import type { ApprovalCount } from './approval-count.ts';

export interface CommandState {
  readonly caller: Caller;
  readonly comment: { readonly id: number; readonly createdAt: string; readonly author: string };
  readonly place: PullPlace | IssuePlace;
  /** From the base branch, never from the proposal. */
  readonly config: RepositoryConfig;
  /** Packages that the pull request touches; empty for an issue. */
  readonly packages: readonly TouchedPackage[];
  /** Digest of the present content; undefined while it has not been computed. */
  readonly digest?: string;
  readonly checks: Checks;
  readonly approvals: ApprovalCount;
  /** Why a rollout holds the update, and what to do about it. */
  readonly hold?: { readonly title: string; readonly remedy: string };
  /** Unsettled merge conflicts. */
  readonly openConflicts: number;
  /** The same, one by one; absent where nobody needs them. */
  readonly conflicts?: ConflictList;
  /** Packages that the base branch changed too since the proposal left it. */
  readonly behind?: readonly string[];
  /** In an issue: revisions that somebody asks there to retire. */
  readonly retirements?: readonly Retirement[];
  /** Downstream packages, for people, that are made from what this proposal removes. */
  readonly usedBy?: readonly string[];
  /** Packages that have an upstream, with what they could be updated to. In an issue: all of the repository's. */
  readonly updates: readonly UpdateChoice[];
}

/** Somebody's wish that a revision be retired. */
export interface Retirement {
  readonly package: string;
  readonly revision: string;
  /** What the tag is: a commit, or an annotated tag. */
  readonly tag: string;
  /** Who asked, and in which comment. */
  readonly login: string;
  readonly comment: number;
  /** Who else has a part in the wish. */
  readonly others?: readonly string[];
  /** The accounts of all of them, in this order; absent in wishes that were recorded before they were kept. */
  readonly accounts?: readonly Account[];
  /** A login among them that was recorded alone and of which the forge names no account now: nobody can tell whose wish it is. */
  readonly gone?: string;
}

export interface ConflictList {
  readonly open: readonly { readonly number: number }[];
  /** How many there were, settled ones included. */
  readonly listed: number;
  /** Nobody knows them: the list was taken away. */
  readonly lost: { readonly message: string; readonly hint: string } | false;
}

export interface Caller extends Account {
  /** The forge's `role_name`, asked just now; undefined where the forge did not answer. */
  readonly role: string | undefined;
  /** `org/slug` of the teams named in the configuration that the caller is an active member of. */
  readonly teams: readonly string[];
  readonly isAuthor: boolean;
  readonly isBot: boolean;
}

export interface PullPlace {
  readonly kind: 'pull';
  readonly number: number;
  readonly nodeId: string;
  readonly state: 'open' | 'closed';
  readonly draft: boolean;
  readonly locked: boolean;
  readonly merged: boolean;
  readonly author: string;
  readonly headRef: string;
  readonly headSha: string;
  /** The head that was recorded when the comment's webhook came; undefined where that webhook was lost. */
  readonly headSeenAtComment?: string;
  /** When the head was pushed; undefined where nobody knows. */
  readonly headPushedAt?: string;
  /** When the forge recorded that push; asked only where Portico saw the head after the comment. */
  readonly headReceivedAt?: string;
  readonly baseRef: string;
  /** When that became another branch, by the forge's record; undefined where it never did. */
  readonly baseChangedAt?: string;
  /** The forge says that rules of the base branch hold it back, or that it has to be up to date with it. */
  readonly heldBack?: 'blocked' | 'behind';
  /** The head is in another repository. */
  readonly fork: boolean;
}

export interface IssuePlace {
  readonly kind: 'issue';
  readonly number: number;
  readonly state: 'open' | 'closed';
  readonly locked: boolean;
}

interface TouchedPackage {
  readonly path: string;
  readonly state: StateName;
  /** Newest published revision. */
  readonly newest?: string;
}

export interface Checks {
  /** Green also where nothing fails and only people's approvals are missing: those are counted for themselves. */
  readonly state: 'green' | 'red' | 'pending' | 'absent';
  /** Check runs that failed, with the title that each shows. */
  readonly failing: readonly { readonly name: string; readonly title: string }[];
  /** Check runs that wait for somebody's approval. */
  readonly waiting?: readonly { readonly name: string; readonly title: string }[];
  /** Content digest that they were made for. */
  readonly digest?: string;
}

export interface UpdateChoice {
  readonly package: string;
  /** For people, such as `acme/blueprints/basens`. */
  readonly upstream: string;
  /** Revision the package is locked to; undefined where the lock names no revision. */
  readonly current?: string;
  /** The rollout of the upstream rolled back that revision, so an older one may come. */
  readonly isRolledBack?: true;
  /** Published revisions of the upstream, oldest first. */
  readonly available: readonly string[];
  /** It has no upstream, and takes content from elsewhere: a revision is a version of that. */
  readonly bySources?: true;
  /** Ids of its sources that can move; absent where they cannot be read. */
  readonly sources?: readonly string[];
}
