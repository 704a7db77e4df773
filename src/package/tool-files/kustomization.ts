/** Whether a kustomization applies only files that guardrails judge, as they are. */
import { readApplied } from '../applied/read-applied.ts';
import type { PackageFiles } from '../package.ts';
import { isMap } from '../plain-values.ts';
import type { KrmObject } from '../render/krm-object.ts';
import { readFileOf } from '../render/read-resources.ts';
import { locateIn } from '../yaml/edit.ts';
import { isApplied } from './deploy-tools.ts';
import { namedFiles, placeFrom, stringsIn } from './named-files.ts';

export const KUSTOMIZATION_NAMES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** Why a file is refused. */
export interface Refused {
  readonly what: string;
  readonly line?: number;
  /** The field, for the place of an annotation. */
  readonly field?: string;
  /** Other files that decide what the tool makes. */
  readonly inputs: readonly string[];
}

/** Fields that leave every resource as it is. Spelled exactly: kustomize ignores their case. */
const HARMLESS = new Set(['apiVersion', 'kind', 'metadata', 'sortOptions', 'buildMetadata']);
/** Fields that list resources, or directories with a kustomization of their own. */
const LISTING = new Set(['resources', 'bases']);

/** Undefined if the kustomization only lists files and directories of the package. */
export function judgeKustomization(path: string, files: PackageFiles): Refused | undefined {
  const bytes = files.get(path)?.bytes ?? new Uint8Array();
  const read = readApplied(bytes, path);
  if ('refused' in read) {
    const [first] = read.refused;
    const line = first === undefined ? {} : { line: first.line };
    return { what: `cannot be judged, because ${first?.what ?? 'it cannot be read'}`, ...line, inputs: [] };
  }
  const [document, ...others] = read.objects;
  if (document === undefined) return undefined;
  if (others.length > 0 || !isMap(document)) return { what: 'is not one document with fields', inputs: [] };
  const fields = Object.entries(document);
  // Guardrails judge listed resources where they are.
  const taken = fields.map(([field, value]) =>
    LISTING.has(field) ? stringsIn(value).filter((entry) => !isJudged(entry, path, files)) : value,
  );
  const refused = (field: string, what: string): Refused => {
    const line = locateIn(readFileOf(path, bytes).yaml, 0, [field])?.line;
    const inputs = namedFiles(path, taken, files);
    return { what, field, ...(line !== undefined && { line }), inputs };
  };
  // Go's JSON takes names in any case, so that two spellings are one field. Upper case folds what Go folds, such as `ſ`.
  const names = fields.map(([field]) => field.toUpperCase());
  const twin = fields.find(([field], at) => names.indexOf(field.toUpperCase()) < at);
  if (twin !== undefined) return refused(twin[0], 'has a field in two spellings');
  if (isOfOthers(document['apiVersion'])) return undefined;
  const changing = fields.filter(
    ([field, value]) => !HARMLESS.has(field) && !LISTING.has(field) && !isEmpty(value),
  );
  const [first] = changing;
  if (first !== undefined) {
    const fieldNames = changing.map(([field]) => `\`${field}\``).join(', ');
    return refused(first[0], `sets ${fieldNames}`);
  }
  for (const [field, value] of fields) {
    if (!LISTING.has(field)) continue;
    const unjudged = stringsIn(value).find((entry) => !isJudged(entry, path, files));
    if (unjudged !== undefined) return refused(field, `lists ${unjudged}, which guardrails do not judge`);
    if (!isEmpty(value) && !(Array.isArray(value) && value.every((entry) => typeof entry === 'string')))
      return refused(field, `has \`${field}\` that is not a list of paths`);
  }
  return undefined;
}

/** A kustomization with the fields that kustomize fills in; every other resource as it is. */
export function withKustomizeDefaults(path: string, value: KrmObject): KrmObject {
  if (!KUSTOMIZATION_NAMES.includes(path.slice(path.lastIndexOf('/') + 1))) return value;
  const kind = value['kind'] ?? 'Kustomization';
  const version = kind === 'Component' ? 'v1alpha1' : 'v1beta1';
  return { ...value, kind, apiVersion: value['apiVersion'] ?? `kustomize.config.k8s.io/${version}` };
}

/** kustomize refuses other groups. A Flux `Kustomization` in such a file is an ordinary resource. */
function isOfOthers(apiVersion: unknown): boolean {
  return (
    typeof apiVersion === 'string' &&
    /^[a-z0-9.-]+\/v\d\w*$/.test(apiVersion) &&
    !apiVersion.startsWith('kustomize.config.k8s.io/')
  );
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isMap(value)) return Object.keys(value).length === 0;
  return value === null || value === '';
}

/** What looks like an address is fetched, even if the package has a file of that name. */
const ADDRESS = /[:@?]|\/\/|^(?:www\.)?github\.com/i;

function isJudged(entry: string, kustomization: string, files: PackageFiles): boolean {
  const place = ADDRESS.test(entry) ? undefined : placeFrom(kustomization, entry);
  if (place === undefined) return false;
  if (files.has(place)) return isApplied(place);
  return KUSTOMIZATION_NAMES.some((name) => files.has(place === '.' ? name : `${place}/${name}`));
}
