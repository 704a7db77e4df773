import { PorticoError } from '../error.ts';
import type { UpdateStrategy } from '../package/merge/merge-types.ts';

const STRATEGIES: readonly UpdateStrategy[] = [
  'resource-merge',
  'fast-forward',
  'force-delete-replace',
  'copy-merge',
];

/** The strategy of that name; kpt's default where there is none. Throws `STRATEGY_UNKNOWN`. */
export function strategyOf(name: string | undefined): UpdateStrategy {
  if (name === undefined || name === '') return 'resource-merge';
  const known = STRATEGIES.find((strategy) => strategy === name);
  if (known !== undefined) return known;
  throw new PorticoError('STRATEGY_UNKNOWN', `there is no update strategy ${JSON.stringify(name)}`, {
    blame: 'user',
    hint: `It must be one of ${STRATEGIES.join(', ')}.`,
  });
}
