/** Results of functions become annotations: each is on the line and column that the YAML library gives for its field. */
import { expect, test } from 'vitest';
import { isAlias, isMap, isScalar, isSeq, parseAllDocuments } from 'yaml';
import type { Document, Node } from 'yaml';

import { createRuntime } from '../../../src/function/runtime.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import { isMap as isObject } from '../../../src/package/plain-values.ts';
import { fileOf, isBookkeeping } from '../../../src/package/render/bookkeeping.ts';
import type { FunctionRuntime, ResultItem } from '../../../src/package/render/function-runtime.ts';
import type { KrmObject } from '../../../src/package/render/krm-object.ts';
import type { Finding, RenderResult } from '../../../src/package/render/render-types.ts';
import { renderPackage } from '../../../src/package/render/render.ts';
import { runCase, shape as functionShape } from '../../corpus/functions/function-case.ts';
import { readPackages } from '../../corpus/packages/package-case.ts';
import { readCases } from '../../corpus/read-cases.ts';
import { shape as renderShape } from '../../corpus/render/render-case.ts';
import { packageOf } from './support.ts';

test('a result of any golden case lands on the line and column of its field', async () => {
  const results: [string, RenderResult][] = [];
  for (const one of readCases('functions', functionShape)) results.push([one.name, await runCase(one)]);
  for (const one of readPackages())
    results.push([
      one.name,
      await renderPackage({ files: packageOf(one.package), runtime: createRuntime() }),
    ]);
  // Results that programs gave to kpt, given again.
  for (const one of readCases('render', renderShape)) {
    const lists = (one.expected.runs ?? []).map((run) => (run.results ?? []) as ResultItem[]);
    const runtime = repeating(lists);
    results.push([one.name, await renderPackage({ files: packageOf(one.package), runtime })]);
  }
  const { located, wrong } = check(results);
  expect(wrong).toEqual([]);
  expect(located).toBeGreaterThan(50);
});

test('a result about any field of a whole package lands on the line and column of that field', async () => {
  const results: [string, RenderResult][] = [];
  for (const one of readPackages()) {
    const files = packageOf(one.package);
    const guardrails = [
      { name: 'fields', type: 'validator', mode: 'enforce', spec: { image: 'fields:v1' } } as const,
    ];
    results.push([one.name, await renderPackage({ files, runtime: reportingFields(), guardrails })]);
  }
  const { located, wrong } = check(results);
  expect(wrong).toEqual([]);
  expect(located).toBeGreaterThan(1_500);
});

function check(results: readonly (readonly [string, RenderResult])[]): { located: number; wrong: string[] } {
  let located = 0;
  const wrong: string[] = [];
  for (const [name, result] of results)
    for (const finding of result.findings) {
      const place = expectedPlace(finding, result.files);
      if (place === undefined) continue;
      located += 1;
      const got = `${finding.file}:${finding.line}:${finding.column}`;
      if (got !== place) wrong.push(`${name}: ${JSON.stringify(finding.item)} at ${got}, not ${place}`);
    }
  return { located, wrong };
}

/** A runtime whose functions change nothing and report what was recorded. */
function repeating(lists: readonly (readonly ResultItem[])[]): FunctionRuntime {
  let at = 0;
  return {
    run: async (_spec, { items }) => {
      const results = lists[at] ?? [];
      at += 1;
      return { exitCode: 0, items, results };
    },
  };
}

/** A runtime whose functions change nothing and report every field of every resource. */
function reportingFields(): FunctionRuntime {
  return {
    run: async ({ image }, { items }) => ({
      exitCode: 0,
      items,
      results: image === 'fields:v1' ? items.flatMap(resultsOf) : [],
    }),
  };
}

function resultsOf(item: KrmObject): ResultItem[] {
  return fieldsOf(item).map((path) => ({
    message: path,
    severity: 'warning',
    field: { path },
    ...fileOf(item),
  }));
}

function fieldsOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value))
    return value.flatMap((one, index) => [`${at}[${index}]`, ...fieldsOf(one, `${at}[${index}]`)]);
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((key) => {
    if (isBookkeeping(key)) return [];
    const path = at === '' ? key : `${at}.${key}`;
    return [path, ...fieldsOf(value[key], path)];
  });
}

/** Returns where the field of a result is, by the library alone; undefined where a result names no field of a file. */
function expectedPlace({ file, item }: Finding, files: PackageFiles): string | undefined {
  const path = item.place?.field ?? item.field?.path;
  const bytes = file === undefined ? undefined : files.get(file)?.bytes;
  const named = item.place ?? item.file;
  if (path === undefined || file === undefined || bytes === undefined) return undefined;
  // A result that names a file is about no other.
  if (named?.path !== undefined && file !== named.path && !file.endsWith(`/${named.path}`))
    return `${named.path}:?`;
  const text = new TextDecoder().decode(bytes);
  const documents = documentsOf(text);
  const matching = documents.filter((document) => isThat(document, item.resourceRef));
  const at = documents.at(named?.index ?? 0);
  const document = at !== undefined && matching.includes(at) ? at : matching[0];
  if (document === undefined) return undefined;
  const offset = offsetOf(document, document.contents!, path, text) ?? document.contents!.range![0];
  const before = text.slice(0, offset).split('\n');
  return `${file}:${before.length}:${before.at(-1)!.length + 1}`;
}

const parsed = new Map<string, Document[]>();

/** Returns the documents with content. */
function documentsOf(text: string): Document[] {
  let documents = parsed.get(text);
  if (documents === undefined) {
    documents = (parseAllDocuments(text, { keepSourceTokens: true }) as Document[]).filter(
      ({ contents }) => contents !== null && !(isScalar(contents) && contents.value === null),
    );
    parsed.set(text, documents);
  }
  return documents;
}

function isThat(document: Document, ref: ResultItem['resourceRef']): boolean {
  if (ref === undefined) return true;
  const value = document.toJS() as { kind?: string; metadata?: { name?: string; namespace?: string } };
  return (
    (!ref.kind || value.kind === ref.kind) &&
    (!ref.name || value.metadata?.name === ref.name) &&
    (!ref.namespace || !value.metadata?.namespace || value.metadata.namespace === ref.namespace)
  );
}

/** Returns the offset of the key or dash of the field, or of the nearest one above that is there. */
function offsetOf(document: Document, from: Node, path: string, text: string): number | undefined {
  if (path === '') return undefined;
  const node = isAlias(from) ? from.resolve(document) : from;
  const index = /^\[?(\d+)\]?\.?/.exec(path);
  if (isSeq(node) && index !== null) {
    const item = node.items[Number(index[1])] as Node | undefined;
    if (item === undefined) return undefined;
    const dash = text.lastIndexOf('-', item.range![0] - 1);
    return (
      offsetOf(document, item, path.slice(index[0].length), text) ??
      (node.flow === true ? item.range![0] : dash)
    );
  }
  if (!isMap(node)) return undefined;
  const keys = node.items.map(({ key }) => (isScalar(key) ? String(key.value) : ''));
  const key = keys
    .filter((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`))
    .sort((a, b) => b.length - a.length)[0];
  const pair = node.items.find((one) => isScalar(one.key) && String(one.key.value) === key);
  if (key === undefined || pair === undefined) return undefined;
  const below = pair.value as Node | null;
  const rest = path.slice(key.length).replace(/^\./, '');
  const own = (pair.key as Node).range![0];
  // An explicit key begins with its question mark.
  const start = text.slice(own - 2, own) === '? ' ? own - 2 : own;
  return (below === null ? undefined : offsetOf(document, below, rest, text)) ?? start;
}
