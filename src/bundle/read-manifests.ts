/** Files with manifests → their objects, each file's mistakes told apart. */
import { PorticoError } from '../error.ts';
import { isMap } from '../fbc/go-fields.ts';
import type { PackageFile, PackageFiles } from '../package/package.ts';
import { decodeText } from '../package/render/read-resources.ts';
import { readYaml, type YamlValue } from '../package/yaml/edit.ts';
import { kindOf, mapsAt, textAt, type Manifest, type Problem } from './manifest.ts';

export interface ReadManifest {
  readonly file: string;
  readonly manifest: Manifest;
}

export interface ReadManifests {
  readonly manifests: readonly ReadManifest[];
  readonly problems: readonly Problem[];
}

/** The objects of these files, in their order; those of lists one by one. A list that says it is one has `items`. */
export function readManifests(files: PackageFiles): ReadManifests {
  const manifests: ReadManifest[] = [];
  const problems: Problem[] = [];
  for (const [file, { bytes }] of files) {
    for (const value of valuesOf(file, bytes, problems)) {
      if (!isMap(value)) {
        const message = `json: cannot unmarshal ${typeName(value)} into Go value of type map[string]interface {}`;
        problems.push({ message: failed(file, message), file });
      } else if (Array.isArray(value['items']) && kindOf(value).endsWith('List')) {
        for (const manifest of mapsAt(value, 'items')) manifests.push({ file, manifest });
      } else if (textAt(value, 'kind') === '') {
        problems.push({ message: failed(file, `Object 'Kind' is missing`), file });
      } else manifests.push({ file, manifest: value });
    }
  }
  return { manifests, problems };
}

/** The files below a directory, with their whole paths. */
export function filesBelow(files: PackageFiles, directory: string): PackageFiles {
  return new Map([...files].filter(([path]) => path.startsWith(`${directory}/`)));
}

/** The one value of a file of YAML; undefined where there is no such file, null where it holds nothing. */
export function readValue(files: PackageFiles, path: string, problems: Problem[]): YamlValue | undefined {
  const file: PackageFile | undefined = files.get(path);
  return file === undefined ? undefined : (valuesOf(path, file.bytes, problems)[0] ?? null);
}

function valuesOf(file: string, bytes: Uint8Array, problems: Problem[]): readonly YamlValue[] {
  try {
    return readYaml(decodeText(file, bytes)).filter((value) => value !== null);
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    problems.push({ message: failed(file, error.message), file });
    return [];
  }
}

function failed(file: string, why: string): string {
  return `error parsing objects in "${file}": ${why}`;
}

/** A value's type in the words of Go's JSON. */
export function typeName(value: YamlValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
