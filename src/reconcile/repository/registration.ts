/** When a repository was registered, by the forge's own record: dates in commits are whatever their makers wrote. */

import type { BranchPush } from '../forge/repository.ts';
import type { Git } from '../git-port.ts';
import type { RepositoryAccess } from '../ports.ts';
import { CONFIGURATION_FILE } from './configuration.ts';

/** When the configuration came to the default branch; null where that cannot be told. */
export async function registeredAt(
  { forge, git }: Pick<RepositoryAccess, 'forge' | 'git'>,
  branch: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const activity = await forge.branchActivity(`refs/heads/${branch}`, {}, signal);
  if (activity === null || !activity.complete) return null;
  return (await registration(git, activity.pushes, signal))?.at ?? null;
}

/** The first of the pushes (oldest first) after which the branch has the configuration. */
export async function registration(
  git: Pick<Git, 'resolve' | 'readFile'>,
  pushes: readonly BranchPush[],
  signal?: AbortSignal,
): Promise<BranchPush | undefined> {
  for (const push of pushes) if (await holdsConfiguration(git, push.after, signal)) return push;
  return undefined;
}

/** False also for a commit that is gone. */
export async function holdsConfiguration(
  git: Pick<Git, 'resolve' | 'readFile'>,
  commit: string | null,
  signal?: AbortSignal,
): Promise<boolean> {
  if (commit === null || (await git.resolve(commit, signal)) === null) return false;
  return (await git.readFile(commit, CONFIGURATION_FILE, signal)) !== null;
}
