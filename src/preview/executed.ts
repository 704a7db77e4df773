/** The resources of a package that whatever deploys it applies: all but those for tools alone. */

import { PorticoError } from '../error.ts';
import { appliedNode } from '../package/applied/applied-value.ts';
import { differencesIn } from '../package/applied/differences.ts';
import { decode } from '../package/diff/resource-file.ts';
import { isOnlyList, listItems } from '../package/list-items.ts';
import { isForTools } from '../package/local-config.ts';
import { convertedIn, madeObjects, mayConvert } from '../package/operator-objects.ts';
import type { PackageFile, PackageFiles } from '../package/package.ts';
import { groupOf, textAt, type Fields } from '../package/plain-values.ts';
import { readResources } from '../package/render/read-resources.ts';

export interface ExecutedResource {
  readonly file: string;
  readonly apiVersion: string;
  /** '' for the core group. */
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly value: Fields;
}

export interface Executed {
  readonly resources: readonly ExecutedResource[];
  /** Files that look like resources and cannot be read: what they hold is unknown. */
  readonly unread: readonly string[];
}

/** Sources and targets are for Portico; no cluster has such an API. */
const OURS = 'config.portico.dev';

/**
 * Every resource in the YAML and JSON files of a package, and what is made of its operators. What `.krmignore` hides from
 * functions is among them, because tools that deploy do not read it; what is for tools alone is not. Never throws.
 */
export function executedResources(files: PackageFiles): Executed {
  const resources: ExecutedResource[] = [];
  const unread: string[] = [];
  const isConverted = conversionsIn(files);
  for (const [path, file] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!/\.(?:ya?ml|json)$/i.test(path)) continue;
    const { values, isSure } = documentsOf(path, file);
    if (!isSure) unread.push(path);
    for (const value of values) resources.push(...unrolled(path, value, !isConverted(path)));
  }
  return { resources, unread };
}

function conversionsIn(files: PackageFiles): (path: string) => boolean {
  const documents = [...files].flatMap(([path, file]) =>
    mayConvert(path) ? documentsOf(path, file).values.map((value) => [path, value] as const) : [],
  );
  return convertedIn(documents);
}

/** As a cluster gets them; not sure where a cluster may get others. */
function documentsOf(
  path: string,
  { bytes }: PackageFile,
): { readonly values: readonly Fields[]; readonly isSure: boolean } {
  const text = decode(bytes);
  if (text === undefined) return { values: [], isSure: false };
  try {
    const { documents, yaml } = readResources(path, text, { resourcesOnly: true });
    const values = documents.map(({ root }) => appliedNode(root) as Fields);
    return { values, isSure: differencesIn(yaml).length === 0 };
  } catch (error) {
    if (error instanceof PorticoError) return { values: [], isSure: false };
    throw error;
  }
}

function unrolled(file: string, value: Fields, makes: boolean): readonly ExecutedResource[] {
  const items = listItems(value) ?? [];
  const own = isOnlyList(value) ? [] : [value];
  const made = makes ? madeObjects(value).map((one) => one.value) : [];
  const inner = items.flatMap((item) => unrolled(file, item, makes));
  return [...[...own, ...made].flatMap((one) => resourceOf(file, one) ?? []), ...inner];
}

function resourceOf(file: string, value: Fields): ExecutedResource | undefined {
  const { apiVersion, kind } = value;
  const name = textAt(value, 'metadata', 'name');
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || name === '') return undefined;
  if (isForTools(value)) return undefined;
  const group = groupOf(apiVersion);
  if (group === OURS) return undefined;
  return { file, apiVersion, group, kind, namespace: textAt(value, 'metadata', 'namespace'), name, value };
}

/** As people name it: `Deployment shop/web`. */
export function calledResource({ kind, namespace, name }: Omit<ExecutedResource, 'value' | 'file'>): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** Groups that serve the objects of another one under their old name: to a cluster they are the same objects. */
const MOVED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  extensions: {
    Deployment: 'apps',
    DaemonSet: 'apps',
    ReplicaSet: 'apps',
    Ingress: 'networking.k8s.io',
    NetworkPolicy: 'networking.k8s.io',
    PodSecurityPolicy: 'policy',
  },
};

/** What makes two resources one object of a cluster; the version of its API does not. */
export function identityOf({ group, kind, namespace, name }: ExecutedResource): string {
  return JSON.stringify([MOVED[group]?.[kind] ?? group, kind, namespace, name]);
}
