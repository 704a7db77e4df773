/** The order in which objects are applied, and objects that stand twice. */

import { byText, quoted } from '../fbc/go-text.ts';
import { goJson } from './go-json.ts';
import { groupOf, kindOf, nameOf, namespaceOf, type Manifest } from './manifest.ts';

/** Kinds by the phase in which operator-controller applies them; what is named nowhere comes after what defines it. */
const PHASES: readonly (readonly string[])[] = [
  ['Namespace'],
  ['NetworkPolicy', 'PodDisruptionBudget', 'PriorityClass', 'ResourceQuota', 'LimitRange'],
  ['ServiceAccount'],
  ['Secret', 'ConfigMap'],
  ['StorageClass', 'PersistentVolume', 'PersistentVolumeClaim'],
  ['CustomResourceDefinition'],
  ['ClusterRole', 'Role'],
  ['ClusterRoleBinding', 'RoleBinding'],
  ['Service', 'Issuer', 'Certificate', 'Ingress'],
  ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Pod', 'Job', 'CronJob'],
  ['HorizontalPodAutoscaler', 'VerticalPodAutoscaler'],
  [],
  ['APIService', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
];
const OTHERS = PHASES.findIndex((kinds) => kinds.length === 0);
const PHASE_OF = new Map(PHASES.flatMap((kinds, phase) => kinds.map((kind) => [kind, phase] as const)));

/** By phase, then kind, namespace and name; the same for the same objects in any order. */
function inApplyOrder(objects: readonly Manifest[]): readonly Manifest[] {
  return [...objects].sort(
    (a, b) =>
      (PHASE_OF.get(kindOf(a)) ?? OTHERS) - (PHASE_OF.get(kindOf(b)) ?? OTHERS) ||
      byText(kindOf(a), kindOf(b)) ||
      byText(namespaceOf(a), namespaceOf(b)) ||
      byText(nameOf(a), nameOf(b)) ||
      byText(groupOf(a), groupOf(b)),
  );
}

/** Objects that are equal in everything stand once; `twins` names those of one identity that differ. */
export function withoutTwins(objects: readonly Manifest[]): {
  readonly objects: readonly Manifest[];
  readonly twins: readonly string[];
} {
  const held = new Map<string, Manifest>();
  const twins = new Set<string>();
  for (const object of objects) {
    const identity = identityOf(object);
    const other = held.get(identity);
    if (other === undefined) held.set(identity, object);
    else if (goJson(other, true) !== goJson(object, true)) twins.add(identity);
  }
  return { objects: inApplyOrder([...held.values()]), twins: [...twins] };
}

/** An object as people name it: `Role db/reader`. */
function identityOf(object: Manifest): string {
  const namespace = namespaceOf(object);
  const group = groupOf(object);
  const kind = group === '' ? kindOf(object) : `${kindOf(object)}.${group}`;
  return `${kind} ${quoted(namespace === '' ? nameOf(object) : `${namespace}/${nameOf(object)}`)}`;
}
