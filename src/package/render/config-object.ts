/** The functionConfig of a guardrail, out of a file of the repository. */
import { PorticoError } from '../../error.ts';
import type { KrmObject } from './krm-object.ts';
import { readResources } from './read-resources.ts';

/** The one resource of a file. Throws `GUARDRAIL_CONFIG_INVALID` where there are more or none, and what the reader says of the rest. */
export function configObject(path: string, bytes: Uint8Array): KrmObject {
  const [first, second] = readResources(path, new TextDecoder().decode(bytes)).documents;
  if (first !== undefined && second === undefined) return first.value;
  throw new PorticoError('GUARDRAIL_CONFIG_INVALID', `${path} must hold exactly one resource`, {
    blame: 'user',
    hint: 'Move the configuration of the guardrail into a file of its own.',
  });
}
