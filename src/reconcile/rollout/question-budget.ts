/**
 * How long one look at a rollout may ask, of git and of the forge, what became of its downstreams. Of a large rollout one look asks for a
 * part, and the next goes on: jobs of others have their turn between them.
 */
import { PorticoError } from '../../error.ts';

export interface QuestionBudget {
  /** News of this repository led here: what is said of it is asked for whatever was heard before. */
  readonly about: number;
  /** What was heard before that moment is asked for again. */
  readonly since: number;
  /** Something is left, too, where only an older answer is there. */
  readonly isThorough: boolean;
  /** Nothing more may be asked: whoever would have to notes that something is left. */
  isOver(): boolean;
  /** Something stays unasked. */
  leave(): void;
  /** The answer; undefined where it did not come in time, or the forge wants a pause. Then nothing more is asked. */
  ask<Answer>(
    question: (signal: AbortSignal) => Promise<Answer>,
    signal?: AbortSignal,
  ): Promise<Answer | undefined>;
  /** Something is left, and after how many seconds it may be asked at the earliest; undefined where nothing is. */
  left(): number | undefined;
}

/** So long one look asks, in milliseconds: a job that waits longer for an answer would keep others from their turn. */
const MAX_MS = 20_000;
/** Commits that one look asks about. */
const MAX_COMMITS = 60;

export function createQuestionBudget(
  { about, since, isThorough }: Pick<QuestionBudget, 'about' | 'since' | 'isThorough'>,
  { longestMs = MAX_MS, most = MAX_COMMITS }: { readonly longestMs?: number; readonly most?: number } = {},
): QuestionBudget {
  const until = performance.now() + longestMs;
  let asked = 0;
  let isRefused = false;
  let wait: number | undefined;
  const leave = (seconds = 0): void => void (wait = Math.max(wait ?? 0, seconds));
  return {
    about,
    since,
    isThorough,
    isOver: () => isRefused || asked >= most || performance.now() >= until,
    leave,
    async ask(question, signal) {
      asked += 1;
      const timer = AbortSignal.timeout(Math.max(1, Math.ceil(until - performance.now())));
      try {
        return await question(signal === undefined ? timer : AbortSignal.any([signal, timer]));
      } catch (err) {
        signal?.throwIfAborted();
        const isLimit = err instanceof PorticoError && err.code === 'RATE_LIMITED';
        if (!isLimit && !timer.aborted) throw err;
        isRefused = true;
        leave(isLimit ? err.retryAfter : 0);
        return undefined;
      }
    },
    left: () => wait,
  };
}

/** After a look that took long a rollout rests so many times as long: it has at most a fifth of the time of its slot. */
const RESTS = 4;
/** A look that took less is nothing. */
const SHORT_MS = 1_000;
/** Milliseconds of rest after a long look, at the most. */
const MAX_REST_MS = 300_000;

/** How long a rollout rests after a look that took so long, in milliseconds. */
export function restAfter(tookMs: number): number {
  return tookMs < SHORT_MS ? 0 : Math.min(MAX_REST_MS, RESTS * tookMs);
}
