/** `metadata/` of a bundle as opm judges it. */
import { isMap } from '../fbc/go-fields.ts';
import { quoted } from '../fbc/go-text.ts';
import type { PackageFiles } from '../package/package.ts';
import type { YamlValue } from '../package/yaml/edit.ts';
import { dependencyProblems } from './dependencies.ts';
import { listAt, mapAt, textAt, type Fields, type Problem } from './manifest.ts';
import { filesBelow, readValue } from './read-manifests.ts';

const PREFIX = 'operators.operatorframework.io.bundle';
const MEDIATYPE = `${PREFIX}.mediatype.v1`;
const CHANNELS = `${PREFIX}.channels.v1`;
const DEFAULT_CHANNEL = `${PREFIX}.channel.default.v1`;
const REQUIRED = [
  MEDIATYPE,
  `${PREFIX}.manifests.v1`,
  `${PREFIX}.metadata.v1`,
  `${PREFIX}.package.v1`,
  CHANNELS,
];

export interface Judgement {
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/**
 * Judges annotations and dependencies. What only catalogs of OLM v0 want to know is a warning where the bundle says that
 * it is registry+v1: operator-controller reads the package alone.
 */
export function judgeMetadata(files: PackageFiles): Judgement {
  const problems: Problem[] = [];
  const values = [...filesBelow(files, 'metadata').keys()]
    .filter((path) => /\.(?:ya?ml|json)$/.test(path))
    .map((file) => ({ file, value: readValue(files, file, problems) }));
  const annotated = values.find(({ value }) => isMap(mapOf(value)['annotations']));
  const depending = values.find(({ value }) => listAt(mapOf(value), 'dependencies').length > 0);
  const dependencies = depending === undefined ? [] : listAt(mapOf(depending.value), 'dependencies');
  const wrong = dependencyProblems(dependencies).map((message) => problem(message, depending?.file));
  if (annotated === undefined) {
    const missing = { message: 'Could not find annotations file' };
    return { errors: [...problems, missing, ...wrong], warnings: [] };
  }
  const annotations = mapAt(mapOf(annotated.value), 'annotations');
  const found = annotationProblems(annotations).map((message) => problem(message, annotated.file));
  const isRegistry = textAt(annotations, MEDIATYPE) === 'registry+v1';
  return {
    errors: [...problems, ...(isRegistry ? [] : found), ...wrong],
    warnings: isRegistry ? found : [],
  };
}

function annotationProblems(annotations: Fields): readonly string[] {
  const mediatype = textAt(annotations, MEDIATYPE);
  return [
    ...REQUIRED.filter((name) => annotations[name] === undefined).map(
      (name) => `Missing annotation ${quoted(name)}`,
    ),
    ...(mediatype === 'registry+v1'
      ? []
      : [
          `Expecting annotation ${quoted(MEDIATYPE)} to have value ${quoted('registry+v1')} instead of ${quoted(mediatype)}`,
        ]),
    ...(textAt(annotations, CHANNELS) === '' ? [notEmpty(CHANNELS)] : []),
    ...(annotations[DEFAULT_CHANNEL] !== undefined && textAt(annotations, DEFAULT_CHANNEL) === ''
      ? [notEmpty(DEFAULT_CHANNEL)]
      : []),
  ];
}

function notEmpty(name: string): string {
  return `Expecting annotation ${quoted(name)} to have non-empty value`;
}

function mapOf(value: YamlValue | undefined): Fields {
  return isMap(value) ? value : {};
}

function problem(message: string, file: string | undefined): Problem {
  return file === undefined ? { message } : { message, file };
}
