import type { BuiltinInput, BuiltinOutput } from './krm.ts';

/** Returns what it was given. */
export function noOp(input: BuiltinInput): BuiltinOutput {
  return { items: input.items, results: [] };
}
