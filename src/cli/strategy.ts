import { PorticoError } from '../error.ts';
import { UPDATE_STRATEGIES, type UpdateStrategy } from '../package/merge/merge-types.ts';

/** The strategy of that name; kpt's default where there is none. Throws `STRATEGY_UNKNOWN`. */
export function strategyOf(name: string | undefined): UpdateStrategy {
  if (name === undefined || name === '') return 'resource-merge';
  const known = UPDATE_STRATEGIES.find((strategy) => strategy === name);
  if (known !== undefined) return known;
  throw new PorticoError('STRATEGY_UNKNOWN', `there is no update strategy ${JSON.stringify(name)}`, {
    blame: 'user',
    hint: `It must be one of ${UPDATE_STRATEGIES.join(', ')}.`,
  });
}
