import type { Pull } from '../repository.ts';
import type { Answer } from '../rest.ts';
import { wordsOf } from '../rest.ts';
import type { TrialStage } from '../stage.ts';

export interface Merging {
  /** The last answer. */
  readonly answer: Answer;
  /** What was said before it. */
  readonly refusals: readonly string[];
}

/** Temporary answers to a merge, and what to do: ask again. */
const PASSING = /base branch was modified|not mergeable|head branch was modified/i;

const TRIES = 5;

/** Merges at once and, while the forge says that it is too early, again: five times at most. */
export async function mergePatiently(
  stage: TrialStage,
  pull: Pull,
  method: 'merge' | 'squash' = 'merge',
): Promise<Merging> {
  const refusals: string[] = [];
  for (;;) {
    const body = { merge_method: method, sha: pull.head };
    const answer = await stage.rest.ask('PUT', `${stage.blueprints.path}/pulls/${pull.number}/merge`, {
      body,
    });
    const words = wordsOf(answer.body);
    if (answer.status !== 405 || !PASSING.test(words) || refusals.length >= TRIES - 1) {
      return { answer, refusals };
    }
    refusals.push(`405: ${words}`);
    await stage.wait(1_000 * refusals.length);
  }
}
