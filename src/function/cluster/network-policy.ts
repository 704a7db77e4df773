/** Whether the pods of functions have a network, as far as NetworkPolicies tell. */
import { z } from 'zod';

import { PorticoError } from '../../error.ts';
import { callApi } from './api.ts';
import { FUNCTION_LABELS } from './job.ts';
import type { ClusterSettings } from './settings.ts';

/** A namespace of functions has one policy, or few. */
const MAX_POLICIES = 100;

const POLICY = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z
    .object({
      podSelector: z
        .object({
          matchLabels: z.record(z.string(), z.string()).nullish(),
          matchExpressions: z.array(z.unknown()).nullish(),
        })
        .nullish(),
      policyTypes: z.array(z.string()).nullish(),
      ingress: z.array(z.unknown()).nullish(),
      egress: z.array(z.unknown()).nullish(),
    })
    .nullish(),
});
const POLICIES = z.object({
  metadata: z.object({ continue: z.string().nullish() }).nullish(),
  items: z.array(POLICY).nullish(),
});

export type NetworkPolicies = z.infer<typeof POLICIES>;

/**
 * Asks for the policies of the namespace, before each run: a policy may be deleted while the server runs.
 * @throws PorticoError CLUSTER_POLICY unless they deny functions all traffic; CLUSTER_API where they cannot be read
 */
export async function requireNoNetwork(
  settings: ClusterSettings,
  signal: AbortSignal | undefined,
): Promise<void> {
  const path = `/apis/networking.k8s.io/v1/namespaces/${settings.namespace}/networkpolicies?limit=${MAX_POLICIES}`;
  const policies = await callApi(settings, { method: 'GET', path }, POLICIES, signal);
  const open = openness(policies);
  if (open === undefined) return;
  throw new PorticoError(
    'CLUSTER_POLICY',
    `Functions do not run in the namespace ${settings.namespace}: ${open}.`,
    {
      blame: 'user',
      hint: 'The operator of Portico must apply deploy/functions to the cluster, and keep other NetworkPolicies out of that namespace.',
    },
  );
}

/** Pure: why functions may have a network; undefined where they have none. Policies add to each other. */
export function openness({ items, metadata }: NetworkPolicies): string | undefined {
  if ((metadata?.continue ?? '') !== '') return `it has more than ${MAX_POLICIES} NetworkPolicies`;
  const policies = items ?? [];
  const opens = policies.find(
    (policy) => maySelect(policy) && (hasRules(policy.spec?.ingress) || hasRules(policy.spec?.egress)),
  );
  if (opens !== undefined) return `its NetworkPolicy ${opens.metadata.name} allows traffic of their pods`;
  return policies.some(denies) ? undefined : 'no NetworkPolicy there denies their pods all traffic';
}

type Policy = z.infer<typeof POLICY>;

function denies({ spec }: Policy): boolean {
  const { podSelector, policyTypes } = spec ?? {};
  const wanted = Object.entries(podSelector?.matchLabels ?? {});
  return (
    wanted.every(([name, value]) => FUNCTION_LABELS[name] === value) &&
    !hasRules(podSelector?.matchExpressions) &&
    ['Ingress', 'Egress'].every((type) => policyTypes?.includes(type) === true)
  );
}

/** Labels that others give the pods are not known here, so only a label of ours with another value says no. */
function maySelect({ spec }: Policy): boolean {
  const wanted = Object.entries(spec?.podSelector?.matchLabels ?? {});
  return wanted.every(([name, value]) => (FUNCTION_LABELS[name] ?? value) === value);
}

function hasRules(rules: readonly unknown[] | null | undefined): boolean {
  return (rules ?? []).length > 0;
}
