import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { isMap, isScalar, isSeq, parse, parseAllDocuments } from 'yaml';
import type { Document, Node } from 'yaml';

import { createRuntime } from '../../../src/function/runtime.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import type { FunctionRuntime, ResultItem } from '../../../src/package/render/function-runtime.ts';
import type { Finding, RenderResult } from '../../../src/package/render/render-types.ts';
import { renderPackage } from '../../../src/package/render/render.ts';
import { CORPUS, executeCase, hasCorpus, readCases, readDirectory } from '../../function/corpus-case.ts';

if (!hasCorpus) console.warn('SKIPPED: ../shared/corpus is not there, so no line of a result was checked');

test.skipIf(!hasCorpus)(
  'every result of the golden cases lands on the line and column of its field',
  async () => {
    let checked = 0;
    const wrong: string[] = [];
    const look = (id: string, result: RenderResult): void => {
      for (const finding of result.findings) {
        const found = expectedPlace(finding, result.files);
        if (found === undefined) continue;
        checked += 1;
        const got = `${finding.file}:${finding.line}:${finding.column}`;
        if (got !== found) wrong.push(`${id}: ${JSON.stringify(finding.item)} at ${got}, not ${found}`);
      }
    };
    for (const one of readCases()) if (one.run.mode !== 'resourcelist') look(one.id, await executeCase(one));
    // What real packages hold, with the results that kubeconform has for them.
    const runtime = createRuntime();
    const packages = parse(readFileSync(join(CORPUS, 'packages/INDEX.yaml'), 'utf8')) as {
      packages: { path: string }[];
    };
    for (const { path } of packages.packages)
      look(path, await renderPackage({ files: readDirectory(join(CORPUS, 'packages', path)), runtime }));
    // Results that programs gave to the real kpt, given again.
    for (const name of readdirSync(join(CORPUS, 'render'))) {
      const lists = recordedResults(join(CORPUS, 'render', name));
      if (lists.length === 0) continue;
      const files = readDirectory(join(CORPUS, 'render', name, 'input'));
      look(name, await renderPackage({ files, runtime: repeating(lists) }));
    }
    console.log(`${checked} results with a field were located`);
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(150);
  },
);

function recordedResults(dir: string): ResultItem[][] {
  try {
    const list = parse(readFileSync(join(dir, 'expected-results.yaml'), 'utf8')) as {
      items?: { results?: ResultItem[] }[];
    };
    return (list.items ?? []).map(({ results }) => results ?? []);
  } catch {
    return [];
  }
}

/** A runtime whose functions change nothing and tell what was recorded. */
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

/** Where the field of a result is, told by the library alone; undefined where a result names no field of a file. */
function expectedPlace({ file, item }: Finding, files: PackageFiles): string | undefined {
  const path = item.place?.field ?? item.field?.path;
  const bytes = file === undefined ? undefined : files.get(file)?.bytes;
  const said = item.place ?? item.file;
  if (path === undefined || file === undefined || bytes === undefined) return undefined;
  // A result that names a file is about no other.
  if (said?.path !== undefined && file !== said.path && !file.endsWith(`/${said.path}`))
    return `${said.path}:?`;
  const text = new TextDecoder().decode(bytes);
  const documents = parseAllDocuments(text, { keepSourceTokens: true }) as Document[];
  const named = documents.filter(
    (document) => document.contents !== null && isThat(document, item.resourceRef),
  );
  const at = documents.filter(({ contents }) => contents !== null).at(said?.index ?? 0);
  const document = at !== undefined && named.includes(at) ? at : named[0];
  if (document === undefined || document.contents === null) return undefined;
  const offset = offsetOf(document.contents, path, text) ?? document.contents.range![0];
  const before = text.slice(0, offset).split('\n');
  return `${file}:${before.length}:${before.at(-1)!.length + 1}`;
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

/** Offset of the key or dash of the field, or of the nearest one above that is there. */
function offsetOf(node: Node, path: string, text: string): number | undefined {
  if (path === '') return undefined;
  const index = /^\[?(\d+)\]?\.?/.exec(path);
  if (isSeq(node) && index !== null) {
    const item = node.items[Number(index[1])] as Node | undefined;
    if (item === undefined) return undefined;
    const dash = text.lastIndexOf('-', item.range![0] - 1);
    return offsetOf(item, path.slice(index[0].length), text) ?? (node.flow === true ? item.range![0] : dash);
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
  return (below === null ? undefined : offsetOf(below, rest, text)) ?? (pair.key as Node).range![0];
}
