/** One configuration file, checked against the schema: its data, or problems with their places. */
import type { z } from 'zod';

import { closestWord } from '../package/closest-word.ts';
import { valueAt } from '../package/plain-values.ts';
import type { ConfigProblem } from './config-problem.ts';
import { repositoryDocument, repositoryJsonSchema, type RepositorySpec } from './repository-schema.ts';
import { readYaml, type YamlDocument } from './yaml-place.ts';

export interface ConfigSource {
  /** Shown in problems, such as `.github/portico.yaml`. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

export interface CheckedDocument {
  readonly spec: RepositorySpec | undefined;
  readonly problems: readonly ConfigProblem[];
  /** Where a field stands. */
  readonly placeOf: YamlDocument['placeOf'];
}

/** Reads and checks one file. Never throws. */
export function checkDocument({ file, bytes }: ConfigSource): CheckedDocument {
  const yaml = readYaml(file, bytes);
  const { placeOf } = yaml;
  if (yaml.problems.length > 0) return { spec: undefined, problems: yaml.problems, placeOf };
  const parsed = repositoryDocument.safeParse(yaml.data, { reportInput: true });
  if (parsed.success) return { spec: parsed.data.spec ?? {}, problems: [], placeOf };
  const problems = parsed.error.issues
    .flatMap((issue) => problemsOf({ file, issue, yaml }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
  return { spec: undefined, problems, placeOf };
}

/** `spec.guardrails.validators[0].image` */
function readablePath(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
}

/** What people are told of an issue that the schema found. */
export function problemsOf({
  file,
  issue,
  yaml,
  jsonSchema = repositoryJsonSchema,
  reference = 'docs/portico.schema.json',
}: {
  readonly file: string;
  readonly issue: z.core.$ZodIssue;
  readonly yaml: YamlDocument;
  readonly jsonSchema?: (() => unknown) | undefined;
  /** Where people read what is possible. */
  readonly reference?: string | undefined;
}): ConfigProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = fieldsAt(jsonSchema(), issue.path);
    return issue.keys.map((key) => unknownField(file, [...issue.path, key], known, yaml));
  }
  const name = readablePath(issue.path);
  const line = issue.code === 'custom' ? lineWithin(issue.params) : undefined;
  const shown = name === '' ? 'the document' : name;
  return [
    {
      code: codeOf(issue),
      file,
      path: name,
      ...(line === undefined ? yaml.placeOf(issue.path) : yaml.lineOf(issue.path, line)),
      message: `${shown} ${sentenceOf(issue)}`,
      hint: hintOf(issue, reference),
    },
  ];
}

/** Mistakes in expressions say in which line of the text they are. */
function lineWithin(params: unknown): number | undefined {
  const line = valueAt(params, 'line');
  return typeof line === 'number' ? line : undefined;
}

function unknownField(
  file: string,
  path: readonly PropertyKey[],
  known: readonly string[],
  yaml: YamlDocument,
): ConfigProblem {
  const key = String(path.at(-1));
  const near = closestWord(key, known);
  return {
    code: 'unknown-field',
    file,
    path: readablePath(path),
    ...yaml.placeOf(path, true),
    message: `${readablePath(path)} is not a field`,
    hint: near === undefined ? `Fields here: ${known.join(', ')}.` : `Did you mean ${near}?`,
  };
}

function codeOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'custom' && issue.input === undefined) return 'missing';
  if (issue.code === 'invalid_type') return 'wrong-type';
  return issue.code === 'too_big' || issue.code === 'too_small' ? 'out-of-range' : 'wrong-value';
}

function sentenceOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing';
      return `must be ${article(issue.expected)}, and is ${article(kindOf(issue.input))}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : `must be ${issue.values.map(String).join(' or ')}`;
    case 'too_big':
      return `must be at most ${String(issue.maximum)}${unit(issue.origin)}`;
    case 'too_small':
      return `must be at least ${String(issue.minimum)}${unit(issue.origin)}`;
    case 'invalid_union':
      return unionSentence(issue);
    default:
      return issue.message;
  }
}

/** The sentence of the alternative that at least has the right type. */
function unionSentence(issue: z.core.$ZodIssueInvalidUnion): string {
  const issues = issue.errors.flat();
  const best =
    issues.find((one) => one.code === 'custom') ?? issues.find((one) => one.code !== 'invalid_type');
  return sentenceOf(
    best ?? issues[0] ?? { ...issue, code: 'custom', message: 'has no valid form', path: [] },
  );
}

function hintOf(issue: z.core.$ZodIssue, reference: string): string {
  if (issue.code === 'invalid_type' && issue.expected === 'string' && issue.input !== undefined) {
    if (typeof issue.input !== 'object') return `Put it in quotes: "${JSON.stringify(issue.input)}".`;
  }
  return codeOf(issue) === 'missing'
    ? 'Add the field.'
    : `Fix the value; ${reference} lists the possible values.`;
}

function unit(origin: string): string {
  if (origin === 'string') return ' characters long';
  return origin === 'array' ? ' entries long' : '';
}

function kindOf(value: unknown): string {
  if (value === null) return 'empty';
  return Array.isArray(value) ? 'list' : typeof value;
}

function article(kind: string): string {
  const name = { array: 'list', record: 'map', object: 'map', int: 'whole number' }[kind] ?? kind;
  if (name === 'empty') return name;
  return name === 'undefined' ? 'absent' : `a ${name}`;
}

/** Names of the fields that may stand at a path, read from the JSON Schema. */
function fieldsAt(top: unknown, path: readonly PropertyKey[]): string[] {
  let schema = top;
  for (const step of path) {
    schema =
      typeof step === 'number'
        ? valueAt(schema, 'items')
        : (valueAt(schema, 'properties', String(step)) ?? valueAt(schema, 'additionalProperties'));
  }
  const names = valueAt(schema, 'propertyNames', 'enum');
  if (Array.isArray(names)) return names.map(String);
  const properties = valueAt(schema, 'properties');
  return properties !== null && typeof properties === 'object' ? Object.keys(properties) : [];
}
