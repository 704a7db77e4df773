/** A bundle directory (`manifests/` and `metadata/`) → the document that a catalog has of it. */
import type { PackageFiles } from '../package/package.ts';
import type { YamlValue } from '../package/yaml/edit.ts';
import { bundleObject, goJson } from './bundle-object.ts';
import type { BundleBlob, Fields, Place, Property, RelatedImage } from './catalog.ts';
import { isMap } from './go-fields.ts';
import { byText } from './go-text.ts';
import { CatalogMistake } from './mistake.ts';
import { firstProperty, PROPERTY } from './properties.ts';
import { textOf } from './read-catalog.ts';
import { readDocuments } from './read-documents.ts';
import { mapsOf, textAt, valueAt } from './value-at.ts';

const PACKAGE = 'operators.operatorframework.io.bundle.package.v1';

/** True for a directory that is a bundle and no catalog. */
export function isBundleDirectory(files: PackageFiles): boolean {
  const has = (directory: string): boolean =>
    [...files.keys()].some((path) => path.startsWith(`${directory}/`));
  return has('manifests') && has('metadata');
}

interface Manifest {
  readonly place: Place;
  readonly fields: Fields;
}

/** Throws `CATALOG_INVALID`, for two ClusterServiceVersions too: which of them counts would be chance. */
export function readBundleDirectory(files: PackageFiles): BundleBlob {
  const metadata = manifestsIn(files, 'metadata/');
  const annotations = metadata.map(({ fields }) => fields['annotations']).find(isMap) ?? {};
  const of = textAt(annotations, PACKAGE);
  const manifests = manifestsIn(files, 'manifests/');
  const csv = csvOf(manifests);
  if (of === '') throw new CatalogMistake(`the annotation ${PACKAGE} is missing in metadata`, {});
  return bundleOf(of, csv, manifests, metadata);
}

/**
 * What an image of the bundle holds, and its labels: what `metadata` says, as `opm alpha bundle build` writes it. Labels are sorted by their
 * names.
 */
