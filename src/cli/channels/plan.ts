import { printPlan } from '../catalog/plan.ts';
import type { Call } from '../verb.ts';

/** `portico plan [PACKAGE] --in FOLDER…`: what every downstream gets next, with all steps, or why nothing. */
export async function plan(call: Call): Promise<number> {
  return printPlan(call, {
    folder: call.path(call.text('repo') ?? '.'),
    wanted: call.positionals[0],
    branch: call.text('branch'),
  });
}
