/** Branches that this process began and has moved alone ever since, so that nobody need be asked who pushed to them. */
import type { Git } from '../reconcile/git-port.ts';

export interface OwnBranches {
  /** A repository's git that remembers what it pushed. */
  wrap<Some extends Pick<Git, 'push'>>(
    repositoryId: number,
    git: Some,
  ): Some & Required<Pick<Git, 'movedOnlyByUs'>>;
}

/** One for each open update, mostly. */
const MAX_BRANCHES = 50_000;

/**
 * A branch began here where a push made it that expected none, and was moved here alone where each later push expected what the
 * last one had left: the forge compares and swaps. After a restart, and where another process pushed, nobody can tell.
 */
export function createOwnBranches(): OwnBranches {
  const heads = new Map<string, string>();
  return {
    wrap: (repositoryId, git) => ({
      ...git,
      movedOnlyByUs: (ref, head) => heads.get(`${repositoryId} ${ref}`) === head,
      push: async (updates, signal) => {
        const answer = await git.push(updates, signal);
        if (!answer.ok) return answer;
        for (const { ref, to, expect } of updates) {
          const key = `${repositoryId} ${ref}`;
          const isOurs = expect === null || heads.get(key) === expect;
          heads.delete(key);
          if (isOurs && to !== null && ref.startsWith('refs/heads/')) heads.set(key, to);
        }
        for (const oldest of heads.keys()) {
          if (heads.size <= MAX_BRANCHES) break;
          heads.delete(oldest);
        }
        return answer;
      },
    }),
  };
}
