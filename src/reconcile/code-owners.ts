import type { ApprovalCount } from '../command/approval-count.ts';
import { CODE_OWNER_FILES, ownersOfAll, parseCodeOwners, type CodeOwners } from '../config/code-owners.ts';
import type { RepositoryConfig } from '../config/repository-config.ts';
import type { Access } from './ports.ts';
import type { ProposalSnapshot } from './proposal-snapshot.ts';

type Missing = NonNullable<ApprovalCount['ownersMissing']>;

/**
 * The changed files, one of each group of owners, that no owner has approved, as CODEOWNERS of the base branch says; past
 * its limits, one line of each group.
 * Who is in a team is asked of the forge now; an answer that does not come counts for nothing. E-mail addresses
 * cannot be asked for, so what only they own stays missing.
 */
export async function ownersMissing(
  { git, forge }: Pick<Access, 'git' | 'forge'>,
  snapshot: Pick<ProposalSnapshot, 'config' | 'base' | 'mergeBase' | 'head'>,
  approvedBy: readonly string[],
  signal?: AbortSignal,
): Promise<Missing> {
  if (!asksOwners(snapshot.config)) return [];
  const file = await fileAt(git, snapshot.base, signal);
  if (file === undefined) return [];
  const changed = await git.changedPaths(snapshot.mergeBase, snapshot.head.oid, signal);
  const missing: Missing[number][] = [];
  for (const group of ownersOfAll(
    file,
    changed.map(({ path }) => path),
  )) {
    if (!(await anyOwns(forge, group.owners, approvedBy, signal))) missing.push(group);
  }
  return missing;
}

/** Where no approval is asked for, none of an owner is; and a repository may leave owners to the forge. */
function asksOwners({ publish }: RepositoryConfig): boolean {
  return publish.requireApprovals > 0 && publish.codeOwners !== false;
}

async function fileAt(
  git: Access['git'],
  commit: string,
  signal: AbortSignal | undefined,
): Promise<CodeOwners | undefined> {
  for (const file of CODE_OWNER_FILES) {
    const bytes = await git.readFile(commit, file, signal);
    if (bytes !== null) return parseCodeOwners(new TextDecoder().decode(bytes));
  }
  return undefined;
}

async function anyOwns(
  forge: Access['forge'],
  owners: readonly string[],
  people: readonly string[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const logins = new Set(people.map((login) => login.toLowerCase()));
  for (const owner of owners.filter((name) => name.startsWith('@'))) {
    const [org = '', team] = owner.slice(1).split('/');
    if (team === undefined) {
      if (logins.has(org.toLowerCase())) return true;
      continue;
    }
    for (const login of people) {
      const member = await forge.teamMember(org, team, login, signal).catch(() => false);
      if (member) return true;
    }
  }
  return false;
}
