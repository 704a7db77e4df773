/** Manifests of a bundle as opm judges their content: whether a cluster would take them, and whether they belong together. */
import { isMap } from '../fbc/go-fields.ts';
import { quoted } from '../fbc/go-text.ts';
import type { YamlValue } from '../package/yaml/edit.ts';
import { readCsv, type Csv } from './csv.ts';
import { kindOf, mapAt, mapsAt, textAt, type Fields, type Manifest, type Problem } from './manifest.ts';
import { typeName } from './read-manifests.ts';
import type { ReadManifest } from './read-manifests.ts';
import { isCrd } from './registry-bundle.ts';
import { subdomainProblems } from './subdomain.ts';
import { scopeOf } from './supported-kinds.ts';
import type { Judgement } from './validate-metadata.ts';

/** Everything that is wrong with the manifests, each by itself and all together. */
export function judgeContent(manifests: readonly ReadManifest[]): Judgement {
  const errors: Problem[] = [];
  const warnings: Problem[] = [];
  let csv: Csv | undefined;
  for (const { file, manifest } of manifests) {
    const kind = kindOf(manifest);
    const tell = (message: string): void => void errors.push({ message, file });
    if (scopeOf(kind) === undefined) tell(`${kind} is not supported type for registryV1 bundle: ${file}`);
    else if (kind === 'ClusterServiceVersion') {
      const read = readCsv(manifest);
      if ('problem' in read) tell(read.problem);
      else {
        csv ??= read.csv;
        for (const message of csvProblems(read.csv)) tell(message);
        for (const message of csvWarnings(read.csv)) warnings.push({ message, file });
      }
    } else if (kind === 'CustomResourceDefinition')
      for (const message of crdProblems(manifest)) tell(message);
    else for (const message of objectProblems(manifest)) tell(message);
  }
  if (csv !== undefined) {
    const together = ownership(csv, manifests.map(({ manifest }) => manifest).filter(isCrd));
    errors.push(...together.errors);
    warnings.push(...together.warnings);
  }
  return { errors, warnings };
}

function csvProblems(csv: Csv): readonly string[] {
  if (csv.installModes.length === 0) return ['install modes not found'];
  const types = csv.installModes.map(({ type }) => type);
  return [
    ...(new Set(types).size < types.length ? ['duplicate install modes present'] : []),
    ...(csv.installModes.some(({ supported }) => supported)
      ? []
      : ['none of InstallModeTypes are supported']),
    ...Object.keys(csv.annotations).flatMap((name) => {
      const right = ANNOTATION_NAMES.get(name.toLowerCase());
      if (right === undefined || right === name) return [];
      return [`provided annotation ${name} uses wrong case and should be ${right} instead`];
    }),
  ];
}

const ANNOTATION_NAMES = new Map(
  [
    'olm.operatorGroup',
    'olm.operatorNamespace',
    'olm.targetNamespaces',
    'olm.providedAPIs',
    'olm.skipRange',
  ].map((name) => [name.toLowerCase(), name] as const),
);

/** opm counts these among the errors; nothing that is installed depends on them. */
function csvWarnings(csv: Csv): readonly string[] {
  const problems = subdomainProblems(csv.name);
  if (problems.length > 0) return [`metadata.name ${quoted(csv.name)} is invalid:\n[${problems.join(' ')}]`];
  if (csv.name.includes('.')) return [];
  return [`metadata.name ${quoted(csv.name)} must have format: {operator name}.(v)X.Y.Z`];
}

const CRD_VERSIONS = ['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'];

function crdProblems(crd: Manifest): readonly string[] {
  const apiVersion = textAt(crd, 'apiVersion');
  if (!CRD_VERSIONS.includes(apiVersion)) return [`Unsupported api version of CRD: ${apiVersion}`];
  const names = versionsOf(crd);
  if (new Set(names).size === names.length) return objectProblems(crd);
  return [`spec.versions: Invalid value: [${names.join(' ')}]: must contain unique version names`];
}

