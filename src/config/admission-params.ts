/** The resources beside the configuration that bindings of admission policies name as their parameters. */
import type { z } from 'zod';

import { selects } from '../cel/match.ts';
import { labelsOf } from '../cel/review.ts';
import { selectorOf } from './admission-rules.ts';
import type { policyDocument, paramReference, selector } from './admission-schema.ts';
import { isJson } from './policy-params.ts';

/** Resources that one binding's parameters select; each is a guardrail's run. */
const MAX_PARAMS = 20;

/** The resources that a binding refers to; a sentence where there are none and there must be. */
export function paramsOf(
  kind: z.infer<typeof policyDocument>['spec']['paramKind'],
  ref: z.infer<typeof paramReference> | undefined,
  others: readonly Record<string, unknown>[],
): unknown[] | string {
  if (kind === undefined) return [null];
  if (ref === undefined) return [null];
  const { name, selector: wanted, parameterNotFoundAction } = ref;
  const found = others.filter((one) => {
    if (one['apiVersion'] !== kind.apiVersion || one['kind'] !== kind.kind) return false;
    const { name: own, namespace, labels } = metadataOf(one);
    if (ref.namespace !== undefined && namespace !== undefined && namespace !== ref.namespace) return false;
    return name !== undefined ? own === name : isSelected(wanted, labels);
  });
  if (found.length > MAX_PARAMS) return `the reference means more than ${MAX_PARAMS} resources`;
  if (!found.every(isJson)) return 'the reference means a resource with .nan or .inf';
  if (found.length > 0) return found;
  return parameterNotFoundAction === 'Allow' ? [] : `there is no ${kind.kind} ${name ?? 'with these labels'}`;
}

function isSelected(
  wanted: z.infer<typeof selector> | undefined,
  labels: Readonly<Record<string, string>>,
): boolean {
  return wanted === undefined || selects(selectorOf(wanted), labels);
}

function metadataOf(resource: Record<string, unknown>): {
  readonly name?: unknown;
  readonly namespace?: unknown;
  readonly labels: Readonly<Record<string, string>>;
} {
  const { metadata } = resource;
  const own = typeof metadata === 'object' && metadata !== null ? metadata : {};
  return { ...own, labels: labelsOf(resource) };
}
