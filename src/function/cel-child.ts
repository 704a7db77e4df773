/**
 * The process in which policies are judged. It has no environment and a small heap, and whoever started it kills it
 * when it takes too long: expressions of CEL cannot loop for ever, but they can for very long.
 */
import { judge, type Remark } from '../cel/judge.ts';
import { compilePolicy, type CompiledPolicy, type Policy } from '../cel/policy.ts';
import type { Review } from '../cel/review.ts';

export interface CelRequest {
  readonly policy: Policy;
  readonly review: Review;
}

export type CelAnswer =
  | { readonly remarks: readonly Remark[] }
  /** The policy cannot be read, or judging it failed in a way of its own. */
  | { readonly failed: string };

const MOST_KEPT = 200;
const compiled = new Map<string, CompiledPolicy>();

process.on('message', (request: CelRequest) => {
  process.send?.(answer(request));
});
process.on('disconnect', () => process.exit(0));
// The first message says that it is ready; the time of a policy begins after it.
process.send?.({ ready: true });

function answer({ policy, review }: CelRequest): CelAnswer {
  try {
    const key = JSON.stringify(policy);
    let known = compiled.get(key);
    if (known === undefined) {
      const result = compilePolicy(policy);
      if (!result.ok) return { failed: result.problems.map(({ message }) => message).join('; ') };
      known = result.compiled;
      if (compiled.size >= MOST_KEPT) compiled.clear();
      compiled.set(key, known);
    }
    return { remarks: judge(known, review) };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
}
