import { PorticoError } from '../error.ts';
import type { Call } from './verb.ts';

/**
 * The port that `--port` names; undefined without one.
 * @throws PorticoError BAD_PORT
 */
export function portOption(call: Call): number | undefined {
  const text = call.text('port');
  if (text === undefined) return undefined;
  const port = Number(text);
  if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new PorticoError('BAD_PORT', `\`${text}\` is not a port`, {
    blame: 'user',
    hint: 'Give a number from 0 (a free one) to 65535.',
  });
}
