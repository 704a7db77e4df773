import type { RepositoryContext } from './repository-context.ts';
import { where } from './repository-context.ts';

export interface CommitsApi {
  /** A commit of a tree that the forge has, in the bot's name and signed by the forge. Answers its id; moves no ref. */
  createCommit(
    commit: { readonly tree: string; readonly parents: readonly string[]; readonly message: string },
    signal?: AbortSignal,
  ): Promise<string>;
}

export function createCommitsApi(context: RepositoryContext): CommitsApi {
  const { git } = context.octokit.rest;
  return {
    createCommit: async ({ tree, parents, message }, signal) => {
      // No author, committer or date: with them GitHub does not sign.
      const made = { tree, parents: [...parents], message };
      return (await git.createCommit({ ...where(context, signal), ...made })).data.sha;
    },
  };
}
