/** search-replace v0.2 (krm-functions-catalog functions/go/search-replace/searchreplace). */
import { readGlob } from '../../package/glob.ts';
import type { Glob } from '../../package/glob.ts';
import { isMap } from '../../package/plain-values.ts';
import { pathOf, ensureMap } from '../../package/render/bookkeeping.ts';
import {
  getField,
  isContainer,
  noteOf,
  setField,
  setNote,
  setText,
  textOf,
} from '../../package/render/field-notes.ts';
import type { ResultItem } from '../../package/render/function-runtime.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import type { WorkBudget } from '../../package/render/work-budget.ts';
import { shortenValue } from '../../text/cut-text.ts';
import { linearRegExp } from '../linear-regexp.ts';
import type { LinearRegExp } from '../linear-regexp.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { each } from './each.ts';
import type { Each } from './each.ts';
import { configMapData, pathOnly, frameworkFailure } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';
import { walkFields } from './walk-fields.ts';
import type { Field } from './walk-fields.ts';

export const searchReplace: BuiltinFunction = {
  name: 'search-replace',
  versions: [{ major: 0, minor: 2, patch: 9, run, each: searchReplaceEach }],
  type: 'mutator',
  summary: 'finds fields by value, expression, path and file; sets value or comment',
  config: ['ConfigMap'],
  fields: 'what its configuration finds',
  idempotent: 'where the new value is not found again',
};

const MATCHERS = ['by-value', 'by-value-regex', 'by-path', 'by-file-path', 'put-value', 'put-comment'];

interface Search {
  readonly value: string | undefined;
  readonly regex: LinearRegExp | undefined;
  readonly path: readonly string[] | undefined;
  /** The path as it was written. */
  readonly place: string | undefined;
  readonly file: Glob | undefined;
  readonly putValue: string | undefined;
  readonly putComment: string | undefined;
  readonly budget: WorkBudget;
}

/** Finds fields by value, path and file, and sets their value or comment. Results: one for each field. */
function run(input: BuiltinInput): BuiltinOutput {
  const search = readConfig(configMapData(input.functionConfig) ?? {}, input.budget);
  if (typeof search === 'string') return frameworkFailure(fault(search));
  const results: ResultItem[] = [];
  for (const item of input.items) {
    if (!isInFile(item, search)) continue;
    const problem = searchItem(item, search, results);
    if (problem !== undefined) return frameworkFailure(fault(problem));
  }
  return { items: input.items, results: results.length === 0 ? [{ message: 'no matches' }] : results };
}

/** The same, one resource at a time. */
function searchReplaceEach(input: Omit<BuiltinInput, 'items'>): Each | undefined {
  const search = readConfig(configMapData(input.functionConfig) ?? {}, input.budget);
  if (typeof search === 'string') return undefined;
  return each({
    apply: (item) => {
      const results: ResultItem[] = [];
      if (!isInFile(item, search)) return results;
      return searchItem(item, search, results) === undefined ? results : undefined;
    },
    finish: (all) => (all.some(({ length }) => length > 0) ? all.flat() : [{ message: 'no matches' }]),
  });
}

function fault(reason: string): string {
  return `failed to perform search-replace operation: ${JSON.stringify(reason)}`;
}

function isInFile(item: KrmObject, { file, budget }: Search): boolean {
  if (file === undefined) return true;
  const path = pathOf(item) ?? '';
  budget.spend('matching', file.size * path.length, 'search-replace by-file-path');
  return file.matches(path);
}

function readConfig(data: Readonly<Record<string, string>>, budget: WorkBudget): Search | string {
  const unknown = Object.keys(data)
    .sort()
    .find((key) => !MATCHERS.includes(key));
  if (unknown !== undefined)
    return `invalid matcher "${unknown}", must be one of ${JSON.stringify(MATCHERS).replaceAll(',', ' ')}`;
  const part = (key: string): string | undefined => (data[key] === '' ? undefined : data[key]);
  const pattern = part('by-value-regex');
  const [path, glob] = [part('by-path'), part('by-file-path')];
  const file = glob === undefined ? undefined : readGlob(glob, { braces: true });
  if (glob !== undefined && file === undefined) return `invalid by-file-path: ${shown(glob)} is not a glob`;
  if (part('by-value') !== undefined && pattern !== undefined) {
    return 'only one of ["by-value", "by-value-regex"] can be provided';
  }
  try {
    return {
      value: part('by-value'),
      regex: pattern === undefined ? undefined : linearRegExp(pattern),
      path: path === undefined ? undefined : elementsOf(path),
      place: path,
      file,
      putValue: part('put-value'),
      putComment: part('put-comment'),
      budget,
    };
  } catch (error) {
    return `failed to compile regex: ${error instanceof Error ? error.message : ''}`;
  }
}

