// Stands for the server in the packed command line.
import { PorticoError } from '../../src/error.ts';

/** A verb, such as `portico serve`, that says where the server is. */
export function elsewhere(verb) {
  return () => {
    throw new PorticoError('SERVER_MISSING', `${verb} is not in this package, which has no server`, {
      blame: 'user',
      hint: 'Use the image, or a clone of Portico: see docs/installing.md.',
    });
  };
}