function versionsOf(crd: Manifest): readonly string[] {
  const spec = mapAt(crd, 'spec');
  const versions = mapsAt(spec, 'versions').map((version) => textAt(version, 'name'));
  return versions.length === 0 && textAt(spec, 'version') !== '' ? [textAt(spec, 'version')] : versions;
}

/** The types of Kubernetes' metadata. */
const METADATA: Readonly<Record<string, (value: YamlValue) => boolean>> = {
  name: isText,
  generateName: isText,
  namespace: isText,
  labels: isMap,
  annotations: isMap,
  finalizers: Array.isArray,
  ownerReferences: Array.isArray,
};
const GO_TYPES: Readonly<Record<string, string>> = {
  labels: 'map[string]string',
  annotations: 'map[string]string',
  finalizers: '[]string',
  ownerReferences: '[]v1.OwnerReference',
};

function objectProblems(object: Manifest): readonly string[] {
  const metadata = mapAt(object, 'metadata');
  for (const [field, fits] of Object.entries(METADATA)) {
    const value = metadata[field];
    if (value === undefined || value === null) continue;
    const type = GO_TYPES[field] ?? 'string';
    if (!fits(value)) return [mismatch(value, field, type)];
    if (!isMap(value)) continue;
    const wrong = Object.values(value).find((item) => item !== null && !isText(item));
    if (wrong !== undefined) return [mismatch(wrong, field, 'string')];
  }
  return [
    ...(textAt(metadata, 'name') === ''
      ? ['metadata.name: Required value: name or generateName is required']
      : []),
    ...(kindOf(object) === 'PodDisruptionBudget' ? budgetProblems(mapAt(object, 'spec')) : []),
  ];
}

function mismatch(value: YamlValue, field: string, type: string): string {
  return `json: cannot unmarshal ${typeName(value)} into Go struct field ObjectMeta.metadata.${field} of type ${type}`;
}

/** A budget that lets no pod go keeps its nodes from ever being drained. */
function budgetProblems(spec: Fields): readonly string[] {
  return [
    ...(spec['minAvailable'] === '100%' ? ['minAvailable field cannot be set to 100%'] : []),
    ...(spec['maxUnavailable'] === 0 || spec['maxUnavailable'] === '0%'
      ? ['maxUnavailable field cannot be set to 0 or 0%']
      : []),
  ];
}

/** CRDs that the CSV owns and those that are there, by group, version and kind. */
function ownership(csv: Csv, crds: readonly Manifest[]): Judgement {
  const errors: Problem[] = [];
  const there = new Map<string, string>();
  for (const crd of crds) {
    const spec = mapAt(crd, 'spec');
    const group = textAt(spec, 'group');
    const kind = textAt(mapAt(spec, 'names'), 'kind');
    for (const version of versionsOf(crd)) {
      const key = `${group}/${version}, Kind=${kind}`;
      if (there.has(key))
        errors.push({ message: `duplicate CRD ${quoted(key)} in bundle ${quoted(csv.name)}` });
      there.set(key, `${group} ${kind}`);
    }
  }
  const owned = new Set<string>();
  for (const { name, version, kind } of csv.ownedCrds) {
    const dot = name.indexOf('.');
    const group = dot < 0 ? name : name.slice(dot + 1);
    const key = `${group}/${version}, Kind=${kind}`;
    if (there.has(key)) owned.add(`${group} ${kind}`);
    else errors.push({ message: `owned CRD ${quoted(key)} not found in bundle ${quoted(csv.name)}` });
  }
  const extra = [...there].filter(([, groupAndKind]) => !owned.has(groupAndKind));
  return {
    errors: [
      ...errors,
      ...extra.map(([key]) => ({
        message: `CRD ${quoted(key)} is present in bundle ${quoted(csv.name)} but not defined in CSV`,
      })),
    ],
    warnings: [],
  };
}

function isText(value: YamlValue): boolean {
  return typeof value === 'string';
}
