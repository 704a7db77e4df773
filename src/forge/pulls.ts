import type { MergingPort } from '../reconcile/forge/merging.ts';
import type { Pull, PullPatch, PullsPort } from '../reconcile/forge/pulls.ts';
import { cutText, MAX_BODY, MAX_TITLE, shorten } from '../text/cut-text.ts';
import { isForgeError, orNull, wordsOfForge } from './forge-error.ts';
import { isAboutWorkflows, mergeWithPatience } from './merge.ts';
import { allPages, runGraphql } from './octokit.ts';
import { toPull } from './pull-fields.ts';
import type { RepositoryContext } from './repository-context.ts';
import { where } from './repository-context.ts';

/** Pull requests, and how they get to their base. `backoffMs`: the first pause while the forge is busy. */
export function createPullsApi(
  context: RepositoryContext,
  backoffMs: number,
): Omit<PullsPort, 'pullsOfBranches'> & Pick<MergingPort, 'mergePull' | 'enqueuePull'> {
  const { octokit } = context;
  const { pulls, repos } = octokit.rest;
  const change = async (n: number, patch: PullPatch, signal?: AbortSignal): Promise<Pull> =>
    toPull((await pulls.update({ ...where(context, signal), pull_number: n, ...cut(patch) })).data);
  const byBranch = async (branch: string, state: 'open' | 'all', signal?: AbortSignal): Promise<Pull[]> => {
    const head = `${context.key.owner}:${branch}`;
    const found = await allPages((page) => pulls.list({ ...where(context, signal), state, head, ...page }));
    return found.map(toPull);
  };
  const byCommit = async (commit_sha: string, signal?: AbortSignal): Promise<Pull[]> => {
    try {
      const found = await allPages((page) =>
        repos.listPullRequestsAssociatedWithCommit({ ...where(context, signal), commit_sha, ...page }),
      );
      return found.map(toPull);
    } catch (error) {
      // A commit that the forge does not have (any more) is a 422; any other refusal says nothing of pull requests.
      const absent = isForgeError(error, 'FORGE_INVALID') && /no commit found/i.test(error.message);
      if (absent || isForgeError(error, 'FORGE_NOT_FOUND')) return [];
      throw error;
    }
  };

  return {
    listOpenPulls: async (signal) => {
      const found = await allPages((page) =>
        pulls.list({ ...where(context, signal), state: 'open', ...page }),
      );
      return found.map(toPull);
    },
    getPull: async (n, signal) => {
      const answer = await orNull(pulls.get({ ...where(context, signal), pull_number: n }));
      return answer && toPull(answer.data);
    },
    pullsForHead: ({ branch }, { state = 'open' } = {}, signal) => byBranch(branch, state, signal),
    pullsForCommit: byCommit,
    createPull: async (pull, signal) => {
      try {
        const { data } = await pulls.create({ ...where(context, signal), ...cut(pull) });
        return { created: true, pull: toPull(data) };
      } catch (error) {
        if (!isForgeError(error, 'FORGE_INVALID')) throw error;
        const [branch = ''] = pull.head.split(':').slice(-1);
        const existing = await byBranch(branch, 'open', signal);
        const same = existing.find((one) => one.baseRef === pull.base);
        if (same === undefined) throw error;
        return { created: false, pull: same };
      }
    },
    updatePull: change,
    closePull: async (n, signal) => {
      await change(n, { state: 'closed' }, signal);
    },
    markReady: async (id, signal) => {
      await runGraphql({ octokit, name: 'markReady', document: MARK_READY, variables: { id }, signal });
    },
    convertToDraft: async (id, signal) => {
      await runGraphql({
        octokit,
        name: 'convertToDraft',
        document: CONVERT_TO_DRAFT,
        variables: { id },
        signal,
      });
    },
    mergePull: (n, request, signal) => mergeWithPatience({ context, n, request, backoffMs, signal }),
    enqueuePull: async (id, sha, signal) => {
      try {
        await runGraphql({ octokit, name: 'enqueue', document: ENQUEUE, variables: { id, sha }, signal });
        return { ok: true };
      } catch (error) {
        if (!isForgeError(error, 'FORGE_INVALID', 'FORGE_FORBIDDEN')) throw error;
        if (/already (?:in|queued)/i.test(error.message)) return { ok: true };
        const moved = /head branch was modified|expected.*head/i.test(error.message);
        const message = wordsOfForge(error);
        if (moved) return { ok: false, reason: 'moved', message };
        const reason = isAboutWorkflows(message) ? 'forbidden' : 'blocked';
        return { ok: false, reason, message };
      }
    },
  };
}

function cut<Part extends { readonly title?: string; readonly body?: string }>(part: Part): Part {
  return {
    ...part,
    ...(part.title !== undefined && { title: shorten(part.title, MAX_TITLE) }),
    ...(part.body !== undefined && { body: cutText(part.body, MAX_BODY) }),
  };
}

const MARK_READY = `mutation MarkReady($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;

const CONVERT_TO_DRAFT = `mutation ConvertToDraft($id: ID!) {
  convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;

const ENQUEUE = `mutation Enqueue($id: ID!, $sha: GitObjectID!) {
  enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $sha }) { mergeQueueEntry { position } }
}`;
