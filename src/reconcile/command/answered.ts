import type { CommentTarget } from '../job.ts';

type CommentKey = Pick<CommentTarget, 'source'> & { readonly repository: { readonly id: number } };

/** Comments of which this process knows that they are answered; the forge knows it in any case. */
export interface Answered {
  has(comment: CommentKey): boolean;
  add(comment: CommentKey): void;
}

/** Comments that are remembered; for older ones the forge is asked. */
const MAX_REMEMBERED = 20_000;

/** An answer is for ever, so nothing in it gets old. */
export function createAnsweredComments(): Answered {
  const keys = new Set<string>();
  return {
    has: (comment) => keys.has(keyOf(comment)),
    add(comment) {
      if (keys.size >= MAX_REMEMBERED) keys.clear();
      keys.add(keyOf(comment));
    },
  };
}

function keyOf({ repository, source: { kind, id } }: CommentKey): string {
  return `${repository.id}/${kind}/${id}`;
}
