import type { CommentTarget } from '../job.ts';
import type { Ports } from '../ports.ts';

type CommentKey = Pick<CommentTarget, 'source'> & { readonly repository: { readonly id: number } };

/** Comments of which this process knows that they are answered; the forge knows it in any case. */
export interface Answered {
  has(comment: CommentKey): boolean;
  add(comment: CommentKey): void;
}

/** Comments that are remembered; for older ones the forge is asked. */
const MAX_REMEMBERED = 20_000;

const memories = new WeakMap<Ports['catalog'], Answered>();

/** The memory that the parts of one bot share. An answer is for ever, so nothing in it gets old. */
export function answeredComments({ catalog }: Pick<Ports, 'catalog'>): Answered {
  const known = memories.get(catalog);
  if (known !== undefined) return known;
  const keys = new Set<string>();
  const made: Answered = {
    has: (comment) => keys.has(keyOf(comment)),
    add(comment) {
      if (keys.size >= MAX_REMEMBERED) keys.clear();
      keys.add(keyOf(comment));
    },
  };
  memories.set(catalog, made);
  return made;
}

function keyOf({ repository, source: { kind, id } }: CommentKey): string {
  return `${repository.id}/${kind}/${id}`;
}
