import { PorticoError } from '../error.ts';
import type { Mirror, MirrorOptions } from './mirror-types.ts';

/** Opens the mirror of one repository, cloning it where it is absent or damaged. */
export function openMirror(options: MirrorOptions): Promise<Mirror> {
  return Promise.reject(new PorticoError('GIT_FAILED', `cannot open ${options.dir} yet`, { blame: 'bug' }));
}
