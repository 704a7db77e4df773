/** From the guardrails in the configuration to those that rendering runs. */
import { readyPolicy } from '../cel/policies/table.ts';
import { readsBase as policyReadsBase } from '../cel/policy.ts';
import { isCrdSafety } from '../package/power/crd-safety.ts';
import type { FunctionSpec, RegoModule } from '../package/render/function-runtime.ts';
import type { Guardrail } from '../package/render/render-types.ts';
import { digestOf, type Digest } from '../revision/digest.ts';
import { exemptionsOf } from './exemptions.ts';
import { matchesGlob } from './glob.ts';
import { filledParams } from './policy-params.ts';
import type { Exemption, GuardrailConfig, RepositoryConfig } from './repository-config.ts';

/**
 * The guardrails of one package (path below the registered directory), mutators first, in configured order, each with
 * those of the exemptions that concern it.
 */
export function guardrailsFor(
  config: RepositoryConfig,
  path: string,
  exemptions: readonly Exemption[] = [],
): Guardrail[] {
  const spared = exemptionsOf(exemptions, path);
  const applies = ({ paths }: GuardrailConfig): boolean => paths === undefined || matchesGlob(path, paths);
  return [
    ...config.guardrails.mutators.filter(applies).map((entry) => toGuardrail('mutator', entry)),
    ...config.guardrails.validators
      .filter(applies)
      .map((entry) => withExemptions(toGuardrail('validator', entry), spared)),
  ];
}

function withExemptions(guardrail: Guardrail, exemptions: readonly Exemption[]): Guardrail {
  const own = exemptions.filter(({ guardrails }) => guardrails.includes(guardrail.name));
  if (own.length === 0) return guardrail;
  return {
    ...guardrail,
    exemptions: own.map(({ name, until, why, resources }) => ({
      name,
      until,
      why,
      ...(resources && { resources }),
    })),
  };
}

/**
 * Identity of the guardrail configuration with the exemptions in force: part of what an approval is bound to. Order
 * matters, mutators run in it.
 */
export function guardrailDigest(
  { guardrails, functions, deploy }: RepositoryConfig,
  exemptions: readonly Exemption[] = [],
): Digest {
  // Where no function is allowed it is what it was before there were any, and so approvals stay valid.
  const judged =
    functions.length === 0
      ? digestOf('portico guardrails 1', guardrails)
      : digestOf('portico guardrails and functions 1', [guardrails, functions]);
  const own =
    deploy === undefined ? judged : digestOf('portico guardrails and tools 1', [judged, [...deploy].sort()]);
  return exemptions.length === 0 ? own : digestOf('portico guardrails with exemptions 1', [own, exemptions]);
}

/** True where a guardrail of the package depends on how its resources are in the base branch. */
export function readsBase(guardrails: readonly Guardrail[]): boolean {
  return guardrails.some(
    ({ policy, rego, labels, spec }) =>
      labels !== undefined ||
      isCrdSafety(spec) ||
      rego !== undefined ||
      (policy !== undefined && policyReadsBase(policy)),
  );
}

function toGuardrail(type: Guardrail['type'], entry: GuardrailConfig): Guardrail {
  const { name, mode, labels } = entry;
  return { name, type, mode, spec: specOf(entry), ...(labels && { labels }), ...policyOf(entry) };
}

function specOf({ name, image, configMap, configPath, selectors, exclude }: GuardrailConfig): FunctionSpec {
  return {
    name,
    ...(image !== undefined && { image }),
    ...(configMap !== undefined && { configMap }),
    ...(configPath !== undefined && { configPath }),
    ...(selectors !== undefined && { selectors }),
    ...(exclude !== undefined && { exclude }),
  };
}

/** The compiled policy of an entry, with its bytes; undefined where it is another kind of guardrail. */
export function regoOf(
  { rego, sha256, entrypoint }: GuardrailConfig,
  bytes: Uint8Array | null,
): RegoModule | undefined {
  if (rego === undefined || sha256 === undefined) return undefined;
  return { file: rego, sha256, bytes, ...(entrypoint !== undefined && { entrypoint }) };
}

/** What judges, where it is no function. `policyPath` and `rego` are read by whoever can read files. */
function policyOf(entry: GuardrailConfig): Pick<Guardrail, 'policy' | 'params'> {
  const { cel, message, messageExpression, field, policy, rego, params, admission } = entry;
  if (rego !== undefined) return { params: [params ?? null] };
  if (admission !== undefined) return { policy: admission.policy, params: admission.params };
  if (cel !== undefined) {
    const validation = {
      expression: cel,
      ...(message !== undefined && { message }),
      ...(messageExpression !== undefined && { messageExpression }),
      ...(field !== undefined && { field }),
    };
    return { policy: { validations: [validation], wholePackage: true }, params: [params ?? null] };
  }
  const ready = policy === undefined ? undefined : readyPolicy(policy);
  return ready === undefined ? {} : { policy: ready.policy, params: [filledParams(ready, params ?? {})] };
}
