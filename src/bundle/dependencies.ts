/** What a bundle needs beside itself: dependencies.yaml as opm judges it, and the properties of its CSV. */
import { PorticoError } from '../error.ts';
import { FieldReader, isMap, TypeMistake } from '../fbc/go-fields.ts';
import { parseRange } from '../fbc/range.ts';
import { readYaml, type YamlValue } from '../package/yaml/edit.ts';
import type { Csv } from './csv.ts';
import { textAt, type Fields } from './manifest.ts';

/** What is wrong with the entries of a dependencies.yaml. */
export function dependencyProblems(dependencies: readonly YamlValue[]): readonly string[] {
  return dependencies.flatMap((dependency) => {
    const fields = isMap(dependency) ? dependency : {};
    const type = textAt(fields, 'type');
    const judge = Object.hasOwn(JUDGES, type) ? JUDGES[type] : undefined;
    const { value } = fields;
    // Null reads as a value without fields; no value at all does not read.
    if (judge !== undefined && value !== undefined && (value === null || isMap(value))) {
      try {
        return judge(new FieldReader(value ?? {}, 'Dependency'));
      } catch (error) {
        if (!(error instanceof TypeMistake)) throw error;
      }
    }
    return [`couldn't parse dependency of type ${type}`];
  });
}

const JUDGES: Readonly<Record<string, (value: FieldReader) => readonly string[]>> = {
  'olm.gvk': (value) => [
    ...(value.text('group') === '' ? ['API Group is empty'] : []),
    ...(value.text('version') === '' ? ['API Version is empty'] : []),
    ...(value.text('kind') === '' ? ['API Kind is empty'] : []),
  ],
  'olm.package': (value) => [
    ...(value.text('packageName') === '' ? ['Package name is empty'] : []),
    ...versionProblems(value.text('version')),
  ],
  'olm.label': (value) => (value.text('label') === '' ? ['Label information is missing'] : []),
  'olm.constraint': (value) =>
    value.text('failureMessage') === '' ? ['Constraint failure message is empty'] : [],
};

function versionProblems(version: string): readonly string[] {
  if (version === '') return ['Package version is empty'];
  return parseRange(version).value === undefined ? ['Invalid semver format version'] : [];
}

const REQUIREMENTS = new Set(['olm.gvk.required', 'olm.package.required', 'olm.constraint']);

/** What the operator wants to find in its cluster, which no conversion brings. */
export function dependencyNotes(csv: Csv): readonly string[] {
  return properties(csv)
    .filter((property) => REQUIREMENTS.has(textAt(property, 'type')))
    .map((property) => {
      const { value } = property;
      const what = isMap(value)
        ? Object.entries(value)
            .flatMap(([name, part]) => (typeof part === 'string' ? [`${name} ${part}`] : []))
            .join(', ')
        : '';
      return `requires ${textAt(property, 'type')}${what === '' ? '' : `: ${what}`}; it is not part of the conversion`;
    });
}

function properties(csv: Csv): readonly Fields[] {
  try {
    const [list] = readYaml(csv.annotations['olm.properties'] ?? '[]');
    return Array.isArray(list) ? (list as readonly YamlValue[]).filter(isMap) : [];
  } catch (error) {
    if (error instanceof PorticoError) return [];
    throw error;
  }
}
