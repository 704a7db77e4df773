/** From the guardrails in the configuration to those that rendering runs. */
import type { Guardrail } from '../package/render/render-types.ts';
import { digestOf, type Digest } from '../revision/digest.ts';
import type { RepositoryConfig } from './repository-config.ts';

/** The guardrails of one package (path below the registered directory), mutators first, in configured order. */
export function guardrailsFor(_config: RepositoryConfig, _path: string): Guardrail[] {
  return [];
}

/** Identity of the guardrail configuration: part of what an approval is bound to. */
export function guardrailDigest(config: RepositoryConfig): Digest {
  return digestOf('portico guardrails 1', config.guardrails);
}
