/** kustomize's selectors of replacement sources and targets. */
import { isMap, groupOf } from '../../package/plain-values.ts';
import { annotationOf } from '../../package/render/bookkeeping.ts';
import { textOf } from '../../package/render/field-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { apiVersionOf, kindOf, metadataOf, nameOf, namespaceOf, stringsOf, versionOf } from './krm.ts';

export interface ResourceSelector {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly labelSelector: string;
  readonly annotationSelector: string;
}

export function readSelector(map: KrmObject): ResourceSelector {
  const part = (key: string): string => (map[key] === null ? '' : (textOf(map, key) ?? ''));
  return {
    group: part('group'),
    version: part('version'),
    kind: part('kind'),
    name: part('name'),
    namespace: part('namespace'),
    labelSelector: part('labelSelector'),
    annotationSelector: part('annotationSelector'),
  };
}

/**
 * True when all parts that the selector names are equal, for the resource's identity or one that it had before, as
 * kustomize records it; no namespace is `default`.
 */
export function matchesSelector(item: KrmObject, selector: ResourceSelector): boolean {
  const apiVersion = apiVersionOf(item);
  if (!equal(selector.group, groupOf(apiVersion)) || !equal(selector.version, versionOf(apiVersion)))
    return false;
  return identitiesOf(item).some(
    ({ kind, name, namespace }) =>
      equal(selector.kind, kind) &&
      equal(selector.name, name) &&
      equal(selector.namespace, namespace || 'default'),
  );
}

interface Identity {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

function identitiesOf(item: KrmObject): Identity[] {
  const present = { kind: kindOf(item), name: nameOf(item), namespace: namespaceOf(item) };
  const before = ['Kinds', 'Names', 'Namespaces'].map(
    (part) => annotationOf(item, `internal.config.kubernetes.io/previous${part}`)?.split(',') ?? [],
  );
  const [kinds = [], names = [], namespaces = []] = before;
  const previous = kinds.map((kind, at) => ({
    kind,
    name: names[at] ?? '',
    namespace: namespaces[at] ?? '',
  }));
  return [present, ...previous];
}

function equal(wanted: string, has: string): boolean {
  return wanted === '' || wanted === has;
}

/** True when labels and annotations fit the Kubernetes label selectors. */
export function matchesLabels(item: KrmObject, selector: ResourceSelector): boolean {
  const metadata = metadataOf(item);
  return (
    fits(selector.labelSelector, metadata['labels']) &&
    fits(selector.annotationSelector, metadata['annotations'])
  );
}

/** `a=b,c!=d,e,!f,g in (h,i),j notin (k)`. */
function fits(selector: string, map: unknown): boolean {
  if (selector.trim() === '') return true;
  const labels = isMap(map) ? (stringsOf(map) ?? {}) : {};
  return splitSelector(selector).every((requirement) => fitsOne(requirement.trim(), labels));
}

/** Splits at the commas that are not inside of parentheses. */
function splitSelector(selector: string): string[] {
  const parts = [''];
  let inside = false;
  for (const character of selector) {
    if (character === '(' || character === ')') inside = character === '(';
    if (character === ',' && !inside) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function fitsOne(requirement: string, labels: Readonly<Record<string, string>>): boolean {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(requirement);
  if (set !== null) {
    const values = (set[3] ?? '').split(',').map((value) => value.trim());
    const value = labels[set[1] ?? ''];
    return (value !== undefined && values.includes(value)) === (set[2] === 'in');
  }
  const pair = /^([^=!\s]+)\s*(==|=|!=)\s*(.*)$/.exec(requirement);
  if (pair !== null) return (labels[pair[1] ?? ''] === (pair[3] ?? '')) === (pair[2] !== '!=');
  if (requirement.startsWith('!')) return !Object.hasOwn(labels, requirement.slice(1).trim());
  return Object.hasOwn(labels, requirement);
}

/** As kustomize prints a resource id. */
export function printSelector(selector: ResourceSelector): string {
  const { kind, version, group, name, namespace } = selector;
  return (
    `${kind || '[noKind]'}.${version || '[noVer]'}.${group || '[noGrp]'}/` +
    `${name || '[noName]'}.${namespace || '[noNs]'}`
  );
}
