import { orNull } from './forge-error.ts';
import type { Repository, Visibility } from './forge-types.ts';
import { allPages } from './octokit.ts';
import type { RepositoryContext } from './repository-context.ts';
import { requestOf, where } from './repository-context.ts';

/** What the branch's rulesets ask, as far as anyone may read it. */
interface BranchRules {
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
interface BranchProtection {
  readonly protected: boolean;
  readonly requiredChecks: readonly string[];
}

export interface RepositoryApi {
  get(signal?: AbortSignal): Promise<Repository>;
  /**
   * `role_name` of a user (admin, maintain, write, triage, read or a custom one), 'none' for a stranger, and which account
   * has this login now: null where none has. Asked live.
   */
  member(login: string, signal?: AbortSignal): Promise<{ readonly role: string; readonly id: number | null }>;
  /** The role alone. */
  permission(login: string, signal?: AbortSignal): Promise<string>;
  /** True only for an active member. Asked live; a failure throws, so that callers fail closed. */
  teamMember(org: string, team: string, login: string, signal?: AbortSignal): Promise<boolean>;
  branchRules(branch: string, signal?: AbortSignal): Promise<BranchRules>;
  /** Null where the branch is absent. */
  branchProtection(branch: string, signal?: AbortSignal): Promise<BranchProtection | null>;
}

export function createRepositoryApi(context: RepositoryContext): RepositoryApi {
  const { repos, teams } = context.octokit.rest;
  const member: RepositoryApi['member'] = async (username, signal) => {
    const asked = repos.getCollaboratorPermissionLevel({ ...where(context, signal), username });
    const answer = await orNull(asked);
    if (answer === null) return { role: 'none', id: null };
    const { role_name: role, permission, user } = answer.data;
    return { role: role ?? permission, id: user?.id ?? null };
  };
  return {
    get: async (signal) => toRepository((await repos.get(where(context, signal))).data),
    member,
    permission: async (username, signal) => (await member(username, signal)).role,
    teamMember: async (org, team_slug, username, signal) => {
      const asked = teams.getMembershipForUserInOrg({ org, team_slug, username, request: requestOf(signal) });
      return (await orNull(asked))?.data.state === 'active';
    },
    branchRules: async (branch, signal) => {
      const rules = await allPages((page) =>
        repos.getBranchRules({ ...where(context, signal), branch, ...page }),
      );
      return toBranchRules(rules);
    },
    branchProtection: async (branch, signal) => {
      const answer = await orNull(repos.getBranch({ ...where(context, signal), branch }));
      if (answer === null) return null;
      const checks = answer.data.protection?.required_status_checks?.contexts ?? [];
      return { protected: answer.data.protected, requiredChecks: checks };
    },
  };
}

export interface RawRepository {
  readonly id: number;
  readonly name: string;
  readonly full_name: string;
  readonly owner: { readonly login: string };
  readonly default_branch?: string;
  readonly visibility?: string;
  readonly private: boolean;
  readonly archived?: boolean;
  readonly fork: boolean;
  readonly html_url: string;
  readonly clone_url?: string;
  readonly topics?: readonly string[] | null;
  readonly custom_properties?: Readonly<Record<string, unknown>> | null;
}

/** The fields that are used of a repository as any endpoint gives it. */
export function toRepository(raw: RawRepository): Repository {
  return {
    id: raw.id,
    owner: raw.owner.login,
    name: raw.name,
    fullName: raw.full_name,
    defaultBranch: raw.default_branch ?? 'main',
    visibility: toVisibility(raw),
    archived: raw.archived ?? false,
    fork: raw.fork,
    htmlUrl: raw.html_url,
    cloneUrl: raw.clone_url ?? `${raw.html_url}.git`,
    labels: labelsOf(raw),
  };
}

/** A topic is a label without a value; a custom property with one text is a label. */
function labelsOf({ topics, custom_properties }: RawRepository): Readonly<Record<string, string>> {
  const properties = Object.entries(custom_properties ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries([...(topics ?? []).map((topic): [string, string] => [topic, '']), ...properties]);
}

/** What the forge does not say clearly counts as private. */
function toVisibility(raw: RawRepository): Visibility {
  if (raw.private) return raw.visibility === 'internal' ? 'internal' : 'private';
  return raw.visibility === undefined || raw.visibility === 'public' ? 'public' : 'private';
}

interface RawRule {
  readonly type: string;
  readonly parameters?: unknown;
}

interface RuleParameters {
  readonly required_status_checks?: readonly { readonly context: string; readonly integration_id?: number }[];
  readonly required_approving_review_count?: number;
}

function toBranchRules(rules: readonly RawRule[]): BranchRules {
  const parameters = rules.map((rule) => (rule.parameters ?? {}) as RuleParameters);
  const types = [...new Set(rules.map((rule) => rule.type))].sort();
  return {
    requiredChecks: parameters.flatMap(({ required_status_checks: checks = [] }) =>
      checks.map((check) => ({ context: check.context, appId: check.integration_id ?? null })),
    ),
    requiredApprovals: Math.max(0, ...parameters.map((one) => one.required_approving_review_count ?? 0)),
    requiresSignatures: types.includes('required_signatures'),
    requiresLinearHistory: types.includes('required_linear_history'),
    requiresPullRequest: types.includes('pull_request'),
    mergeQueue: types.includes('merge_queue'),
    types,
  };
}
