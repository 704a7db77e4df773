import type { MergingPort } from '../reconcile/forge/merging.ts';
import type { RepositoryContext } from './repository-context.ts';
import { where } from './repository-context.ts';

/** Commits that the forge makes, in the bot's name, and signs. */
export function createCommitsApi(context: RepositoryContext): Pick<MergingPort, 'createCommit'> {
  const { git } = context.octokit.rest;
  return {
    createCommit: async ({ tree, parents, message }, signal) => {
      // No author, committer or date: with them GitHub does not sign.
      const made = { tree, parents: [...parents], message };
      return (await git.createCommit({ ...where(context, signal), ...made })).data.sha;
    },
  };
}
