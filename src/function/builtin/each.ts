/** Functions that look at one resource at a time: what they do to one does not depend on the others. */
import type { ResultItem } from '../../package/render/function-runtime.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import type { BuiltinInput } from './krm.ts';

export interface Each<Answer = unknown> {
  /** Changes the item; gives what there is to tell of it, or undefined where the item has to be seen with the others. */
  readonly apply: (item: KrmObject) => Answer | undefined;
  /** The results for all items, in their order. */
  readonly finish: (answers: readonly Answer[]) => readonly ResultItem[];
}

/** Such a function with its configuration; undefined where it would fail: then it is run as a whole. */
export type ReadEach = (input: Omit<BuiltinInput, 'items'>) => Each | undefined;

/** Keeps the type of what is told between `apply` and `finish`. */
export function each<Answer>(made: Each<Answer>): Each {
  return { apply: made.apply, finish: (answers) => made.finish(answers as readonly Answer[]) };
}
