import { setTimeout as pause } from 'node:timers/promises';

import { PorticoError } from '../error.ts';
import type { MergeAnswer, MergeRequest } from '../reconcile/forge/merging.ts';
import { orNull, wordsOfForge } from './forge-error.ts';
import { toPull } from './pull-fields.ts';
import type { RepositoryContext } from './repository-context.ts';
import { where } from './repository-context.ts';

/** Between the tries of a merge, in pauses of half a second: some eight seconds in all. */
const PAUSES = [1, 2, 4, 8] as const;

/**
 * Merges, up to five times where the forge only needs a moment: "Base branch was modified" is a race with the job that
 * computes mergeability (cli/cli#8092, NixOS/nixpkgs-merge-bot#179, quipper/monorepo-deploy-actions#499, akuity/kargo#6490),
 * and "not mergeable" is also said while that job has not ended. Before each further try the pull request is read again.
 */
export async function mergeWithPatience({
  context,
  n,
  request,
  backoffMs,
  signal,
}: {
  readonly context: RepositoryContext;
  readonly n: number;
  readonly request: MergeRequest;
  readonly backoffMs: number;
  readonly signal?: AbortSignal | undefined;
}): Promise<MergeAnswer> {
  for (let turn = 0; ; turn += 1) {
    const answer = await mergeOnce(context, n, request, signal);
    if (answer.ok || (answer.reason !== 'busy' && answer.reason !== 'not-mergeable')) return answer;
    const { message } = answer;
    const wait = PAUSES[turn];
    if (wait === undefined) return answer;
    // To ask is what makes the forge compute it.
    const found = await orNull(context.octokit.rest.pulls.get({ ...where(context, signal), pull_number: n }));
    const pull = found && toPull(found.data);
    if (pull === null || pull.state === 'closed') return { ok: false, reason: 'not-mergeable', message };
    if (pull.headSha !== request.sha) return { ok: false, reason: 'moved', message };
    if (pull.mergeable === false) return { ok: false, reason: 'not-mergeable', message };
    await pause(wait * backoffMs, undefined, { signal });
    if ((await request.isStillValid?.(signal)) === false) return { ok: false, reason: 'moved', message };
  }
}

async function mergeOnce(
  context: RepositoryContext,
  n: number,
  request: MergeRequest,
  signal: AbortSignal | undefined,
): Promise<MergeAnswer> {
  try {
    const { data } = await context.octokit.rest.pulls.merge({
      ...where(context, signal),
      pull_number: n,
      sha: request.sha,
      merge_method: request.method,
      ...(request.title === undefined ? {} : { commit_title: request.title }),
      ...(request.message === undefined ? {} : { commit_message: request.message }),
    });
    return { ok: true, sha: data.sha };
  } catch (error) {
    return mergeRefusal(error);
  }
}

/**
 * "This pull request is part of a stack and must be merged using the asynchronous merge REST API": every other way of merging
 * refuses it, and that one merges whatever lies below it along (github/gh-stack#321, navikt/copilot#659).
 */
const STACKED = /part of a stack/i;

/**
 * 409: the head moved. 405: conflicts, a rule, a draft, a method that is not allowed, or a moment's trouble; the words tell
 * which. 403: the App may not; so it is answered where a pull request changes workflows and the App has no permission for
 * those, in words that name it or not (chdsbd/kodiak#641, getmydia/mydia#634).
 */
function mergeRefusal(error: unknown): MergeAnswer {
  if (!(error instanceof PorticoError)) throw error;
  const { code } = error;
  const message = wordsOfForge(error);
  if (STACKED.test(message)) return { ok: false, reason: 'stack', message };
  if (code === 'FORGE_CONFLICT') return { ok: false, reason: 'moved', message };
  if (code === 'FORGE_FORBIDDEN' || isAboutWorkflows(message))
    return { ok: false, reason: 'forbidden', message };
  if (code !== 'FORGE_NOT_ALLOWED') throw error;
  if (/base branch was modified/i.test(message)) return { ok: false, reason: 'busy', message };
  if (/merge queue/i.test(message)) return { ok: false, reason: 'queue', message };
  const conflict =
    /not mergeable|merge conflict/i.test(message) && !/rule violation|required|review/i.test(message);
  return { ok: false, reason: conflict ? 'not-mergeable' : 'blocked', message };
}

/** "refusing to allow a GitHub App to create or update workflow `x` without `workflows` permission" */
export function isAboutWorkflows(message: string): boolean {
  return /without .?workflows?.? (?:permission|scope)/i.test(message);
}
