/**
 * The parts of ValidatingAdmissionPolicy and its binding that mean something here; other fields are let be, as the
 * API server has already had its say about them or will have.
 */
import { z } from 'zod';

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

export const policyDocument = z.object({
  metadata,
  spec: z.object({
    failurePolicy: z.enum(['Fail', 'Ignore']).optional(),
    paramKind: z.object({ apiVersion: z.string(), kind: z.string() }).optional(),
    matchConstraints: match.optional(),
    matchConditions: z.array(named).max(64).optional(),
    variables: z.array(named).max(100).optional(),
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

export const bindingDocument = z.object({
  metadata,
  spec: z.object({
    policyName: z.string(),
    paramRef: z
      .object({
        name: z.string().optional(),
        namespace: z.string().optional(),
        selector: selector.optional(),
        parameterNotFoundAction: z.enum(['Allow', 'Deny']).optional(),
      })
      .optional(),
    matchResources: match.optional(),
    validationActions: z.array(z.enum(['Deny', 'Warn', 'Audit'])).min(1),
  }),
});
