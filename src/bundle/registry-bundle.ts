/** A registry+v1 bundle: what an operator brings, described by one ClusterServiceVersion. */
import { PorticoError } from '../error.ts';
import { isMap } from '../fbc/go-fields.ts';
import type { PackageFiles } from '../package/package.ts';
import { readYaml, type YamlValue } from '../package/yaml/edit.ts';
import { readCsv, type Csv } from './csv.ts';
import { goJson } from './go-json.ts';
import { kindOf, mapAt, mapsAt, nameOf, textAt, type Manifest, type Problem } from './manifest.ts';
import { filesBelow, readManifests, readValue } from './read-manifests.ts';

export interface RegistryBundle {
  readonly packageName: string;
  readonly csv: Csv;
  readonly crds: readonly Manifest[];
  readonly others: readonly Manifest[];
}

export type Reading<Value> = { readonly value: Value } | { readonly problems: readonly Problem[] };

const ANNOTATIONS = 'metadata/annotations.yaml';
const PACKAGE_ANNOTATION = 'operators.operatorframework.io.bundle.package.v1';

/**
 * Reads the directories `manifests` and `metadata`. Properties of metadata/properties.yaml join those of the CSV's
 * annotation, where operators look for them.
 */
export function readRegistryBundle(files: PackageFiles): Reading<RegistryBundle> {
  const problems: Problem[] = [];
  const found = readValue(files, ANNOTATIONS, problems);
  if (found === undefined) problems.push({ message: `open ${ANNOTATIONS}: file does not exist` });
  const annotations = isMap(found) ? mapAt(found, 'annotations') : {};

  const inside = filesBelow(files, 'manifests');
  if (inside.size === 0) problems.push({ message: 'readdir manifests: file does not exist' });
  problems.push(...nested(inside));
  const { manifests, problems: unreadable } = readManifests(inside);
  problems.push(...unreadable);
  if (problems.length > 0) return { problems };

  const objects = manifests.map(({ manifest }) => manifest);
  const csvs = objects.filter((object) => kindOf(object) === 'ClusterServiceVersion');
  const [first] = csvs;
  if (first === undefined)
    return { problems: [{ message: 'no ClusterServiceVersion found in "manifests"' }] };
  if (csvs.length > 1) {
    const names = csvs.map(nameOf).join(', ');
    return {
      problems: [
        { message: `a bundle has one ClusterServiceVersion and this one has ${csvs.length}: ${names}` },
      ],
    };
  }
  const read = readCsv(first);
  if ('problem' in read) return { problems: [{ message: read.problem }] };
  const csv = withProperties(read.csv, files, problems);
  if (problems.length > 0) return { problems };
  return {
    value: {
      packageName: textAt(annotations, PACKAGE_ANNOTATION),
      csv,
      crds: objects.filter(isCrd),
      others: objects.filter((object) => object !== first && !isCrd(object)),
    },
  };
}

/** `manifests` is flat; a directory in it was meant for something else. */
export function nested(manifests: PackageFiles): readonly Problem[] {
  const directories = new Set(
    [...manifests.keys()]
      .map((path) => path.split('/'))
      .flatMap((parts) => (parts.length > 2 ? [parts[1] ?? ''] : [])),
  );
  return [...directories].map((directory) => ({
    message: `subdirectories are not allowed within the "manifests" directory of the bundle image filesystem: found "manifests/${directory}"`,
    file: `manifests/${directory}`,
  }));
}

export function isCrd(object: Manifest): boolean {
  return kindOf(object) === 'CustomResourceDefinition';
}

function withProperties(csv: Csv, files: PackageFiles, problems: Problem[]): Csv {
  const file = 'metadata/properties.yaml';
  const found = readValue(files, file, problems);
  if (found === undefined || found === null) return csv;
  if (!isMap(found)) {
    problems.push({ message: `failed to unmarshal ${file}: expected a map`, file });
    return csv;
  }
  const properties = [
    ...ownProperties(csv, problems),
    ...mapsAt(found, 'properties').map((each) => property(each, true)),
  ];
  return { ...csv, annotations: { ...csv.annotations, 'olm.properties': `[${properties.join(',')}]` } };
}

/** The properties that the CSV has itself, as they are written there. */
function ownProperties(csv: Csv, problems: Problem[]): readonly string[] {
  const text = csv.annotations['olm.properties'];
  if (text === undefined) return [];
  const value = jsonValue(text);
  if (Array.isArray(value))
    return (value as readonly YamlValue[]).filter(isMap).map((each) => property(each, false));
  problems.push({
    message: "failed to unmarshal csv.metadata.annotations['olm.properties']: expected a list",
  });
  return [];
}

/** JSON is read as YAML, which keeps large numbers. */
function jsonValue(text: string): YamlValue {
  try {
    return readYaml(text)[0] ?? null;
  } catch (error) {
    if (error instanceof PorticoError) return null;
    throw error;
  }
}

function property(fields: Manifest, sorted: boolean): string {
  return `{"type":${goJson(textAt(fields, 'type'), false)},"value":${goJson(fields['value'] ?? null, sorted)}}`;
}
