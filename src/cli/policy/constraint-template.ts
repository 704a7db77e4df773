/**
 * Gatekeeper's templates whose code is CEL (`K8sNativeValidation`), with a constraint, as policies.
 * Source: Gatekeeper's documentation, "Integration with Kubernetes Validating Admission Policy".
 */
import { z } from 'zod';

import { pluralOf, type Match } from '../../cel/match.ts';
import { compilePolicy, type Named, type Policy } from '../../cel/policy.ts';
import { selectorOf } from '../../config/admission-rules.ts';
import { selector } from '../../config/admission-schema.ts';
import { checked, NotRun } from './policy-case.ts';

const named = z.looseObject({ name: z.string(), expression: z.string() });
const template = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    crd: z.looseObject({
      spec: z.looseObject({ names: z.looseObject({ kind: z.string() }) }),
    }),
    targets: z
      .array(
        z.looseObject({
          code: z.array(z.looseObject({ engine: z.string(), source: z.unknown() })).optional(),
        }),
      )
      .min(1),
  }),
});
const source = z.looseObject({
  failurePolicy: z.enum(['Fail', 'Ignore']).optional(),
  variables: z.array(named).optional(),
  matchConditions: z.array(named).optional(),
  validations: z
    .array(
      z.looseObject({
        expression: z.string(),
        message: z.string().optional(),
        messageExpression: z.string().optional(),
      }),
    )
    .min(1),
});
const constraint = z.looseObject({
  kind: z.string(),
  spec: z
    .looseObject({
      match: z
        .strictObject({
          kinds: z
            .array(z.strictObject({ apiGroups: z.array(z.string()), kinds: z.array(z.string()) }))
            .optional(),
          namespaces: z.array(z.string()).optional(),
          excludedNamespaces: z.array(z.string()).optional(),
          labelSelector: selector.optional(),
          namespaceSelector: selector.optional(),
          scope: z.enum(['*', 'Cluster', 'Namespaced']).optional(),
          name: z.string().optional(),
        })
        .optional(),
    })
    .optional(),
});

/** What every template's expressions may read. */
const GIVEN: readonly Named[] = [
  {
    name: 'params',
    expression: '!has(params.spec) ? null : !has(params.spec.parameters) ? null : params.spec.parameters',
  },
  { name: 'anyObject', expression: 'request.operation == "DELETE" && object == null ? oldObject : object' },
];

/** @throws NotRun for what is not evaluated here, with the reason */
export function constraintPolicy(
  templateData: unknown,
  constraintData: unknown,
): { readonly policy: Policy; readonly params: unknown } {
  const made = checked(template, templateData);
  const bound = checked(constraint, constraintData);
  const { kind } = made.spec.crd.spec.names;
  if (bound.kind !== kind)
    throw new NotRun(`the constraint is a ${bound.kind}, and the template defines ${kind}.`);
  const native = made.spec.targets[0]?.code?.find(({ engine }) => engine === 'K8sNativeValidation');
  if (native === undefined)
    throw new NotRun(
      `the template ${made.metadata.name} has no code for K8sNativeValidation, and Rego is not evaluated here. Compile it with opa build -t wasm and test it as a guardrail with rego.`,
    );
  const { validations, variables = [], matchConditions = [], failurePolicy } = checked(source, native.source);
  const { conditions, match } = matchOf(bound.spec?.match ?? {});
  const policy: Policy = {
    match: [match],
    conditions: [...conditions, ...matchConditions],
    variables: [...GIVEN, ...variables],
    validations: validations.map(({ expression, message, messageExpression }) => ({
      expression,
      ...(message !== undefined && { message }),
      ...(messageExpression !== undefined && { messageExpression }),
    })),
    onError: failurePolicy === 'Ignore' ? 'ignore' : 'fail',
  };
  const compiled = compilePolicy(policy);
  if (!compiled.ok) throw new NotRun(compiled.problems.map(({ message }) => message).join('; '));
  return { policy, params: constraintData };
}

type GatekeeperMatch = NonNullable<NonNullable<z.infer<typeof constraint>['spec']>['match']>;

function matchOf(written: GatekeeperMatch): { readonly match: Match; readonly conditions: Named[] } {
  const {
    kinds,
    namespaces,
    excludedNamespaces,
    labelSelector,
    namespaceSelector,
    scope = '*',
    name,
  } = written;
  const rules = (kinds ?? [{ apiGroups: ['*'], kinds: ['*'] }]).map((one) => ({
    apiGroups: one.apiGroups,
    apiVersions: ['*'],
    operations: ['*'],
    resources: one.kinds.map((kind) => (kind === '*' ? '*' : pluralOf(kind))),
    scope,
  }));
  const conditions: Named[] = [];
  const among = (patterns: readonly string[]): string =>
    patterns.length === 0 ? 'false' : patterns.map((one) => matches('request.namespace', one)).join(' || ');
  if (namespaces !== undefined)
    conditions.push({ name: 'namespaces', expression: `request.namespace != '' && (${among(namespaces)})` });
  if (excludedNamespaces !== undefined)
    conditions.push({ name: 'excludedNamespaces', expression: `!(${among(excludedNamespaces)})` });
  if (name !== undefined) conditions.push({ name: 'name', expression: matches('request.name', name) });
  const match: Match = {
    rules,
    ...(labelSelector && { objectSelector: selectorOf(labelSelector) }),
    ...(namespaceSelector && { namespaceSelector: selectorOf(namespaceSelector) }),
  };
  return { match, conditions };
}

/** A name, or a pattern with `*` at an end. */
function matches(what: string, pattern: string): string {
  const text = JSON.stringify(pattern.replace(/^\*/, '').replace(/\*$/, ''));
  if (pattern.startsWith('*'))
    return pattern.endsWith('*') ? `${what}.contains(${text})` : `${what}.endsWith(${text})`;
  return pattern.endsWith('*') ? `${what}.startsWith(${text})` : `${what} == ${text}`;
}
