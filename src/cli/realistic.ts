import { PorticoError } from '../error.ts';
import type { Call } from './verb.ts';

/**
 * The seed that `--realistic` and `--seed` ask for; false without the former.
 * @throws PorticoError BAD_SEED
 */
export function realisticOption(call: Call): number | false {
  const text = call.text('seed') ?? '1';
  if (!/^[0-9]{1,9}$/.test(text)) {
    throw new PorticoError('BAD_SEED', `\`${text}\` is not a seed`, {
      blame: 'user',
      hint: 'Give a whole number of up to nine digits.',
    });
  }
  if (call.text('seed') !== undefined && !call.has('realistic')) {
    throw new PorticoError('BAD_SEED', '--seed without --realistic has no effect', {
      blame: 'user',
      hint: 'Add --realistic.',
    });
  }
  return call.has('realistic') && Number(text);
}
