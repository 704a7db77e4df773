/** What built-in functions share: reading resources, their configuration, and wording results. */
import { isMap, groupOf } from '../../package/plain-values.ts';
import { annotationOf, fileOf, indexOf, pathOf } from '../../package/render/bookkeeping.ts';
import { textOf } from '../../package/render/field-notes.ts';
import type { ResultItem } from '../../package/render/function-runtime.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import type { WorkBudget } from '../../package/render/work-budget.ts';

/** Items are the function's own copies: it edits them in place and returns the list. */
export interface BuiltinInput {
  readonly items: KrmObject[];
  readonly functionConfig?: KrmObject;
  /** CustomResourceDefinitions from elsewhere, which nobody changes. */
  readonly definitions?: readonly KrmObject[];
  /** Counts the work of all functions of the package. */
  readonly budget: WorkBudget;
  /** Version of the function that was asked for, such as `v0.2`. */
  readonly version: string;
  /** The patch release that was asked for; absent for tags that mean the newest. */
  readonly patch?: number;
}

export interface BuiltinOutput {
  /** Absent where the function failed. */
  readonly items?: KrmObject[];
  readonly results: readonly ResultItem[];
  readonly exitCode?: number;
  readonly stderr?: string;
}

export type Builtin = (input: BuiltinInput) => BuiltinOutput | Promise<BuiltinOutput>;

/** Failure as functions on kpt's SDK report it. */
export function failure(
  results: readonly ResultItem[],
  stderr = 'failed to evaluate function: error: function failure',
): BuiltinOutput {
  return { results, exitCode: 1, stderr };
}

/** Failure as functions on kyaml's framework report it: one error result, said on stderr too. */
export function frameworkFailure(message: string): BuiltinOutput {
  return failure([{ message, severity: 'error' }], `[error]: ${message}`);
}

export function metadataOf(item: KrmObject): KrmObject {
  return isMap(item['metadata']) ? item['metadata'] : {};
}

export function nameOf(item: KrmObject): string {
  return textOf(metadataOf(item), 'name') ?? '';
}

export function namespaceOf(item: KrmObject): string {
  const metadata = metadataOf(item);
  return metadata['namespace'] === null ? '' : (textOf(metadata, 'namespace') ?? '');
}

/** What a result says it is about: the resource, and the file that holds it, if an annotation names one. */
export function aboutOf(item: KrmObject): Pick<ResultItem, 'resourceRef' | 'file'> {
  return { resourceRef: refOf(item), ...fileOf(item) };
}

export function refOf(item: KrmObject): NonNullable<ResultItem['resourceRef']> {
  const namespace = namespaceOf(item);
  return {
    apiVersion: apiVersionOf(item),
    kind: kindOf(item),
    name: nameOf(item),
    ...(namespace !== '' && { namespace }),
  };
}

export function kindOf(item: KrmObject): string {
  return textOf(item, 'kind') ?? '';
}

export function apiVersionOf(item: KrmObject): string {
  return textOf(item, 'apiVersion') ?? '';
}

/** The version of an `apiVersion`. */
export function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

/** As the SDK's IsGVK: a part that is empty on either side matches anything. */
export function isGvk(item: KrmObject, group: string, version: string, kind: string): boolean {
  const apiVersion = apiVersionOf(item);
  return (
    lenient(group, groupOf(apiVersion)) &&
    lenient(version, versionOf(apiVersion)) &&
    lenient(kind, kindOf(item))
  );
}

function lenient(wanted: string, has: string): boolean {
  return wanted === '' || has === '' || wanted === has;
}

export const LOCAL_CONFIG = 'config.kubernetes.io/local-config';

/** True for resources that are configuration of tools and never applied. */
export function isLocalConfig(item: KrmObject): boolean {
  const value = annotationOf(item, LOCAL_CONFIG);
  return value !== undefined && value !== 'false';
}

/** The file of a resource, for results of functions that do not say which document of it is meant. */
export function pathOnly(item: KrmObject): Pick<ResultItem, 'file' | 'place'> {
  const path = pathOf(item);
  return path === undefined ? {} : { file: { path }, place: { path, index: indexOf(item) ?? 0 } };
}

/** The fields of a map as text; null where one of them is a collection. */
export function stringsOf(map: KrmObject): Record<string, string> | null {
  const strings: Record<string, string> = {};
  for (const key of Object.keys(map)) {
    const text = map[key] === null ? '' : textOf(map, key);
    if (text === undefined) return null;
    strings[key] = text;
  }
  return strings;
}

/** `data` of a ConfigMap as strings; undefined for anything else. */
export function configMapData(config: KrmObject | undefined): Record<string, string> | undefined {
  if (config === undefined || !isGvk(config, '', 'v1', 'ConfigMap') || kindOf(config) !== 'ConfigMap')
    return undefined;
  const data = config['data'];
  return isMap(data) ? (stringsOf(data) ?? {}) : {};
}
