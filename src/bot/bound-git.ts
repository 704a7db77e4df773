/** A mirror as the reconcilers see it: what is read of it says which repository it was read in. */
import type { Mirror } from '../git/mirror-types.ts';
import type { Git } from '../reconcile/git-port.ts';

/** `repository`: its id on the forge; 0 for one that Portico is not in. */
export function boundTo(
  repository: number,
  git: Mirror,
): Omit<Mirror, 'commit' | 'log'> & Pick<Git, 'repository' | 'commit' | 'log'> {
  return {
    ...git,
    repository,
    commit: async (oid, signal) => ({ ...(await git.commit(oid, signal)), repository }),
    log: async (range, options, signal) =>
      (await git.log(range, options, signal)).map((commit) => ({ ...commit, repository })),
  };
}
