import type { PeoplePort } from '../reconcile/forge/people.ts';
import type {
  BranchRules,
  RepositoryFacts,
  RepositoryPort,
  Visibility,
} from '../reconcile/forge/repository.ts';
import type { RawRepository, RawRule } from './answer-shapes.ts';
import { orNull } from './forge-error.ts';
import { allPages } from './octokit.ts';
import type { RepositoryContext } from './repository-context.ts';
import { requestOf, where } from './repository-context.ts';

/** What the forge knows of a repository itself, and what somebody may do in it. */
export function createRepositoryApi(
  context: RepositoryContext,
): PeoplePort & Pick<RepositoryPort, 'get' | 'branchRules' | 'branchProtection'> {
  const { repos, teams } = context.octokit.rest;
  const member: PeoplePort['member'] = async (username, signal) => {
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
      const { protection } = answer.data;
      return {
        requiredChecks: protection?.required_status_checks?.contexts ?? [],
        isOn: protection?.enabled === true,
      };
    },
  };
}

/** The fields that are used of a repository as any endpoint gives it. */
export function toRepository(raw: RawRepository): RepositoryFacts {
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

/**
 * Rules that look at what is pushed, and not at how it comes.
 * https://docs.github.com/en/rest/repos/rules#get-rules-for-a-branch
 */
const OF_COMMITS: ReadonlySet<string> = new Set([
  'branch_name_pattern',
  'commit_author_email_pattern',
  'commit_message_pattern',
  'committer_email_pattern',
  'creation',
  'deletion',
  'file_extension_restriction',
  'file_path_restriction',
  'max_file_path_length',
  'max_file_size',
  'non_fast_forward',
  'required_linear_history',
  'required_signatures',
  'required_status_checks',
]);

function toBranchRules(rules: readonly RawRule[]): BranchRules {
  const types = new Set(rules.map((rule) => rule.type));
  return {
    requiredChecks: rules.flatMap(({ parameters }) =>
      (parameters?.required_status_checks ?? []).map(({ context }) => ({ context })),
    ),
    requiresSignatures: types.has('required_signatures'),
    mergeQueue: types.has('merge_queue'),
    refusesPushes: [...types].some((type) => !OF_COMMITS.has(type)),
  };
}
