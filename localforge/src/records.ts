/** What the local forge remembers. Git objects and refs are in the repositories; everything else is one of these. */

/** From little to much; each contains those before it. */
export const ROLES = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Role = (typeof ROLES)[number];

type AccountType = 'User' | 'Organization' | 'Bot';

/** A user, an organization or the bot user of the App. */
export interface AccountRecord {
  readonly id: number;
  readonly login: string;
  readonly type: AccountType;
  readonly name: string | null;
  readonly email: string | null;
  readonly createdAt: string;
}

export interface MembershipRecord {
  readonly id: number;
  readonly orgId: number;
  readonly userId: number;
  readonly role: 'admin' | 'member';
}

export interface TeamRecord {
  readonly id: number;
  readonly orgId: number;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly createdAt: string;
}

export interface TeamMemberRecord {
  readonly id: number;
  readonly teamId: number;
  readonly userId: number;
  readonly role: 'maintainer' | 'member';
}

export interface TeamRepositoryRecord {
  readonly id: number;
  readonly teamId: number;
  readonly repositoryId: number;
  readonly role: Role;
}

export interface RepositoryRecord {
  readonly id: number;
  readonly ownerId: number;
  readonly name: string;
  readonly private: boolean;
  readonly description: string | null;
  readonly homepage: string | null;
  readonly topics: readonly string[];
  readonly defaultBranch: string;
  readonly archived: boolean;
  readonly hasIssues: boolean;
  readonly hasProjects: boolean;
  readonly hasWiki: boolean;
  readonly isTemplate: boolean;
  readonly allowMergeCommit: boolean;
  readonly allowSquashMerge: boolean;
  readonly allowRebaseMerge: boolean;
  readonly allowAutoMerge: boolean;
  readonly allowUpdateBranch: boolean;
  readonly deleteBranchOnMerge: boolean;
  readonly webCommitSignoffRequired: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly pushedAt: string;
  /** The repository that this is a fork of. */
  readonly parentId?: number;
}

export interface CollaboratorRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly userId: number;
  readonly role: Role;
}

/** The old `owner/name` (lower case) of a renamed repository. */
export interface RedirectRecord {
  readonly id: number;
  readonly from: string;
  readonly repositoryId: number;
}

/** GitHub's names: `contents`, `pull_requests`, … */
export type Permissions = Readonly<Record<string, 'read' | 'write' | 'admin'>>;

export interface InstallationRecord {
  readonly id: number;
  readonly accountId: number;
  readonly selection: 'all' | 'selected';
  /** Used when `selection` is `selected`. */
  readonly repositoryIds: readonly number[];
  readonly permissions: Permissions;
  readonly events: readonly string[];
  readonly suspendedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Only the SHA-256 of a token is kept. */
export interface TokenRecord {
  readonly id: number;
  readonly hash: string;
  readonly userId: number | null;
  readonly installationId: number | null;
  /** null: all that the installation has. */
  readonly repositoryIds: readonly number[] | null;
  readonly permissions: Permissions | null;
  readonly expiresAt: string | null;
  /** Set on the token of a workflow: its repository. */
  readonly workflowOf?: number;
}

export interface HookRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly active: boolean;
  readonly events: readonly string[];
  readonly url: string;
  readonly contentType: 'json' | 'form';
  readonly insecureSsl: string;
  readonly secret: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface DeliveryRecord {
  readonly id: number;
  /** The same for every attempt. */
  readonly guid: string;
  /** The repository hook; null for the App's own. */
  readonly hookId: number | null;
  readonly event: string;
  readonly action: string | null;
  readonly repositoryId: number | null;
  readonly installationId: number | null;
  /** The exact body. */
  readonly payload: string;
  readonly redelivery: boolean;
  readonly state: 'pending' | 'done' | 'lost';
  readonly createdAt: string;
  readonly deliveredAt: string | null;
  /** Seconds. */
  readonly duration: number;
  /** 0 when there was no answer. */
  readonly statusCode: number;
  readonly status: string;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
}

/** Classic branch protection, in the words of the REST request. */
export interface ProtectionRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly branch: string;
  readonly requiredStatusChecks: {
    readonly strict: boolean;
    readonly checks: readonly { readonly context: string; readonly appId: number | null }[];
  } | null;
  readonly enforceAdmins: boolean;
  readonly requiredReviews: {
    readonly count: number;
    readonly dismissStale: boolean;
    readonly codeOwners: boolean;
    readonly lastPushApproval: boolean;
  } | null;
  /** Logins, team slugs and App slugs that may push; null: everybody with write access. */
  readonly restrictions: {
    readonly users: readonly string[];
    readonly teams: readonly string[];
    readonly apps: readonly string[];
  } | null;
  readonly linearHistory: boolean;
  readonly allowForcePushes: boolean;
  readonly allowDeletions: boolean;
  readonly blockCreations: boolean;
  readonly conversationResolution: boolean;
  readonly lockBranch: boolean;
  /** Every commit must have a verified signature; absent: not demanded. */
  readonly signatures?: boolean;
}

/** What GitHub's repository activity calls a change of a branch. */
export type ActivityType =
  | 'push'
  | 'force_push'
  | 'branch_creation'
  | 'branch_deletion'
  | 'pr_merge'
  | 'merge_queue_merge';

/** A branch moved, and who moved it: the authenticated account, whatever the commits say. */
export interface ActivityRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly ref: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly type: ActivityType;
  readonly actorId: number;
  readonly at: string;
}

export interface RuleRecord {
  readonly type: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export interface RulesetRecord {
  readonly id: number;
  readonly repositoryId: number;
  readonly name: string;
  readonly target: 'branch' | 'tag' | 'push';
  readonly enforcement: 'disabled' | 'active' | 'evaluate';
  readonly bypassActors: readonly {
    readonly actorId: number | null;
    readonly actorType: string;
    readonly bypassMode: string;
  }[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly rules: readonly RuleRecord[];
  readonly createdAt: string;
  readonly updatedAt: string;
}
