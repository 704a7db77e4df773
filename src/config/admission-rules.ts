/** From the spec of an admission policy to a policy as this program judges and applies it. */
import type { z } from 'zod';

import type { LabelSelector, Match } from '../cel/match.ts';
import type { Policy } from '../cel/policy.ts';
import type { match, mutatingPolicyDocument, policyDocument, selector } from './admission-schema.ts';

type ValidatingSpec = z.infer<typeof policyDocument>['spec'];
type MutatingSpec = z.infer<typeof mutatingPolicyDocument>['spec'];

/** What both kinds of policies have. */
function commonOf({
  matchConstraints,
  matchConditions,
  variables,
  failurePolicy,
}: ValidatingSpec | MutatingSpec): Omit<Policy, 'validations'> {
  return {
    ...(matchConstraints && { match: [matchOf(matchConstraints)] }),
    ...(matchConditions && { conditions: matchConditions }),
    ...(variables && { variables }),
    onError: failurePolicy === 'Ignore' ? 'ignore' : 'fail',
  };
}

/** The policy of a MutatingAdmissionPolicy. */
export function mutatingPolicy(spec: MutatingSpec): Policy {
  return {
    ...commonOf(spec),
    validations: [],
    mutations: spec.mutations.map(({ applyConfiguration, jsonPatch }) =>
      applyConfiguration === undefined
        ? { kind: 'patch', expression: jsonPatch?.expression ?? '' }
        : { kind: 'apply', expression: applyConfiguration.expression },
    ),
  };
}

/** The policy of a ValidatingAdmissionPolicy. */
export function validatingPolicy(spec: ValidatingSpec): Policy {
  const { matchConstraints, validations, auditAnnotations } = spec;
  const rules = matchConstraints?.resourceRules ?? [];
  return {
    ...commonOf(spec),
    validations: (validations ?? []).map(({ expression, message, messageExpression }) => ({
      expression,
      ...(message !== undefined && { message: message.trim() }),
      ...(messageExpression !== undefined && { messageExpression }),
    })),
    ...(auditAnnotations && {
      notes: auditAnnotations.map(({ key, valueExpression }) => ({ name: key, expression: valueExpression })),
    }),
    deletions: rules.some(({ operations }) => operations.includes('DELETE') || operations.includes('*')),
  };
}

export function matchOf(written: z.infer<typeof match>): Match {
  const { resourceRules, excludeResourceRules, objectSelector, namespaceSelector, matchPolicy } = written;
  // Fields that are absent are undefined in what zod gives, and missing in what matching takes.
  return clean({
    rules: resourceRules,
    excluded: excludeResourceRules,
    objectSelector,
    namespaceSelector,
    exact: matchPolicy === 'Exact',
  }) as Match;
}

/** A selector without the fields that its document does not have. */
export function selectorOf(written: z.infer<typeof selector>): LabelSelector {
  return clean(written) as LabelSelector;
}

function clean(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
