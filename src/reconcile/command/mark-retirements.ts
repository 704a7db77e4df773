import { markRetirements } from '../draft/pending-retirements.ts';
import type { PerformStep, SingleStep } from '../draft/step-context.ts';
import { openRegistered } from '../repository/registered.ts';

/** The same step; what is asked for in an issue is found by its label from then on. */
export function marking<Kind extends SingleStep['do']>(perform: PerformStep<Kind>): PerformStep<Kind> {
  return async (context) => {
    const outcome = await perform(context);
    if (outcome.kind !== 'done') return outcome;
    const { ports, access, asked, signal } = context;
    const found = await openRegistered(access, { isFetched: true }, signal);
    if (found.kind === 'registered') {
      const { facts, config } = found;
      await markRetirements({ ports, access, signal }, facts, config, asked.number);
    }
    return outcome;
  };
}
