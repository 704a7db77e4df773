/** All ready-made policies, in the order of the documentation. */
import { allowedRegistries, noLatestImages } from './images.ts';
import { namespaceByPath, requiredLabels } from './labels.ts';
import type { ReadyPolicy } from './ready-policy.ts';
import { noPlainSecrets } from './secrets.ts';
import {
  noDefaultServiceAccount,
  noPrivilegedPods,
  noWildcardRoles,
  readOnlyRoot,
  runAsNonRoot,
} from './security.ts';
import {
  keptResources,
  noExposedServices,
  probes,
  replicaBounds,
  resourceLimits,
  steadySelectors,
} from './workload-rules.ts';

export const READY_POLICIES: readonly ReadyPolicy[] = [
  noLatestImages,
  allowedRegistries,
  requiredLabels,
  namespaceByPath,
  resourceLimits,
  probes,
  replicaBounds,
  noPrivilegedPods,
  runAsNonRoot,
  readOnlyRoot,
  noDefaultServiceAccount,
  noWildcardRoles,
  noPlainSecrets,
  noExposedServices,
  keptResources,
  steadySelectors,
];

/** The policy of a name; undefined where there is none. */
export function readyPolicy(name: string): ReadyPolicy | undefined {
  return READY_POLICIES.find((one) => one.name === name);
}
