/** The documents of one file that stands beside `.github/portico.yaml` or in an inventory. */
import { PorticoError } from '../../error.ts';
import { address, fieldsOf, text as textField, type Tell } from '../kptfile-fields.ts';
import { MAX_DOCUMENTS, MAX_PROBLEMS } from '../limits.ts';
import { fullDocuments, locateIn, type YamlValue } from '../yaml/edit.ts';
import { InvalidYaml } from '../yaml/invalid-yaml.ts';
import { formatPath, parsePath, type YamlPath } from '../yaml/path.ts';
import { readYamlFile, type YamlFile } from '../yaml/read.ts';
import { metadata, NO_METADATA } from './document-fields.ts';
import { documentValue } from './document-value.ts';
import { oldVariantSetOf } from './old-set-fields.ts';
import { variantSetOf } from './set-fields.ts';
import { checkVariantSet } from './validate-variant-set.ts';
import { checkVariant } from './validate-variant.ts';
import { variantOf } from './variant-fields.ts';
import {
  VARIANT_GROUP,
  type InventoryObject,
  type RepositoryDocument,
  type ValidVariant,
  type ValidVariantSet,
} from './variant-types.ts';

/** A mistake in a document, with its place in the file. */
export interface DocumentProblem {
  /** Readable field path; '' is the document. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export type ReadDocument =
  | { readonly kind: 'variant'; readonly line: number; readonly variant: ValidVariant }
  | { readonly kind: 'set'; readonly line: number; readonly set: ValidVariantSet }
  | { readonly kind: 'repository'; readonly line: number; readonly repository: RepositoryDocument }
  | { readonly kind: 'object'; readonly line: number; readonly object: InventoryObject }
  /** A variant or a set that is refused, by its name: what it made before stays. */
  | {
      readonly kind: 'refused';
      readonly line: number;
      readonly document: 'PackageVariant' | 'PackageVariantSet';
      readonly name: string;
      readonly namespace: string | undefined;
      readonly problems: readonly DocumentProblem[];
    };

export interface ReadDocuments {
  readonly documents: readonly ReadDocument[];
  /** What is wrong with the file as a whole, or with documents that nobody can name. */
  readonly problems: readonly DocumentProblem[];
}

/**
 * Reads every document of a YAML or JSON file. Never throws: what cannot be used is a problem with its line, and the
 * rest is read.
 */
export function readVariantDocuments(text: string): ReadDocuments {
  let file: YamlFile;
  let values: { readonly value: YamlValue; readonly line: number }[];
  try {
    file = readYamlFile(text);
    const lineAt = lineCounter(text);
    values = fullDocuments(file).map(({ root }) =>
      root === null
        ? { value: null, line: 1 }
        : { value: documentValue(root), line: lineAt(root.at?.body ?? 0) },
    );
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    const { line, what } = error instanceof InvalidYaml ? error : { line: 1, what: error.message };
    return { documents: [], problems: [{ path: '', line, column: 1, message: what }] };
  }
  if (values.length > MAX_DOCUMENTS) {
    const message = `The file has ${values.length} documents; the limit is ${MAX_DOCUMENTS}`;
    return { documents: [], problems: [{ path: '', line: 1, column: 1, message }] };
  }
  const problems: DocumentProblem[] = [];
  const documents = values.flatMap(({ value, line }, at): ReadDocument[] => {
    const read = readOne(value, line, (path, message) => placed(file, at, path, message));
    if (read.kind !== 'none') return [read];
    problems.push(...read.problems);
    return [];
  });
  return { documents, problems };
}

/** 1-based lines of offsets that only grow. */
function lineCounter(text: string): (offset: number) => number {
  let [line, at] = [1, 0];
  return (offset) => {
    for (; at < offset; at += 1) if (text[at] === '\n') line += 1;
    return line;
  };
}

type Place = (path: YamlPath, message: string) => DocumentProblem;

function placed(file: YamlFile, document: number, path: YamlPath, message: string): DocumentProblem {
  const { line = 1, column = 1 } = locateIn(file, document, path, { nearest: true }) ?? {};
  return { path: formatPath(path), line, column, message };
}

type Nothing = { readonly kind: 'none'; readonly problems: readonly DocumentProblem[] };

function readOne(value: YamlValue, line: number, place: Place): ReadDocument | Nothing {
  const found: DocumentProblem[] = [];
  const tell: Tell = ({ path, message }) => {
    if (found.length < MAX_PROBLEMS)
      found.push(place(parsePath(path), path === '' ? message : `${path}: ${message}`));
    else if (found.length === MAX_PROBLEMS) found.push(place([], 'More errors are not shown'));
  };
  const fields = fieldsOf(value, [], tell);
  const apiVersion = fields?.or('apiVersion', textField, '') ?? '';
  const kind = fields?.or('kind', textField, '') ?? '';
  if (apiVersion === '' || kind === '') {
    return { kind: 'none', problems: [place([], 'The document must have apiVersion and kind')] };
  }
  const [group, version] = apiVersion.split('/');
  if (group !== VARIANT_GROUP) return objectOf({ value, apiVersion, kind, line, found, tell });
  if (kind === 'Repository') {
    const repository = repositoryOf(value, tell);
    return found.length > 0 ? { kind: 'none', problems: found } : { kind: 'repository', line, repository };
  }
  if (kind !== 'PackageVariant' && kind !== 'PackageVariantSet') {
    return objectOf({ value, apiVersion, kind, line, found, tell });
  }
  const served = kind === 'PackageVariant' ? ['v1alpha1'] : ['v1alpha1', 'v1alpha2'];
  if (!served.includes(version ?? '')) {
    const message = `${kind} has no version ${version ?? ''}: use ${VARIANT_GROUP}/${served.at(-1) ?? ''}`;
    return { kind: 'none', problems: [place(['apiVersion'], message)] };
  }
  if (kind === 'PackageVariant') {
    const variant = variantOf(value, tell);
    const checked = checkVariant(variant);
    const wrong = [...nameProblems(variant.metadata.name, place), ...found, ...problemsOf(checked, place)];
    if (wrong.length === 0 && checked.ok) return { kind: 'variant', line, variant: checked.variant };
    return refused(kind, variant.metadata, line, wrong);
  }
  const set = version === 'v1alpha1' ? oldVariantSetOf(value, tell) : variantSetOf(value, tell);
  const checked = checkVariantSet(set);
  const wrong = [...nameProblems(set.metadata.name, place), ...found, ...problemsOf(checked, place)];
  if (wrong.length === 0 && checked.ok) return { kind: 'set', line, set: checked.set };
  return refused(kind, set.metadata, line, wrong);
}

function problemsOf(
  checked: ReturnType<typeof checkVariant> | ReturnType<typeof checkVariantSet>,
  place: Place,
): DocumentProblem[] {
  if (checked.ok) return [];
  return checked.problems.slice(0, MAX_PROBLEMS).map(({ path, message }) => place(path, message));
}

/** Kubernetes' rule for names of such objects: a lower-case RFC 1123 subdomain. */
const OBJECT_NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

function nameProblems(name: string, place: Place): DocumentProblem[] {
  if (name === '') return [place(['metadata', 'name'], 'metadata.name is missing')];
  return name.length <= 253 && OBJECT_NAME.test(name)
    ? []
    : [
        place(
          ['metadata', 'name'],
          'metadata.name must be lower-case letters, digits, dashes and dots, 253 at most',
        ),
      ];
}

function refused(
  document: 'PackageVariant' | 'PackageVariantSet',
  { name, namespace }: { readonly name: string; readonly namespace?: string },
  line: number,
  problems: readonly DocumentProblem[],
): ReadDocument {
  return { kind: 'refused', line, document, name, namespace, problems };
}

function repositoryOf(value: YamlValue, tell: Tell): RepositoryDocument {
  const fields = fieldsOf(value, [], tell);
  const spec = fields?.or('spec', (raw, path) => fieldsOf(raw, path, tell), undefined);
  const git = spec?.or('git', (raw, path) => fieldsOf(raw, path, tell), undefined);
  return {
    kind: 'Repository',
    metadata: fields?.or('metadata', metadata, NO_METADATA) ?? NO_METADATA,
    repo: git?.or('repo', address, '') ?? '',
    ...git?.optional('branch', textField),
    ...git?.optional('directory', textField),
  };
}

function objectOf({
  value,
  apiVersion,
  kind,
  line,
  found,
  tell,
}: {
  readonly value: YamlValue;
  readonly apiVersion: string;
  readonly kind: string;
  readonly line: number;
  readonly found: readonly DocumentProblem[];
  readonly tell: Tell;
}): ReadDocument | Nothing {
  const meta = fieldsOf(value, [], tell)?.or('metadata', metadata, NO_METADATA) ?? NO_METADATA;
  if (found.length > 0) return { kind: 'none', problems: found };
  const object = { apiVersion, kind, metadata: meta, value: value as InventoryObject['value'] };
  return { kind: 'object', line, object };
}
