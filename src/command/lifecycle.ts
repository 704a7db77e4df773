/** A pull request as a state of its lifecycle. */
import { type Action, type StateName, transition } from '../revision/state.ts';
import type { PullPlace } from './command-state.ts';
import { type Refusal, refuse } from './refusal.ts';

function stateOf(pull: PullPlace): StateName {
  if (pull.merged) return 'published';
  if (pull.state === 'closed') return 'gone';
  return pull.draft ? 'draft' : 'proposed';
}

/** The refusal where the lifecycle does not allow `action` now. */
export function lifecycleProblem(pull: PullPlace, action: Action): Refusal | undefined {
  const step = transition(stateOf(pull), action);
  return step.allowed ? undefined : refuse(step.code, step.message, step.hint);
}
