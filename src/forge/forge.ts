import { PorticoError } from '../error.ts';
import type { Forge, ForgeOptions } from './forge-types.ts';

/** The App as it stands on its forge. Makes no call itself. */
export function connectForge(options: ForgeOptions): Forge {
  throw new PorticoError('FORGE_UNAVAILABLE', `cannot reach ${options.baseUrl} yet`, { blame: 'bug' });
}
