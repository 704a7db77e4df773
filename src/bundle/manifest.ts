/** Objects of a bundle as data, and the fields of them that everybody asks for. */
import { isMap } from '../fbc/go-fields.ts';
import type { YamlValue } from '../package/yaml/edit.ts';

export interface Fields {
  readonly [field: string]: YamlValue;
}

export type Manifest = Fields;

/** What is wrong with a bundle, in upstream's words where upstream has some. */
export interface Problem {
  readonly message: string;
  readonly file?: string;
}

/** The map at a field; an empty one where there is none. */
export function mapAt(fields: Fields, field: string): Fields {
  const value = fields[field];
  return isMap(value) ? value : {};
}

export function listAt(fields: Fields, field: string): readonly YamlValue[] {
  const value = fields[field];
  return Array.isArray(value) ? (value as readonly YamlValue[]) : [];
}

export function mapsAt(fields: Fields, field: string): readonly Fields[] {
  return listAt(fields, field).filter(isMap);
}

export function textAt(fields: Fields, field: string): string {
  const value = fields[field];
  return typeof value === 'string' ? value : '';
}

export function kindOf(manifest: Manifest): string {
  return textAt(manifest, 'kind');
}

export function nameOf(manifest: Manifest): string {
  return textAt(mapAt(manifest, 'metadata'), 'name');
}

export function namespaceOf(manifest: Manifest): string {
  return textAt(mapAt(manifest, 'metadata'), 'namespace');
}

/** The group of an apiVersion; empty for the core one. */
export function groupOf(manifest: Manifest): string {
  const [group = '', version] = textAt(manifest, 'apiVersion').split('/');
  return version === undefined ? '' : group;
}

/** The manifest with these annotations over its own. */
export function withAnnotations(manifest: Manifest, annotations: Fields): Manifest {
  if (Object.keys(annotations).length === 0) return manifest;
  const metadata = mapAt(manifest, 'metadata');
  return {
    ...manifest,
    metadata: { ...metadata, annotations: { ...mapAt(metadata, 'annotations'), ...annotations } },
  };
}
