/**
 * The parts of ValidatingAdmissionPolicy, MutatingAdmissionPolicy and their bindings that mean something here; other fields are let be, as the
 * API server has already had its say about them or will have.
 */
import { z } from 'zod';

import { custom } from './checked-text.ts';

const strings = z.record(z.string(), z.string());
const list = z.array(z.string());
export const selector = z.object({
  matchLabels: strings.optional(),
  matchExpressions: z
    .array(
      z.object({
        key: z.string(),
        operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
        values: list.optional(),
      }),
    )
    .optional(),
});
const rule = z.object({
  apiGroups: list.min(1),
  apiVersions: list.min(1),
  operations: z.array(z.enum(['CREATE', 'UPDATE', 'DELETE', 'CONNECT', '*'])).min(1),
  resources: list.min(1),
  resourceNames: list.optional(),
  scope: z.enum(['Cluster', 'Namespaced', '*']).optional(),
});
export const match = z.object({
  resourceRules: z.array(rule).optional(),
  excludeResourceRules: z.array(rule).optional(),
  objectSelector: selector.optional(),
  namespaceSelector: selector.optional(),
  matchPolicy: z.enum(['Exact', 'Equivalent']).optional(),
});
const named = z.object({ name: z.string(), expression: z.string() });
const metadata = z.object({ name: z.string().min(1).max(253) });

/** What policies of both kinds have. */
const common = {
  failurePolicy: z.enum(['Fail', 'Ignore']).optional(),
  paramKind: z.object({ apiVersion: z.string(), kind: z.string() }).optional(),
  matchConstraints: match.optional(),
  matchConditions: z.array(named).max(64).optional(),
  variables: z.array(named).max(100).optional(),
};

export const policyDocument = z.object({
  metadata,
  spec: z.object({
    ...common,
    validations: z
      .array(
        z.object({
          expression: z.string(),
          message: z.string().optional(),
          messageExpression: z.string().optional(),
          reason: z.string().optional(),
        }),
      )
      .max(100)
      .optional(),
    auditAnnotations: z
      .array(z.object({ key: z.string(), valueExpression: z.string() }))
      .max(20)
      .optional(),
  }),
});

const expression = z.object({ expression: z.string() });
const mutation = z
  .object({
    patchType: z.enum(['ApplyConfiguration', 'JSONPatch']),
    applyConfiguration: expression.optional(),
    jsonPatch: expression.optional(),
  })
  .check(({ value, issues }) => {
    const [needed, other] =
      value.patchType === 'JSONPatch'
        ? (['jsonPatch', 'applyConfiguration'] as const)
        : (['applyConfiguration', 'jsonPatch'] as const);
    const tell = (message: string): void => {
      issues.push(custom(value, message));
    };
    if (value[needed] === undefined) tell(`needs ${needed}, as patchType says`);
    if (value[other] !== undefined) tell(`has ${other}, which does not fit patchType`);
  });

export const mutatingPolicyDocument = z.object({
  metadata,
  spec: z.object({
    ...common,
    // A render runs each policy once; the render of its outcome runs it again.
    reinvocationPolicy: z.enum(['Never', 'IfNeeded']).optional(),
    mutations: z.array(mutation).min(1).max(100),
  }),
});

export const paramReference = z.object({
  name: z.string().optional(),
  namespace: z.string().optional(),
  selector: selector.optional(),
  parameterNotFoundAction: z.enum(['Allow', 'Deny']).optional(),
});

const binding = {
  policyName: z.string(),
  paramRef: paramReference.optional(),
  matchResources: match.optional(),
};

export const bindingDocument = z.object({
  metadata,
  spec: z.object({ ...binding, validationActions: z.array(z.enum(['Deny', 'Warn', 'Audit'])).min(1) }),
});

export const mutatingBindingDocument = z.object({ metadata, spec: z.object(binding) });
