/** From the guardrails in the configuration to those that rendering runs. */
import type { FunctionSpec } from '../package/render/function-runtime.ts';
import type { Guardrail } from '../package/render/render-types.ts';
import { digestOf, type Digest } from '../revision/digest.ts';
import { matchesGlob } from './glob.ts';
import type { GuardrailConfig, RepositoryConfig } from './repository-config.ts';

/** The function that judges by a CEL expression; its configuration has `expression` and `message`. */
const CEL_IMAGE = 'cel-validate:v0.1';

/** The guardrails of one package (path below the registered directory), mutators first, in configured order. */
export function guardrailsFor(config: RepositoryConfig, path: string): Guardrail[] {
  const applies = ({ paths }: GuardrailConfig): boolean => paths === undefined || matchesGlob(path, paths);
  return [
    ...config.guardrails.mutators.filter(applies).map((entry) => toGuardrail('mutator', entry)),
    ...config.guardrails.validators.filter(applies).map((entry) => toGuardrail('validator', entry)),
  ];
}

/** Identity of the guardrail configuration: part of what an approval is bound to. Order matters, mutators run in it. */
export function guardrailDigest({ guardrails, functions }: RepositoryConfig): Digest {
  // Where no function is allowed it is what it was before there were any, and so approvals stay valid.
  if (functions.length === 0) return digestOf('portico guardrails 1', guardrails);
  return digestOf('portico guardrails and functions 1', [guardrails, functions]);
}

function toGuardrail(type: Guardrail['type'], entry: GuardrailConfig): Guardrail {
  return { name: entry.name, type, mode: entry.mode, spec: specOf(entry) };
}

function specOf({ name, image, configMap, configPath, cel, message }: GuardrailConfig): FunctionSpec {
  if (cel !== undefined) {
    const configuration = message === undefined ? { expression: cel } : { expression: cel, message };
    return { name, image: CEL_IMAGE, configMap: configuration };
  }
  return {
    name,
    ...(image !== undefined && { image }),
    ...(configMap !== undefined && { configMap }),
    ...(configPath !== undefined && { configPath }),
  };
}
