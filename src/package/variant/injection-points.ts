/** Where a package asks for values of an inventory: resources with the annotation `kpt.dev/config-injection`. */
import { PorticoError } from '../../error.ts';
import type { PackageFiles } from '../package.ts';
import { readYaml, type YamlValue } from '../yaml/edit.ts';

const INJECTION_ANNOTATION = 'kpt.dev/config-injection';
export const INJECTED_ANNOTATION = 'kpt.dev/injected-resource';

export interface InjectionPoint {
  readonly file: string;
  /** Among the documents of the file that hold something. */
  readonly document: number;
  readonly apiVersion: string;
  readonly kind: string;
  readonly required: boolean;
  readonly conditionType: string;
  readonly value: Readonly<Record<string, YamlValue>>;
}

/**
 * All points of a package, by path of their file. What cannot be read, has no name, or could not be told apart is a
 * mistake: then no point counts, and every mistake is named, in Porch's words where it has some.
 */
export function injectionPoints(
  files: PackageFiles,
):
  | { readonly ok: true; readonly points: readonly InjectionPoint[] }
  | { readonly ok: false; readonly message: string } {
  const points: InjectionPoint[] = [];
  const wrong: string[] = [];
  const unread: string[] = [];
  const byType = new Map<string, string>();
  for (const file of [...files.keys()].filter(holdsResources).toSorted()) {
    const bytes = files.get(file)?.bytes ?? new Uint8Array();
    const read = documentsOf(file, bytes);
    if (typeof read === 'string') {
      unread.push(read);
      continue;
    }
    for (const [document, value] of read.entries()) {
      const mark = asMap(asMap(value['metadata'])?.['annotations'])?.[INJECTION_ANNOTATION];
      if (mark === undefined) continue;
      const kind = text(value['kind']);
      const name = text(asMap(value['metadata'])?.['name']);
      if (mark !== 'required' && mark !== 'optional') {
        const shown = typeof mark === 'string' ? mark : mark === null ? '' : JSON.stringify(mark);
        wrong.push(
          `${file}: ${kind}/${name} has invalid "${INJECTION_ANNOTATION}" annotation value of "${shown}"`,
        );
      }
      if (kind === '' || name === '') {
        wrong.push(`${file}: ${kind}/${name} has "${INJECTION_ANNOTATION}" and lacks kind or metadata.name`);
        continue;
      }
      const conditionType = `config.injection.${kind}.${name}`;
      const twin = byType.get(conditionType);
      if (twin !== undefined) {
        wrong.push(`duplicate injection conditionType "${conditionType}" (${twin} and ${file})`);
      }
      byType.set(conditionType, file);
      const apiVersion = text(value['apiVersion']);
      points.push({ file, document, apiVersion, kind, required: mark === 'required', conditionType, value });
    }
  }
  if (wrong.length > 0) {
    return { ok: false, message: `errors in injection points: ${[...wrong, ...unread].join(', ')}` };
  }
  if (unread.length > 0) return { ok: false, message: unread.join(', ') };
  return { ok: true, points };
}

function holdsResources(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name === 'Kptfile' || /\.(?:ya?ml|json)$/.test(name);
}

/** The documents of a file, or what is wrong with it. */
function documentsOf(file: string, bytes: Uint8Array): Readonly<Record<string, YamlValue>>[] | string {
  let values: YamlValue[];
  try {
    values = readYaml(new TextDecoder().decode(bytes));
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    return `${file}: failed to extract objects: ${error.message}`;
  }
  const documents: Readonly<Record<string, YamlValue>>[] = [];
  for (const value of values) {
    const map = asMap(value);
    if (map === undefined) return `${file}: failed to extract objects: a document is not a map`;
    documents.push(map);
  }
  return documents;
}

function text(value: YamlValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function asMap(value: YamlValue | undefined): Readonly<Record<string, YamlValue>> | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, YamlValue>>;
}
