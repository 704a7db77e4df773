/** What a policy is asked about: resources as they are proposed and as they were, and where they come from. */
import type { CelInput } from '@bufbuild/cel';

import { toCelInput } from './data.ts';
import { pluralOf, type Subject } from './match.ts';

export type Data = Readonly<Record<string, unknown>>;

/** One resource before and after; one of the two may be null. */
export interface Change {
  readonly object: Data | null;
  readonly oldObject: Data | null;
  /** Its Namespace, where the package holds it. */
  readonly namespace?: Data | null;
}

/** What `package` is in expressions. */
export interface PackageFacts {
  readonly name: string;
  /** Below the registered directory. */
  readonly path: string;
  /** `owner/name`, '' where it is not known. */
  readonly repository: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface Review {
  readonly changes: readonly Change[];
  readonly package: PackageFacts;
  readonly params?: unknown;
  /** All resources of the package as rendered, whatever is judged; absent where no expression reads them. */
  readonly resources?: readonly Data[];
  /** Labels of the namespaces that the package holds. */
  readonly namespaces: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** What is known of a change without looking into the resource's own fields. */
export function changeOf({ object, oldObject }: Change, namespaces: Review['namespaces']): Subject {
  const known = object ?? oldObject ?? {};
  const apiVersion = textIn(known, 'apiVersion');
  const slash = apiVersion.indexOf('/');
  const metadata = mapIn(known, 'metadata');
  const namespace = textIn(metadata, 'namespace');
  return {
    operation: object === null ? 'DELETE' : oldObject === null ? 'CREATE' : 'UPDATE',
    group: slash === -1 ? '' : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    kind: textIn(known, 'kind'),
    name: textIn(metadata, 'name'),
    namespace,
    labels: object === null ? {} : labelsOf(object),
    ...(oldObject !== null && { oldLabels: labelsOf(oldObject) }),
    namespaceLabels: {
      ...(Object.hasOwn(namespaces, namespace) ? namespaces[namespace] : {}),
      'kubernetes.io/metadata.name': namespace,
    },
  };
}

/** What `request` has: what follows from the change itself, and nothing of who makes it. */
export const REQUEST = [
  'operation',
  'name',
  'namespace',
  'kind',
  'requestKind',
  'resource',
  'requestResource',
  'dryRun',
];

/** The variables that differ from resource to resource. */
export function facts({ object, oldObject, namespace }: Change, subject: Subject): Record<string, CelInput> {
  const { operation, group, version, kind, name } = subject;
  const gvk = new Map([
    ['group', group],
    ['version', version],
    ['kind', kind],
  ]);
  const resource = new Map([
    ['group', group],
    ['version', version],
    ['resource', pluralOf(kind)],
  ]);
  return {
    object: toCelInput(object),
    oldObject: toCelInput(oldObject),
    namespaceObject: toCelInput(namespace ?? null),
    request: new Map<string, CelInput>([
      ['operation', operation],
      ['name', name],
      ['namespace', subject.namespace],
      ['kind', gvk],
      ['requestKind', gvk],
      ['resource', resource],
      ['requestResource', resource],
      ['dryRun', false],
    ]),
  };
}

/** By what a resource is known among those of a package. */
export interface ResourceIdentity {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The identity of what an expression names as a resource; undefined for what is none. */
export function identityIn(value: unknown): ResourceIdentity | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { group, kind, namespace, name } = changeOf({ object: value as Data, oldObject: null }, {});
  return kind === '' ? undefined : { group, kind, namespace, name };
}

/** Labels of a resource; values that are no texts are left out. */
export function labelsOf(object: Data): Record<string, string> {
  const labels = mapIn(mapIn(object, 'metadata'), 'labels');
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function mapIn(data: Data, field: string): Data {
  const value = Object.hasOwn(data, field) ? data[field] : undefined;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Data) : {};
}

function textIn(data: Data, field: string): string {
  const value = Object.hasOwn(data, field) ? data[field] : undefined;
  return typeof value === 'string' ? value : '';
}
