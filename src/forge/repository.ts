import type { Repository } from './forge-types.ts';

/** What the branch's rulesets ask, as far as anyone may read it. */
export interface BranchRules {
  readonly requiredChecks: readonly { readonly context: string; readonly appId: number | null }[];
  readonly requiredApprovals: number;
  readonly requiresSignatures: boolean;
  readonly requiresLinearHistory: boolean;
  readonly requiresPullRequest: boolean;
  readonly mergeQueue: boolean;
  /** Every rule type that applies, such as `pull_request`. */
  readonly types: readonly string[];
}

/** Classic protection, best effort: what the App may see without the Administration permission. */
export interface BranchProtection {
  readonly protected: boolean;
  readonly requiredChecks: readonly string[];
}

export interface RepositoryApi {
  get(signal?: AbortSignal): Promise<Repository>;
  /** `role_name` of a user (admin, maintain, write, triage, read or a custom one), 'none' for a stranger. Asked live. */
  permission(login: string, signal?: AbortSignal): Promise<string>;
  /** True only for an active member. Asked live; a failure throws, so that callers fail closed. */
  teamMember(org: string, team: string, login: string, signal?: AbortSignal): Promise<boolean>;
  branchRules(branch: string, signal?: AbortSignal): Promise<BranchRules>;
  /** Null where the branch is absent. */
  branchProtection(branch: string, signal?: AbortSignal): Promise<BranchProtection | null>;
}
