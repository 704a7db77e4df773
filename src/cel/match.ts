/** Which resources a ValidatingAdmissionPolicy is about: `matchConstraints` and a binding's `matchResources`. */

export interface ResourceRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  /** Plural names or `*`; those with a subresource match nothing, because packages have none. */
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly scope?: string;
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly Requirement[];
}

/** All parts have to agree. */
export interface Match {
  readonly rules?: readonly ResourceRule[];
  readonly excluded?: readonly ResourceRule[];
  readonly objectSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  /** Exact: the API version counts too. Otherwise any version of the same group does. */
  readonly exact?: boolean;
}

/** What is known of one change of one resource. */
export interface Subject {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Labels of the resource in the base. */
  readonly oldLabels?: Readonly<Record<string, string>>;
  /** Of its namespace, as far as the package says. */
  readonly namespaceLabels: Readonly<Record<string, string>>;
}

/** True where the policy is about this resource. */
export function isMatch(match: Match, subject: Subject): boolean {
  const exact = match.exact === true;
  if (match.rules !== undefined && !match.rules.some((rule) => follows(rule, subject, exact))) return false;
  if ((match.excluded ?? []).some((rule) => follows(rule, subject, exact))) return false;
  const { objectSelector, namespaceSelector } = match;
  // As the API server does: the new or the old object may be the one that is meant.
  if (objectSelector !== undefined) {
    const either = selects(objectSelector, subject.labels) || selects(objectSelector, subject.oldLabels);
    if (!either) return false;
  }
  if (namespaceSelector === undefined) return true;
  // Cluster-wide resources are matched whatever the selector says, Namespaces by their own labels.
  if (subject.kind === 'Namespace' && subject.group === '') return selects(namespaceSelector, subject.labels);
  return isClusterWide(subject) || selects(namespaceSelector, subject.namespaceLabels);
}

function follows(rule: ResourceRule, subject: Subject, exact: boolean): boolean {
  const { resourceNames = [], scope = '*' } = rule;
  return (
    holds(rule.apiGroups, subject.group) &&
    (!exact || holds(rule.apiVersions, subject.version)) &&
    holds(rule.operations, subject.operation) &&
    rule.resources.some((resource) => isResource(resource, subject.kind)) &&
    (resourceNames.length === 0 || resourceNames.includes(subject.name)) &&
    (scope === '*' || (scope === 'Cluster') === isClusterWide(subject))
  );
}

function holds(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value);
}

function isResource(resource: string, kind: string): boolean {
  const [name, below] = resource.split('/');
  if (below !== undefined && below !== '*') return false;
  return name === '*' || name === pluralOf(kind);
}

/** The resource of a kind, as Kubernetes' UnsafeGuessKindToResource names it. */
export function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (word.endsWith('endpoints')) return word;
  if (/(?:s|x|ch|sh)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}

const CLUSTER_WIDE = new Set(
  (
    'Namespace Node PersistentVolume ClusterRole ClusterRoleBinding StorageClass ' +
    'VolumeAttachment CustomResourceDefinition APIService PriorityClass RuntimeClass IngressClass ' +
    'CSIDriver CSINode ValidatingWebhookConfiguration MutatingWebhookConfiguration CertificateSigningRequest FlowSchema ' +
    'ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding PriorityLevelConfiguration ClusterIssuer'
  ).split(' '),
);

/** Resources of unknown kinds are cluster-wide where they have no namespace and their kind begins so. */
function isClusterWide({ kind, namespace }: Subject): boolean {
  return namespace === '' && (CLUSTER_WIDE.has(kind) || kind.startsWith('Cluster'));
}

/** Kubernetes' label selectors; an empty one selects everything. */
export function selects(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (labels === undefined) return false;
  const has = (key: string): boolean => Object.hasOwn(labels, key);
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => has(key) && labels[key] === value) &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      const value = has(key) ? labels[key] : undefined;
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        default:
          return value === undefined;
      }
    })
  );
}