function searchItem(item: KrmObject, search: Search, results: ResultItem[]): string | undefined {
  const { place, putValue } = search;
  const byValue = search.value !== undefined || search.regex !== undefined;
  // A path that names one field is a place to put the value, there or not.
  if (place !== undefined && putValue !== undefined && !byValue && !/[*[]/.test(place)) {
    createField(item, place, search, results);
    return undefined;
  }
  let problem: string | undefined;
  walkFields(item, {
    list: (field) => {
      if (
        !byValue &&
        search.path !== undefined &&
        search.putComment !== undefined &&
        pathMatches(search.path, field.path, search.budget)
      ) {
        commentList(item, field, search.putComment, results);
      }
    },
    scalar: (field) => {
      problem ??= searchScalar(item, field, search, results);
    },
  });
  return problem;
}

function searchScalar(
  item: KrmObject,
  field: Field,
  search: Search,
  results: ResultItem[],
): string | undefined {
  const { container, key } = field;
  const text = field.value === null ? '' : (textOf(container, key) ?? '');
  if (search.path === undefined && search.value === undefined && search.regex === undefined) return undefined;
  if (search.path !== undefined && !pathMatches(search.path, field.path, search.budget)) return undefined;
  let groups: readonly string[] = [];
  if (search.value !== undefined && (text === '' || text !== search.value)) return undefined;
  if (search.regex !== undefined) {
    const match =
      text === ''
        ? null
        : search.regex.exec(text, (steps) =>
            search.budget.spend('matching', steps, 'search-replace by-value-regex'),
          );
    if (match === null) return undefined;
    groups = match.map((group) => group ?? '');
  }
  const value = search.putValue === undefined ? undefined : fill(search.putValue, groups, search.budget);
  const comment =
    search.putComment === undefined ? undefined : fill(search.putComment, groups, search.budget);
  if (value === null || comment === null) return 'unable to resolve capture groups';
  put({ item, field, value, comment, results });
  return undefined;
}

function shown(text: string): string {
  return JSON.stringify(shortenValue(text, 200));
}

/** Puts the groups of the match in; null where one is missing. Other `${names}` are for setters and stay. */
function fill(pattern: string, groups: readonly string[], budget: WorkBudget): string | null {
  let missing = false;
  budget.spend('copied', pattern.length, 'search-replace');
  const filled = pattern.replaceAll(/\$\{(\d+)\}/g, (_all, digits: string) => {
    const group = groups[Number(digits)];
    if (group === undefined) missing = true;
    else budget.spend('copied', group.length, 'search-replace');
    return group ?? '';
  });
  return missing ? null : filled;
}

function put({
  item,
  field: { container, key, path },
  value,
  comment,
  results,
}: {
  readonly item: KrmObject;
  readonly field: Pick<Field, 'container' | 'key' | 'path'>;
  readonly value: string | undefined;
  readonly comment: string | undefined;
  readonly results: ResultItem[];
}): void {
  if (value !== undefined && value !== textOf(container, key)) setText(container, key, value);
  if (comment !== undefined) setNote(container, key, { comment });
  const now = textOf(container, key) ?? '';
  const text = comment === undefined ? now : `${now} # ${comment}`;
  const verb =
    value === undefined && comment === undefined ? 'Matched field value' : 'Mutated field value to';
  results.push({ message: `${verb} "${text}"`, field: { path }, ...pathOnly(item) });
}

/** A list's comment stands behind its key, and the list is in block style. */
function commentList(
  item: KrmObject,
  field: Field & { readonly value: unknown[] },
  comment: string,
  results: ResultItem[],
): void {
  const { container, key, value } = field;
  if (value.some(isContainer)) return;
  setNote(container, key, { style: undefined, keyComment: comment, comment: undefined });
  const text = `[${value.map((_, at) => textOf(value, at) ?? '').join(', ')}]`;
  results.push({
    message: `Mutated field value to "${text}"`,
    field: { path: `${field.path} # ${comment}` },
    ...pathOnly(item),
  });
}

function createField(item: KrmObject, path: string, search: Search, results: ResultItem[]): void {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let here: KrmObject = item;
  for (const key of keys) {
    const value = getField(here, key);
    if (value !== undefined && value !== null && !isMap(value)) return;
    here = ensureMap(here, key);
  }
  if (isContainer(here[last])) return;
  if (here[last] === undefined) setField(here, last, '');
  const style = noteOf(here, last).style;
  if (style === undefined) setField(here, last, null);
  put({
    item,
    field: { container: here, key: last, path },
    value: search.putValue,
    comment: search.putComment,
    results,
  });
}

/** `*` is one element, `**` any number of them, `a[*]` any item; otherwise elements are equal. */
function pathMatches(pattern: readonly string[], path: string, budget: WorkBudget): boolean {
  const elements = elementsOf(path);
  budget.spend('matching', pattern.length * (elements.length + 1), 'search-replace by-path');
  return matchElements(pattern, elements);
}

function elementsOf(path: string): string[] {
  return path
    .split('.')
    .flatMap((part) => part.split(/(?=\[)/))
    .filter((part) => part !== '');
}

function matchElements(pattern: readonly string[], path: readonly string[]): boolean {
  // reach[i]: the pattern so far matches the first i elements.
  let reach = path.map(() => false);
  reach = [true, ...reach];
  for (const part of pattern) {
    const next = reach.map(() => false);
    let open = false;
    for (const [at, matched] of reach.entries()) {
      open ||= matched;
      if (part === '**') next[at] = open;
      else if (at > 0 && reach[at - 1] === true) next[at] = elementMatches(part, path[at - 1] ?? '');
    }
    reach = next;
  }
  return reach.at(-1) === true;
}

function elementMatches(pattern: string, element: string): boolean {
  if (pattern === element) return true;
  if (pattern === '*') return !element.startsWith('[');
  return pattern === '[*]' && element.startsWith('[');
}
