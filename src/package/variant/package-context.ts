import { PorticoError } from '../../error.ts';
import type { PackageFile } from '../package.ts';
import { editYaml, readYaml, type YamlEdit, type YamlValue } from '../yaml/edit.ts';
import { asMap } from './injection-points.ts';
import type { PackageContext } from './variant-types.ts';

export const CONTEXT_FILE = 'package-context.yaml';
const CONTEXT_NAME = 'kptfile.kpt.dev';

export type Edited<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string };

/** The package context with these entries set and, after that, these removed. Keys come in the order of the alphabet. */
export function withContext(file: PackageFile | undefined, context: PackageContext): Edited<PackageFile> {
  if (file === undefined) return failed('not found in the package');
  const text = new TextDecoder().decode(file.bytes);
  let documents: readonly YamlValue[];
  try {
    documents = readYaml(text);
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    return { ok: false, message: `failed to parse "${CONTEXT_FILE}": ${error.message}` };
  }
  const configMaps = [...documents.entries()].filter(([, value]) => asMap(value)?.['kind'] === 'ConfigMap');
  if (configMaps.length === 0) return failed('does not contain kind "ConfigMap"');
  const found = configMaps.find(([, value]) => asMap(asMap(value)?.['metadata'])?.['name'] === CONTEXT_NAME);
  if (found === undefined) return failed(`does not contain resource named "${CONTEXT_NAME}"`);
  const [document, value] = found;
  const data = asMap(asMap(value)?.['data']);
  if (data === undefined) return failed('PackageContext no data field found');
  if (Object.values(data).some((one) => typeof one !== 'string')) {
    return failed('PackageContext invalid data field: all values must be texts');
  }
  const present = new Map(Object.entries(data));
  const removed = new Set(context.removeKeys ?? []);
  const edits: YamlEdit[] = [
    ...Object.entries(context.data ?? {})
      .filter(([key, wanted]) => !removed.has(key) && present.get(key) !== wanted)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, wanted]): YamlEdit => ({ op: 'set', document, path: ['data', key], value: wanted })),
    ...[...removed]
      .filter((key) => present.has(key))
      .map((key): YamlEdit => ({ op: 'delete', document, path: ['data', key] })),
  ];
  if (edits.length === 0) return { ok: true, value: file };
  return { ok: true, value: { mode: file.mode, bytes: new TextEncoder().encode(editYaml(text, edits)) } };
}

function failed(what: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message: `"${CONTEXT_FILE}" ${what}` };
}
