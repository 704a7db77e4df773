import { each } from './each.ts';
import type { Each } from './each.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';

/** Returns what it was given. */
export function noOp(input: BuiltinInput): BuiltinOutput {
  return { items: input.items, results: [] };
}

/** The same, one resource at a time. */
export function noOpEach(): Each {
  return each({ apply: () => null, finish: () => [] });
}
