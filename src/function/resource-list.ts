/** The KRM function specification's wire format: a ResourceList as YAML. */
import { isMap } from '../package/plain-values.ts';
import { annotationOf, ID } from '../package/render/bookkeeping.ts';
import { printResource } from '../package/render/edit-documents.ts';
import type { ResultItem, Severity } from '../package/render/function-runtime.ts';
import { keepNotes } from '../package/render/keep-notes.ts';
import type { KrmObject } from '../package/render/krm-object.ts';
import { readResources } from '../package/render/read-resources.ts';
import { shortenValue } from '../text/cut-text.ts';

/** The ResourceList that a function reads, comments included. */
export function printResourceList(input: {
  readonly items: readonly KrmObject[];
  readonly functionConfig?: KrmObject;
}): string {
  return printResource({
    apiVersion: 'config.kubernetes.io/v1',
    kind: 'ResourceList',
    items: [...input.items],
    ...(input.functionConfig === undefined ? {} : { functionConfig: input.functionConfig }),
  });
}

/** A function's answer is held against these before and after it is read, for it could be made to take long. */
const MAX_PARTS = 2_000_000;
const MAX_RESULTS = 10_000;
const MAX_MESSAGE_LENGTH = 8_192;

export interface ReadList {
  readonly items: readonly KrmObject[];
  readonly results: readonly ResultItem[];
}

/**
 * What a function printed: a ResourceList, or resources with `---` between them; a sentence where it is neither.
 * Comments and quotes of the resources that were given are kept where the function dropped them.
 */
export function readResourceList(text: string, given: readonly KrmObject[]): ReadList | string {
  if (text.trim() === '') return 'The function printed nothing: it has to print the ResourceList.';
  if (partsOf(text) > MAX_PARTS) return "The function's output has more than two million parts.";
  let documents: readonly KrmObject[];
  try {
    documents = readResources('stdout', text).documents.map(({ value }) => value);
  } catch (error) {
    return `The function's output cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  const [first] = documents;
  const list = documents.length === 1 && first?.['kind'] === 'ResourceList' ? first : undefined;
  const items = list === undefined ? documents : (list['items'] ?? []);
  if (!Array.isArray(items) || !items.every(isMap)) return "The function's output has no list of items.";
  const old = new Map(given.map((item) => [annotationOf(item, ID), item]));
  for (const item of items) {
    const before = old.get(annotationOf(item, ID) ?? '');
    if (before !== undefined) keepNotes(before, item);
  }
  return { items, results: readResults(list?.['results']) };
}

/** Results in the present form or in one of the older ones that kpt still takes. */
function readResults(results: unknown): ResultItem[] {
  const list = isMap(results) ? results['items'] : results;
  if (!Array.isArray(list)) return [];
  const first = list.slice(0, MAX_RESULTS).filter(isMap).map(readResult);
  if (list.length <= MAX_RESULTS) return first;
  const more = `The function gave ${list.length} results; only the first ${MAX_RESULTS} are kept.`;
  return [...first, { message: more, severity: 'warning', tags: { code: 'FUNCTION_RESULTS_LIMIT' } }];
}

/** Lines and flow brackets, which is about what reading costs. */
function partsOf(text: string): number {
  let parts = 0;
  for (const mark of ['\n', '[', '{', ',']) {
    for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) parts += 1;
  }
  return parts;
}

function readResult(entry: KrmObject): ResultItem {
  const { message, severity, resourceRef, field, file, tags } = entry;
  const ref = isMap(resourceRef)
    ? { ...(isMap(resourceRef['metadata']) ? resourceRef['metadata'] : {}), ...resourceRef }
    : undefined;
  return {
    message: typeof message === 'string' ? shortened(message) : '',
    ...(isSeverity(severity) ? { severity } : {}),
    ...(ref === undefined ? {} : { resourceRef: strings(ref, ['apiVersion', 'kind', 'name', 'namespace']) }),
    ...(isMap(field) ? { field: readField(field) } : {}),
    ...(isMap(file) && typeof file['path'] === 'string'
      ? { file: readFile(file['path'], file['index']) }
      : {}),
    ...(isMap(tags) ? { tags: strings(tags, Object.keys(tags)) } : {}),
  };
}

function shortened(message: string): string {
  return shortenValue(message, MAX_MESSAGE_LENGTH);
}

function readField(field: KrmObject): NonNullable<ResultItem['field']> {
  const proposed = field['proposedValue'] ?? field['suggestedValue'];
  return {
    path: typeof field['path'] === 'string' ? field['path'] : '',
    ...(field['currentValue'] === undefined ? {} : { currentValue: field['currentValue'] }),
    ...(proposed === undefined ? {} : { proposedValue: proposed }),
  };
}

function readFile(path: string, index: unknown): NonNullable<ResultItem['file']> {
  return typeof index === 'number' && index !== 0 ? { path, index } : { path };
}

function isSeverity(value: unknown): value is Severity {
  return value === 'error' || value === 'warning' || value === 'info';
}

function strings(map: KrmObject, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = map[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}
