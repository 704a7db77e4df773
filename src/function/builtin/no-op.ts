import type { BuiltinFunction } from './builtin-function.ts';
import { each } from './each.ts';
import type { Each } from './each.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';

export const noOp: BuiltinFunction = {
  name: 'no-op',
  versions: [{ major: 0, minor: 1, patch: 9, run, each: noOpEach }],
  type: 'mutator',
  summary: 'nothing',
  config: ['none'],
  fields: 'none',
  idempotent: 'yes',
};

/** Returns what it was given. */
function run(input: BuiltinInput): BuiltinOutput {
  return { items: input.items, results: [] };
}

/** The same, one resource at a time. */
function noOpEach(): Each {
  return each({ apply: () => null, finish: () => [] });
}
