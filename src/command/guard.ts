/** What every verb that acts asks first: is there still something to act on, and is it what the caller saw? */
import { codeSpan } from '../text/markdown.ts';
import type { CommandState, PullPlace } from './command-state.ts';
import type { Command } from './command.ts';
import { compareTimes } from './moment.ts';
import { type Refusal, refuse } from './refusal.ts';

/** The reason not to act, or undefined. `commit` is what the caller named with `@`. */
export function guardProblem(
  state: CommandState,
  guard: Command['guard'],
  commit: string | undefined,
): Refusal | undefined {
  if (guard === 'none') return undefined;
  const { place } = state;
  const closed = closedProblem(state);
  if (closed !== undefined || place.kind === 'issue' || guard === 'open') return closed;
  return commitProblem(place, commit) ?? movedProblem(state, place, guard, commit);
}

function closedProblem({ place }: CommandState): Refusal | undefined {
  const what = place.kind === 'pull' ? 'pull request' : 'issue';
  if (place.kind === 'pull' && place.merged) {
    return refuse('merged', 'this pull request is already merged', 'Open a new one for further changes.');
  }
  if (place.state === 'closed') {
    // A forge does not reopen a pull request whose branch is gone.
    const branch = place.kind === 'pull' ? '; if its branch was deleted, push the branch again first' : '';
    return refuse('closed', `this ${what} is closed`, `Reopen it first${branch}.`);
  }
  return place.locked
    ? refuse('locked', `this ${what} is locked`, 'Unlock the conversation first.')
    : undefined;
}

function commitProblem(place: PullPlace, commit: string | undefined): Refusal | undefined {
  if (commit === undefined || place.headSha.startsWith(commit)) return undefined;
  return refuse(
    'other-commit',
    `you named ${short(commit)}, but the head is ${short(place.headSha)}`,
    'Review the current head, then repeat the command.',
  );
}

/**
 * Both proofs must hold: the head recorded when the comment arrived, and the times, since a push can come between the
 * comment and its webhook. A short id after `@` proves little (seven digits can be forged), so where neither is
 * known only the whole commit id will do.
 * Where Portico was away, it sees a head late: then the forge's own record of the push counts, but not for an approval, which is of the
 * content that Portico had checked by then. A push in the second of the comment may be the later of both.
 */
function movedProblem(
  { comment }: CommandState,
  place: PullPlace,
  guard: 'content' | 'head',
  commit: string | undefined,
): Refusal | undefined {
  const { headSha, headSeenAtComment, headPushedAt, headReceivedAt, baseChangedAt } = place;
  // What a pull request changes depends on its base as well. A change in the second of the comment may be the later of both.
  if (baseChangedAt !== undefined && !isBefore(baseChangedAt, comment.createdAt)) {
    return refuse(
      'base-changed',
      `the base branch was changed to ${codeSpan(place.baseRef)} after your comment`,
      'Review what it changes now, then repeat the command.',
    );
  }
  const received = guard === 'head' && isBefore(headReceivedAt, comment.createdAt);
  if (headSeenAtComment !== undefined && headSeenAtComment !== headSha) {
    return refuse(
      'head-moved',
      `the head moved from ${short(headSeenAtComment)} to ${short(headSha)} after your comment`,
      'Review the new commits, then repeat the command.',
    );
  }
  if (headPushedAt !== undefined && !received && (compareTimes(comment.createdAt, headPushedAt) ?? -1) < 0) {
    return refuse(
      'older-than-push',
      `${short(headSha)} was pushed, or first seen by Portico, after your comment`,
      'Review the new commits, then repeat the command.',
    );
  }
  if (headSeenAtComment !== undefined || headPushedAt !== undefined || commit === headSha) return undefined;
  return refuse(
    'head-unknown',
    `no record shows which commit you saw, and the head is now ${short(headSha)}`,
    `Repeat the command, or add the full commit id: @${headSha}.`,
  );
}

function isBefore(one: string | undefined, other: string): boolean {
  return one !== undefined && (compareTimes(one, other) ?? 0) < 0;
}

function short(sha: string): string {
  return `\`${sha.slice(0, 7)}\``;
}
