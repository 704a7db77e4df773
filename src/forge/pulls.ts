import { setTimeout as pause } from 'node:timers/promises';

import { cutText, MAX_BODY } from '../text/cut-text.ts';
import { isForgeError, orNull, wordsOfForge } from './forge-error.ts';
import type { MergeRequest, MergeResult } from './merge.ts';
import { isAboutWorkflows, mergeWithPatience } from './merge.ts';
import { allPages, runGraphql } from './octokit.ts';
import { toPull } from './pull-fields.ts';
import type { Pull } from './pull-fields.ts';
import type { RepositoryContext } from './repository-context.ts';
import { where } from './repository-context.ts';

interface NewPull {
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
  readonly draft?: boolean;
}

interface PullPatch {
  readonly title?: string;
  readonly body?: string;
  readonly base?: string;
  readonly state?: 'open' | 'closed';
}

type EnqueueResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'moved' | 'blocked' | 'forbidden'; readonly message: string };

type PullHead = { readonly branch: string } | { readonly sha: string };

export interface PullsApi {
  listOpenPulls(signal?: AbortSignal): Promise<Pull[]>;
  /** Null where there is none. With `waitForMergeable`, asks again with growing pauses (some 15 s in all). */
  getPull(
    n: number,
    options?: { readonly waitForMergeable?: boolean },
    signal?: AbortSignal,
  ): Promise<Pull | null>;
  /** Pull requests from this branch of this repository, or with this head commit; open ones unless `state` says 'all'. */
  pullsForHead(
    head: PullHead,
    options?: { readonly state?: 'open' | 'all' },
    signal?: AbortSignal,
  ): Promise<Pull[]>;
  /** Pull requests, merged ones included, that this commit is the head of or that brought it to a branch. */
  pullsForCommit(sha: string, signal?: AbortSignal): Promise<Pull[]>;
  /** Opens one; where an open one for the same head and base exists, that one is returned with `created: false`. */
  createPull(
    pull: NewPull,
    signal?: AbortSignal,
  ): Promise<{ readonly created: boolean; readonly pull: Pull }>;
  updatePull(n: number, patch: PullPatch, signal?: AbortSignal): Promise<Pull>;
  closePull(n: number, signal?: AbortSignal): Promise<void>;
  markReady(nodeId: string, signal?: AbortSignal): Promise<void>;
  convertToDraft(nodeId: string, signal?: AbortSignal): Promise<void>;
  mergePull(n: number, request: MergeRequest, signal?: AbortSignal): Promise<MergeResult>;
  /** Puts it into the merge queue of its base, only with this head. Whatever waits there already stays where it is. */
  enqueuePull(nodeId: string, sha: string, signal?: AbortSignal): Promise<EnqueueResult>;
  /** Merges the base into the head on the forge's side; 'moved' when the head is not `expectedHeadSha`. */
  updateBranch(
    n: number,
    expectedHeadSha: string,
    signal?: AbortSignal,
  ): Promise<
    | { readonly ok: true }
    | { readonly ok: false; readonly reason: 'moved' | 'blocked'; readonly message: string }
  >;
}

/** Pauses while the forge computes whether a pull request can be merged; some 15 s in all. */
const MERGEABLE_PAUSES = [1, 2, 4, 8, 8, 8] as const;

export function createPullsApi(context: RepositoryContext, backoffMs: number): PullsApi {
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
    getPull: async (n, { waitForMergeable = false } = {}, signal) => {
      for (let turn = 0; ; turn += 1) {
        const answer = await orNull(pulls.get({ ...where(context, signal), pull_number: n }));
        const pull = answer && toPull(answer.data);
        const wait = MERGEABLE_PAUSES[turn];
        const known = pull === null || pull.state === 'closed' || pull.mergeable !== null;
        if (known || !waitForMergeable || wait === undefined) return pull;
        await pause(wait * backoffMs, undefined, { signal });
      }
    },
    pullsForHead: async (head, { state = 'open' } = {}, signal) => {
      if ('branch' in head) return await byBranch(head.branch, state, signal);
      const found = await byCommit(head.sha, signal);
      return found.filter((pull) => pull.headSha === head.sha && (state === 'all' || pull.state === 'open'));
    },
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
    updateBranch: async (n, expectedHeadSha, signal) => {
      try {
        const head = { pull_number: n, expected_head_sha: expectedHeadSha };
        await pulls.updateBranch({ ...where(context, signal), ...head });
        return { ok: true };
      } catch (error) {
        if (!isForgeError(error, 'FORGE_INVALID', 'FORGE_FORBIDDEN', 'FORGE_CONFLICT')) throw error;
        const moved = /expected.head|head sha|head branch/i.test(error.message);
        return { ok: false, reason: moved ? 'moved' : 'blocked', message: wordsOfForge(error) };
      }
    },
  };
}

function cut<Part extends { readonly body?: string }>(part: Part): Part {
  return part.body === undefined ? part : { ...part, body: cutText(part.body, MAX_BODY) };
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
