/** What the properties of a bundle say. */
import type { PackageFiles } from '../package/package.ts';
import type { YamlValue } from '../package/yaml/edit.ts';
import type { Fields, Property } from './catalog.ts';
import { FieldReader, isMap, TypeMistake } from './go-fields.ts';
import { quoted } from './go-text.ts';
import type { Manifest } from './manifest.ts';

export const PROPERTY = {
  package: 'olm.package',
  packageRequired: 'olm.package.required',
  gvk: 'olm.gvk',
  gvkRequired: 'olm.gvk.required',
  object: 'olm.bundle.object',
  csvMetadata: 'olm.csv.metadata',
} as const;

export interface PackageProperty {
  readonly packageName: string;
  readonly version: string;
  readonly release: string;
}

interface BundleObject {
  readonly ref: string;
  /** As it was encoded. */
  readonly data: string;
}

export interface BundleProperties {
  readonly packages: readonly PackageProperty[];
  readonly objects: readonly BundleObject[];
}

/** A property that is not what its type says. */
export class PropertyMistake extends Error {}

/** Throws {@link PropertyMistake}, in the words of operator-registry. */
export function parseProperties(properties: readonly Property[]): BundleProperties {
  const packages: PackageProperty[] = [];
  const objects: BundleObject[] = [];
  for (const [at, { type, value }] of properties.entries()) {
    try {
      if (value === undefined) throw new TypeError('unexpected end of JSON input');
      const reader = STRUCTS[type] === undefined ? undefined : readerOf(value, STRUCTS[type]);
      if (reader === undefined) continue;
      if (type === PROPERTY.package) packages.push(packageProperty(reader));
      else if (type === PROPERTY.object) objects.push(bundleObject(reader));
      else if (type === PROPERTY.packageRequired)
        ['packageName', 'versionRange'].forEach((name) => reader.text(name));
      else if (type !== PROPERTY.csvMetadata)
        ['group', 'kind', 'version'].forEach((name) => reader.text(name));
    } catch (error) {
      if (!(error instanceof TypeMistake || error instanceof TypeError)) throw error;
      throw new PropertyMistake(
        `parse properties: parse property[${at}] of type ${quoted(type)}: ${error.message}`,
        { cause: error },
      );
    }
  }
  return { packages, objects };
}

const STRUCTS: Readonly<Record<string, string>> = {
  [PROPERTY.package]: 'Package',
  [PROPERTY.packageRequired]: 'PackageRequired',
  [PROPERTY.gvk]: 'GVK',
  [PROPERTY.gvkRequired]: 'GVKRequired',
  [PROPERTY.object]: 'fileJSON',
  [PROPERTY.csvMetadata]: 'CSVMetadata',
};

function readerOf(value: YamlValue, struct: string): FieldReader {
  if (isMap(value) || value === null) return new FieldReader(value ?? {}, struct);
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw new TypeError(`json: cannot unmarshal ${kind} into Go value of type property.${struct}`);
}

function packageProperty(reader: FieldReader): PackageProperty {
  return {
    packageName: reader.text('packageName'),
    version: reader.text('version'),
    release: reader.text('release'),
  };
}

function bundleObject(reader: FieldReader): BundleObject {
  const [ref, data] = [reader.text('ref'), reader.text('data')];
  if (!isBase64(data)) throw new TypeError('illegal base64 data');
  if (ref !== '' && data !== '') throw new TypeError("fields 'ref' and 'data' are mutually exclusive");
  return { ref, data };
}

/** Padded base64; line breaks are passed by, as Go does. */
export function isBase64(text: string): boolean {
  const body = /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, '') : text;
  return body.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(body);
}

/** The manifests of a bundle; those that are named are looked up beside the file. */
export function bundleObjects(
  { objects }: BundleProperties,
  files: PackageFiles,
  file: string,
): readonly Manifest[] {
  return objects.map(({ ref, data }): Manifest => {
    if (ref === '') return { text: () => new TextDecoder().decode(bytesOf(data)) };
    const bytes = fileAt(files, file, ref);
    return { text: () => new TextDecoder().decode(bytes) };
  });
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function fileAt(files: PackageFiles, from: string, ref: string): Uint8Array {
  const missing = (why: string): PropertyMistake =>
    new PropertyMistake(`get data for bundle object ${quoted(ref)}: ${why}`);
  if (ref.startsWith('/')) throw missing('reference must be a relative path');
  const parts = from.split('/').slice(0, -1);
  for (const part of ref.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) throw missing('reference leads out of the catalog');
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  const path = parts.join('/');
  const found = files.get(path);
  if (found === undefined) throw missing(`open ${path}: file does not exist`);
  return found.bytes;
}

/** The fields of a property that is there once or more; the first counts. */
export function firstProperty(properties: readonly Property[], type: string): Fields | undefined {
  const value = properties.find((property) => property.type === type)?.value;
  return isMap(value) ? value : undefined;
}
