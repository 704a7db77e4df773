import type { Conflict } from '../package/merge/conflict.ts';
import type { Access, World } from './ports.ts';
import type { ProposalSnapshot } from './proposal-snapshot.ts';
import { isRenderCommit } from './render-commit.ts';
import { newestSealed, readConflicts } from './update-record.ts';

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
): Promise<readonly Conflict[]> {
  const conflicts = readConflicts(conflictKey(facts.id, pull.headRef), pull.body, world.hmac);
  if (conflicts.length === 0) return [];
  const ours = await newestSealed(git, head, world.hmac, signal);
  if (ours === null) return conflicts;
  const prefix = ours.record.directory === '' ? '' : `${ours.record.directory}/`;
  const touched = await touchedByPeople(git, world.hmac, ours.commit.oid, head, signal);
  return conflicts.filter(({ file }) => !touched.has(`${prefix}${file}`));
}

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
