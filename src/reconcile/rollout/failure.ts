/** Whether what was published fails where it runs, as Flux, Argo CD and deployments say of it. */
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { CommitHealth } from '../forge/checks.ts';
import type { Forge } from '../forge/forge.ts';
import type { Git } from '../git-port.ts';
import { failuresOf, holdersOf } from './health.ts';

interface AskedWorld {
  readonly git: Git;
  readonly forge: Pick<Forge, 'healthOf'>;
}

const ALL = { statuses: true, environments: 'all' } as const;

/**
 * What fails with a published commit, in the order in which it was said; empty where nothing does. Later commits count as long as the
 * registered directory is as it was published: with a change of another package on top, nobody knows which one fails. What
 * failed on the commit before as well does not fail because of it.
 */
export async function failuresAt(
  { git, forge }: AskedWorld,
  published: string,
  place: { readonly tip: string; readonly directory: RepositoryDirectory },
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const reports: CommitHealth[] = [];
  for (const holder of await holdersOf(git, published, place, signal)) {
    reports.push(await forge.healthOf(holder, ALL, signal));
  }
  const failed = failuresOf(reports);
  if (failed.length === 0) return [];
  const [parent] = (await git.commit(published, signal)).parents;
  const before = parent === undefined ? [] : failuresOf([await forge.healthOf(parent, ALL, signal)]);
  return failed.filter((what) => !before.includes(what));
}
