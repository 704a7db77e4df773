/** Judging a policy of CEL in this very process. Expressions cannot loop for ever, but they can for very long. */
import { judge, type Remark } from '../cel/judge.ts';
import { mutate, type Mutated } from '../cel/mutate.ts';
import { compilePolicy, type CompiledPolicy, type Policy } from '../cel/policy.ts';
import type { Review } from '../cel/review.ts';
import { builtinListKeys } from '../package/merge/schema.ts';
import type { Judgement } from '../package/render/function-runtime.ts';

export interface PolicyRequest {
  readonly policy: Policy;
  readonly review: Review;
}

export type PolicyAnswer =
  | (Mutated | { readonly remarks: readonly Remark[] })
  /** The policy cannot be read, or judging it failed in a way of its own. */
  | { readonly failed: string };

/** Compiled policies that are remembered. */
const MAX_KEPT = 200;
const compiled = new Map<string, CompiledPolicy>();

/** Compiled policies are kept. Never throws. */
export function judgePolicy({ policy, review }: PolicyRequest): PolicyAnswer {
  try {
    const key = JSON.stringify(policy);
    let known = compiled.get(key);
    if (known === undefined) {
      const result = compilePolicy(policy);
      if (!result.ok) return { failed: result.problems.map(({ message }) => message).join('; ') };
      known = result.compiled;
      if (compiled.size >= MAX_KEPT) compiled.clear();
      compiled.set(key, known);
    }
    if (known.mutations.length > 0) return mutate(known, review, builtinListKeys);
    return { remarks: judge(known, review) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}

/** The same in the words of rendering. */
export function judgementOf(answer: PolicyAnswer): Judgement {
  if ('remarks' in answer) return answer;
  return {
    refused: {
      code: 'CEL_FAILED',
      message: `The policy could not be judged: ${answer.failed}`,
      hint: 'Fix its expressions.',
    },
  };
}