export function bundleImageContent(files: PackageFiles): {
  readonly files: PackageFiles;
  readonly labels: Readonly<Record<string, string>>;
} {
  const annotations =
    manifestsIn(files, 'metadata/')
      .map(({ fields }) => fields['annotations'])
      .find(isMap) ?? {};
  const labels = Object.entries(annotations).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return {
    files: new Map([...files].filter(([path]) => /^(?:manifests|metadata|tests)\//.test(path))),
    labels: Object.fromEntries(labels.sort(([a], [b]) => byText(a, b))),
  };
}

/** The bundle of an image, which it names; it is one of its images itself. */
export function imageBundle(files: PackageFiles, image: string): BundleBlob {
  const bundle = readBundleDirectory(files);
  const relatedImages = [...bundle.relatedImages, { name: '', image }].sort(
    (a, b) => byText(a.image, b.image) || byText(a.name, b.name),
  );
  return { ...bundle, image, relatedImages };
}

function csvOf(manifests: readonly Manifest[]): Manifest {
  const [csv, second] = manifests.filter(({ fields }) => fields['kind'] === 'ClusterServiceVersion');
  if (csv === undefined) throw new CatalogMistake('no ClusterServiceVersion object found in manifests', {});
  if (second === undefined) return csv;
  throw new CatalogMistake(
    `more than one ClusterServiceVersion; the other is in ${csv.place.file}`,
    second.place,
  );
}

function bundleOf(
  of: string,
  csv: Manifest,
  manifests: readonly Manifest[],
  metadata: readonly Manifest[],
): BundleBlob {
  const objects = manifests.map(({ fields }) => bundleObject(fields));
  return {
    place: csv.place,
    package: of,
    name: textAt(csv.fields, 'metadata', 'name'),
    image: '',
    properties: [...propertiesOf(of, csv, manifests, metadata), ...objects],
    relatedImages: imagesOf(csv.fields),
    objects: manifests.map(({ fields }) => ({ text: () => goJson(fields) })),
    extra: {},
  };
}

function manifestsIn(files: PackageFiles, directory: string): Manifest[] {
  const paths = [...files.keys()].filter(
    (path) =>
      path.startsWith(directory) &&
      /\.(?:ya?ml|json)$/.test(path) &&
      !path.slice(directory.length).includes('/'),
  );
  return paths.sort(byText).flatMap((file) =>
    readDocuments(file, textOf(file, files.get(file)?.bytes ?? new Uint8Array())).map(({ line, fields }) => ({
      place: { file, line },
      fields,
    })),
  );
}

/** What the bundle provides and asks for: told in its metadata, or following from its manifests. Sorted, each once. */
function propertiesOf(
  of: string,
  csv: Manifest,
  manifests: readonly Manifest[],
  metadata: readonly Manifest[],
): Property[] {
  const properties = metadata.flatMap(({ fields }) => propertyList(fields['properties']));
  const own: Property[] = [
    ...properties,
    ...metadata.flatMap(({ fields }) => propertyList(fields['dependencies']).map(required)),
    ...providedKinds(csv.fields, manifests).map((value) => ({ type: PROPERTY.gvk, value })),
    ...requiredKinds(csv.fields).map((value) => ({ type: PROPERTY.gvkRequired, value })),
  ];
  if (firstProperty(properties, PROPERTY.package) === undefined) {
    const version = textAt(csv.fields, 'spec', 'version');
    own.push({ type: PROPERTY.package, value: { packageName: of, version } });
  }
  const byKey = new Map(
    own.map((property) => [`${property.type}\n${goJson(property.value ?? null)}`, property]),
  );
  return [...byKey].sort(([a], [b]) => byText(a, b)).map(([, property]) => property);
}

function propertyList(value: YamlValue | undefined): Property[] {
  return mapsOf(value).flatMap((one): Property[] => {
    const { type, value: inner } = one;
    return typeof type !== 'string' ? [] : [inner === undefined ? { type } : { type, value: inner }];
  });
}

/** A dependency is a property with another name for the same. */
function required(dependency: Property): Property {
  const value = isMap(dependency.value) ? dependency.value : {};
  if (dependency.type === PROPERTY.package) {
    const { packageName = '', version = '' } = value;
    return { type: PROPERTY.packageRequired, value: { packageName, versionRange: version } };
  }
  return dependency.type === PROPERTY.gvk ? { ...dependency, type: PROPERTY.gvkRequired } : dependency;
}

function providedKinds(csv: Fields, manifests: readonly Manifest[]): Fields[] {
  const definitions = manifests.filter(({ fields }) => fields['kind'] === 'CustomResourceDefinition');
  return [
    ...definitions.flatMap(({ fields }) => {
      const [group, kind] = [textAt(fields, 'spec', 'group'), textAt(fields, 'spec', 'names', 'kind')];
      const versions = mapsOf(valueAt(fields, 'spec', 'versions')).map((version) => textAt(version, 'name'));
      const old = textAt(fields, 'spec', 'version');
      return [...versions, ...(old === '' ? [] : [old])].map((version) => ({ group, kind, version }));
    }),
    ...mapsOf(valueAt(csv, 'spec', 'apiservicedefinitions', 'owned')).map(kindOfService),
  ];
}

function requiredKinds(csv: Fields): Fields[] {
  const definitions = mapsOf(valueAt(csv, 'spec', 'customresourcedefinitions', 'required'));
  return [
    ...definitions.map((one) => ({
      group: textAt(one, 'name').split('.').slice(1).join('.'),
      kind: textAt(one, 'kind'),
      version: textAt(one, 'version'),
    })),
    ...mapsOf(valueAt(csv, 'spec', 'apiservicedefinitions', 'required')).map(kindOfService),
  ];
}

function kindOfService(one: Fields): Fields {
  return { group: textAt(one, 'group'), kind: textAt(one, 'kind'), version: textAt(one, 'version') };
}

/** Those that the ClusterServiceVersion names, and those that its deployments run. */
function imagesOf(csv: Fields): RelatedImage[] {
  const named = mapsOf(valueAt(csv, 'spec', 'relatedImages')).map((one) => ({
    name: textAt(one, 'name'),
    image: textAt(one, 'image'),
  }));
  const known = new Set(named.map(({ image }) => image));
  for (const deployment of mapsOf(valueAt(csv, 'spec', 'install', 'spec', 'deployments'))) {
    for (const list of ['initContainers', 'containers']) {
      for (const container of mapsOf(valueAt(deployment, 'spec', 'template', 'spec', list))) {
        const image = textAt(container, 'image');
        if (image === '' || known.has(image)) continue;
        known.add(image);
        named.push({ name: '', image });
      }
    }
  }
  return named.sort((a, b) => byText(a.image, b.image) || byText(a.name, b.name));
}
