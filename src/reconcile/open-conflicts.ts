import type { Conflict } from '../package/merge/conflict.ts';
import { parseBranch } from '../revision/ref-name.ts';
import type { Access, World } from './ports.ts';
import type { ProposalSnapshot } from './proposal-snapshot.ts';
import { isRenderCommit } from './render-commit.ts';
import { holdsConflicts, newestSealed, readConflicts } from './update-record.ts';

export interface OpenConflicts {
  readonly conflicts: readonly Conflict[];
  /** The list was taken out of the pull request's body, so nobody knows what is settled. */
  readonly lost: boolean;
}

/**
 * The conflicts of an update pull request that nobody has settled. A commit by a person that changes the file settles
 * those in it: whoever edits the place has decided.
 */
export async function openConflicts(
  world: Pick<World, 'hmac'>,
  { git }: Pick<Access, 'git'>,
  { pull, facts }: Pick<ProposalSnapshot, 'pull' | 'facts'>,
  head: string,
  signal?: AbortSignal,
): Promise<OpenConflicts> {
  if (parseBranch(pull.headRef)?.kind !== 'update' || pull.headRepositoryId !== facts.id) return NONE;
  const ours = await newestSealed(git, head, world.hmac, signal);
  if (ours === null) return NONE;
  const key = conflictKey(facts.id, pull.headRef);
  if (!holdsConflicts(key, pull.body, ours.record, world.hmac)) return { conflicts: [], lost: true };
  const conflicts = ours.record.conflicts === undefined ? [] : readConflicts(key, pull.body, world.hmac);
  if (conflicts.length === 0) return NONE;
  const prefix = ours.record.directory === '' ? '' : `${ours.record.directory}/`;
  const touched = await touchedByPeople(git, world.hmac, ours.commit.oid, head, signal);
  return {
    conflicts: conflicts.filter(({ file }) => file === '' || !touched.has(`${prefix}${file}`)),
    lost: false,
  };
}

const NONE: OpenConflicts = { conflicts: [], lost: false };

/** Files changed by commits of people; merges bring what was decided elsewhere, renders decide nothing. */
async function touchedByPeople(
  git: Access['git'],
  hmac: World['hmac'],
  from: string,
  to: string,
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const commits = await git.log({ from, to }, { firstParent: true, limit: 200 }, signal);
  const touched = new Set<string>();
  for (const commit of commits) {
    const [parent] = commit.parents;
    if (commit.parents.length !== 1 || parent === undefined || isRenderCommit(commit, hmac)) continue;
    for (const { path } of await git.changedPaths(parent, commit.oid, signal)) touched.add(path);
  }
  return touched;
}

/** What a conflict record is sealed for, so that it cannot be carried to another pull request. */
export function conflictKey(repository: number, branch: string): string {
  return `${repository} ${branch}`;
}
