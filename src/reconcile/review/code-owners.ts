import type { ApprovalCount } from '../../command/approval-count.ts';
import { CODE_OWNER_FILES, ownersOfAll, parseCodeOwners, type CodeOwners } from '../../config/code-owners.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import type { RepositoryAccess } from '../ports.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';

/** Questions of who is in which team, for one count of approvals. */
export const MAX_QUESTIONS = 200;

type Missing = NonNullable<ApprovalCount['ownersMissing']>;

/**
 * The changed files, one of each group of owners, that no owner has approved, as CODEOWNERS of the base branch says; past
 * its limits, one line of each group.
 * Who is in a team is asked of the forge now; an answer that does not come counts for nothing. E-mail addresses
 * cannot be asked for, so what only they own stays missing; so does what is left when the forge was asked `MAX_QUESTIONS` times.
 */
export async function ownersMissing(
  { git, forge }: Pick<RepositoryAccess, 'git' | 'forge'>,
  snapshot: Pick<ProposalSnapshot, 'config' | 'base' | 'mergeBase' | 'head'>,
  approvedBy: readonly string[],
  signal?: AbortSignal,
): Promise<Missing> {
  if (!asksOwners(snapshot.config)) return [];
  const file = await fileAt(git, snapshot.base, signal);
  if (file === undefined) return [];
  const changed = await git.changedPaths(snapshot.mergeBase, snapshot.head.oid, signal);
  const missing: Missing[number][] = [];
  const isMember = membership(forge, signal);
  for (const group of ownersOfAll(
    file,
    changed.map(({ path }) => path),
  )) {
    const owns = await anyOwns(isMember, group.owners, approvedBy);
    if (owns !== true) missing.push({ ...group, ...(owns === 'not-asked' && { notAsked: true }) });
  }
  return missing;
}

/**
 * The changed files, one of each group of owners, that CODEOWNERS of the base branch names owners of, whether or not the repository asks
 * for approvals; none where it leaves owners to the forge.
 */
export async function ownedFiles(
  { git }: Pick<RepositoryAccess, 'git'>,
  { config, base }: Pick<ProposalSnapshot, 'config' | 'base'>,
  changed: readonly string[],
  signal?: AbortSignal,
): Promise<ReturnType<typeof ownersOfAll>> {
  const file = config.publish.codeOwners === false ? undefined : await fileAt(git, base, signal);
  return file === undefined ? [] : ownersOfAll(file, changed);
}

/** Where no approval is asked for, none of an owner is; and a repository may leave owners to the forge. */
function asksOwners({ publish }: RepositoryConfig): boolean {
  return publish.requireApprovals > 0 && publish.codeOwners !== false;
}

async function fileAt(
  git: RepositoryAccess['git'],
  commit: string,
  signal: AbortSignal | undefined,
): Promise<CodeOwners | undefined> {
  for (const file of CODE_OWNER_FILES) {
    const bytes = await git.readFile(commit, file, signal);
    if (bytes !== null) return parseCodeOwners(new TextDecoder().decode(bytes));
  }
  return undefined;
}

type IsMember = (org: string, team: string, login: string) => Promise<boolean | 'not-asked'>;

/** Asks once for each person and team, and not more often than there are questions. */
function membership(forge: RepositoryAccess['forge'], signal: AbortSignal | undefined): IsMember {
  const known = new Map<string, boolean>();
  return async (org, team, login) => {
    const key = `${org}/${team} ${login}`.toLowerCase();
    const before = known.get(key);
    if (before !== undefined) return before;
    if (known.size >= MAX_QUESTIONS) return 'not-asked';
    const member = await forge.teamMember(org, team, login, signal).catch(() => false);
    known.set(key, member);
    return member;
  };
}

async function anyOwns(
  isMember: IsMember,
  owners: readonly string[],
  people: readonly string[],
): Promise<boolean | 'not-asked'> {
  const logins = new Set(people.map((login) => login.toLowerCase()));
  const named = owners.filter((name) => name.startsWith('@')).map((name) => name.slice(1));
  if (named.some((name) => logins.has(name.toLowerCase()))) return true;
  let isWhole = true;
  for (const owner of named) {
    const [org = '', team] = owner.split('/');
    for (const login of team === undefined ? [] : people) {
      const member = await isMember(org, team ?? '', login);
      if (member === true) return true;
      isWhole &&= member !== 'not-asked';
    }
  }
  return isWhole ? false : 'not-asked';
}
