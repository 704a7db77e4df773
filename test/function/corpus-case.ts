/** Golden cases of catalog functions: what to run and what to expect. See the corpus' own README for the format. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parse, parseAllDocuments } from 'yaml';

import { createRuntime } from '../../src/function/runtime.ts';
import type { PackageFile, PackageFiles } from '../../src/package/package.ts';
import { editInPlace } from '../../src/package/render/edit-documents.ts';
import { evalFunction } from '../../src/package/render/eval.ts';
import { copyValue, noteOf } from '../../src/package/render/field-notes.ts';
import type { Container } from '../../src/package/render/field-notes.ts';
import type { ResultItem } from '../../src/package/render/function-runtime.ts';
import type { KrmObject } from '../../src/package/render/krm-object.ts';
import { notResource } from '../../src/package/render/package-sources.ts';
import { readResources } from '../../src/package/render/read-resources.ts';
import type { RenderResult } from '../../src/package/render/render-types.ts';
import { renderPackage } from '../../src/package/render/render.ts';

export const CORPUS = fileURLToPath(new URL('../../../shared/corpus/', import.meta.url));
export const hasCorpus = existsSync(CORPUS);

export interface Case {
  readonly id: string;
  readonly dir: string;
  readonly function: string;
  readonly current: boolean;
  readonly source: { readonly kind?: string; readonly functionVersion?: string };
  readonly run: {
    readonly mode: 'render' | 'eval' | 'items' | 'resourcelist';
    readonly pipeline?: readonly { readonly function: string }[];
    readonly function?: string;
    readonly image?: string;
    readonly functionConfig?: string;
    readonly selectors?: readonly Record<string, string>[];
    readonly exclude?: readonly Record<string, string>[];
    readonly includeMetaResources?: boolean;
  };
  readonly requires?: readonly string[];
  readonly expect: {
    readonly exitCode: number;
    readonly compare?: 'bytes' | 'yaml' | 'yaml-comments' | 'unchecked';
    readonly functionResults?: { readonly items?: readonly { readonly results?: readonly ResultItem[] }[] };
    readonly results?: readonly ResultItem[];
    readonly errorContains?: string;
    readonly kptfileStatus?: boolean;
    readonly ignoreAnnotations?: readonly string[];
  };
}

export function readCases(): Case[] {
  const root = join(CORPUS, 'functions');
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(root, name)).map((slug) => join(root, name, slug)))
    .sort()
    .map((dir) => ({ ...(parse(readFileSync(join(dir, 'case.yaml'), 'utf8')) as Case), dir }));
}

export function readDirectory(dir: string): PackageFiles {
  const files = new Map<string, PackageFile>();
  if (!existsSync(dir)) return files;
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(dir, path), { mode: '100644', bytes: readFileSync(path) });
  }
  return files;
}

/** `exact`: as the case says; `lossless`: equal data where kpt's printer changed lines that no function touched. */
export interface Verdict {
  readonly outcome: 'exact' | 'lossless' | 'refused' | 'failed';
  readonly why?: string;
  /** Refused because a function is not built in at all, rather than a version of it. */
  readonly foreign?: boolean;
}

export async function runCase(one: Case): Promise<Verdict> {
  if (one.run.mode === 'resourcelist')
    return { outcome: 'refused', why: 'a function that is not built in, on stdin', foreign: true };
  const input = pinned(readDirectory(join(one.dir, 'input')), one);
  const result = await execute(one, input);
  const refused = result.runs.find((run) => run.refused !== undefined)?.refused;
  if (refused !== undefined)
    return { outcome: 'refused', why: refused.message, foreign: refused.code === 'FUNCTION_UNKNOWN' };
  const why = mismatch(one, result);
  if (why !== undefined) return { outcome: 'failed', why };
  const files = compareFiles(one, result, input);
  if (files.outcome === 'failed' || one.expect.exitCode !== 0 || !one.current) return files;
  const again = await execute(one, result.files);
  const changed = again.changed.filter((path) => !sameData(one, path, result.files, again.files));
  return changed.length > 0
    ? { outcome: 'failed', why: `a second run changes ${changed.join(', ')}` }
    : files;
}

/** Cases from a release branch name their version apart from the image. */
function pinned(files: PackageFiles, one: Case): PackageFiles {
  const version = one.current ? undefined : one.source.functionVersion;
  if (version === undefined) return files;
  return new Map(
    [...files].map(([path, file]) => {
      if (!/(?:^|\/)Kptfile$/.test(path)) return [path, file];
      const text = new TextDecoder().decode(file.bytes).replaceAll(':unstable', `:${version}`);
      return [path, { ...file, bytes: new TextEncoder().encode(text) }];
    }),
  );
}

/** Runs a case on its input. */
export async function executeCase(one: Case): Promise<RenderResult> {
  return execute(one, pinned(readDirectory(join(one.dir, 'input')), one));
}

async function execute(one: Case, files: PackageFiles): Promise<RenderResult> {
  const runtime = createRuntime();
  if (one.run.mode === 'render') return renderPackage({ files, runtime });
  const config = one.run.functionConfig;
  const configs =
    config === undefined ? [] : readResources(config, readFileSync(join(one.dir, config), 'utf8')).documents;
  if (configs.length > 1) {
    // The command refuses this before it runs anything.
    const problem = {
      code: 'FUNCTION_CONFIG_INVALID' as const,
      message: `must not contain more than one config, got ${configs.length}`,
      hint: '',
    };
    return { ok: false, files, changed: [], runs: [], findings: [], problem };
  }
  const functionConfig = configs[0]?.value;
  const version = one.current ? undefined : one.source.functionVersion;
  const image = one.run.image ?? one.run.function ?? '';
  // Unit tests of a function hand it what kpt would refuse before: it is called as they call it.
  if (one.source.kind === 'go-unit-test' && hasNonResource(files))
    return callFunction(image, files, functionConfig);
  return evalFunction({
    files,
    runtime,
    spec: {
      image: version === undefined ? image : `${image.replace(/:[^/]*$/, '')}:${version}`,
      ...(one.run.selectors === undefined ? {} : { selectors: one.run.selectors }),
      ...(one.run.exclude === undefined ? {} : { exclude: one.run.exclude }),
    },
    ...(functionConfig === undefined ? {} : { functionConfig }),
  });
}

function hasNonResource(files: PackageFiles): boolean {
  return [...files].some(
    ([path, { bytes }]) =>
      path === 'resources.yaml' &&
      readResources(path, new TextDecoder().decode(bytes)).documents.some(
        (one) => notResource(one) !== undefined,
      ),
  );
}

/** The function alone on the documents of the one file, as from a stream. */
async function callFunction(
  image: string,
  files: PackageFiles,
  functionConfig: KrmObject | undefined,
): Promise<RenderResult> {
  const path = 'resources.yaml';
  const source = readResources(path, textOf(files, path) ?? '');
  const items = source.documents.map(({ value }) => copyValue(value));
  const output = await createRuntime().run({ image }, { items, ...(functionConfig && { functionConfig }) });
  const { exitCode, results, refused } = output;
  const ok = exitCode === 0 && refused === undefined;
  const bytes = new TextEncoder().encode(editInPlace(source, output.items ?? []));
  return {
    ok,
    files: ok ? new Map([[path, { mode: '100644', bytes }]]) : files,
    changed: [],
    runs: [
      { package: '.', function: image, type: 'mutator', exitCode, results, ...(refused && { refused }) },
    ],
    findings: [],
  };
}

function mismatch(one: Case, result: RenderResult): string | undefined {
  const { expect } = one;
  const said = [
    ...(result.problem === undefined ? [] : [result.problem.message]),
    ...result.runs.flatMap((run) => [...run.results.map(({ message }) => message), run.stderr ?? '']),
  ];
  if (result.ok !== (expect.exitCode === 0))
    return `exit code ${result.ok ? 0 : 1}, said ${JSON.stringify(said)}`;
  if (expect.errorContains !== undefined && !said.some((text) => text.includes(expect.errorContains ?? ''))) {
    return `no error with "${expect.errorContains}" in ${JSON.stringify(said)}`;
  }
  const wanted = expect.results ?? expect.functionResults?.items?.flatMap((item) => item.results ?? []);
  if (wanted === undefined) return undefined;
  const got = result.runs.flatMap((run) => run.results);
  if (got.length !== wanted.length) return `results ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`;
  for (const [at, item] of wanted.entries()) {
    const mine = normalise(got[at]!);
    for (const [key, value] of Object.entries(normalise(item))) {
      if (JSON.stringify((mine as unknown as Record<string, unknown>)[key]) !== JSON.stringify(value)) {
        return `result ${at}: ${JSON.stringify(mine)}, wanted ${JSON.stringify(item)}`;
      }
    }
  }
  return undefined;
}

/** Without what upstream's SDK writes for an error that has no place. */
function normalise(item: ResultItem): ResultItem {
  const { file, resourceRef, ...rest } = item;
  return {
    message: rest.message.trim(),
    ...(rest.severity === undefined ? {} : { severity: rest.severity }),
    ...(rest.field === undefined ? {} : { field: rest.field }),
    ...(file?.path === undefined
      ? {}
      : { file: { path: file.path, ...(file.index ? { index: file.index } : {}) } }),
    ...(resourceRef === undefined || Object.keys(resourceRef).length === 0 ? {} : { resourceRef }),
  };
}

function compareFiles(one: Case, result: RenderResult, input: PackageFiles): Verdict {
  const { compare = 'bytes' } = one.expect;
  if (compare === 'unchecked') return { outcome: 'exact' };
  if (one.run.mode === 'items') return compareItems(one, result);
  const expected = pinned(readDirectory(join(one.dir, 'expected')), one);
  const paths = new Set([...expected.keys(), ...result.files.keys()]);
  let lossless = false;
  for (const path of paths) {
    const wanted = textOf(expected, path);
    const got = textOf(result.files, path);
    if (wanted === undefined || got === undefined) {
      return { outcome: 'failed', why: `${path} is ${got === undefined ? 'missing' : 'too much'}` };
    }
    if (wanted === got) continue;
    const comments = compare !== 'yaml';
    if (dataOf(path, wanted, one, comments) !== dataOf(path, got, one, comments)) {
      return { outcome: 'failed', why: `${path}:\n${got}\nwanted:\n${wanted}` };
    }
    if (compare === 'bytes') {
      const before = textOf(input, path) ?? '';
      if (linesChanged(before, got) > linesChanged(before, wanted)) {
        return {
          outcome: 'failed',
          why: `${path} changes more lines than upstream:\n${got}\nwanted:\n${wanted}`,
        };
      }
      lossless = true;
    }
  }
  return { outcome: lossless ? 'lossless' : 'exact' };
}

function compareItems(one: Case, result: RenderResult): Verdict {
  const all = [...result.files.keys()].sort().map((path) => textOf(result.files, path) ?? '');
  const got = all.flatMap((text) => values(text, one, false)).sort();
  const wanted = values(readFileSync(join(one.dir, 'expected/items.yaml'), 'utf8'), one, false);
  const list =
    wanted.length === 1 && Array.isArray(JSON.parse(wanted[0]!))
      ? (JSON.parse(wanted[0]!) as unknown[]).map((item) => JSON.stringify(item))
      : wanted;
  const same = JSON.stringify(got) === JSON.stringify(list.toSorted());
  return same
    ? { outcome: 'exact' }
    : { outcome: 'failed', why: `${JSON.stringify(got)}\nwanted ${JSON.stringify(list)}` };
}

function textOf(files: PackageFiles, path: string): string | undefined {
  const bytes = files.get(path)?.bytes;
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

function sameData(one: Case, path: string, a: PackageFiles, b: PackageFiles): boolean {
  return dataOf(path, textOf(a, path) ?? '', one, true) === dataOf(path, textOf(b, path) ?? '', one, true);
}

function dataOf(path: string, text: string, one: Case, comments: boolean): string {
  if (!/(?:\.ya?ml|\.json|Kptfile)$/.test(path)) return text;
  return values(text, one, comments).join('\n');
}

/** Each document as canonical JSON; with its line comments when asked for. */
function values(text: string, one: Case, comments: boolean): string[] {
  const drop = new Set(one.expect.ignoreAnnotations ?? []);
  try {
    return readResources('f', asGoReads(text)).documents.map(({ value }) => {
      if (value['kind'] === 'Kptfile' && one.expect.kptfileStatus === true) delete value['status'];
      const metadata = value['metadata'] as { annotations?: Record<string, unknown> } | undefined;
      for (const name of drop) delete metadata?.annotations?.[name];
      if (drop.size > 0 && metadata?.annotations && Object.keys(metadata.annotations).length === 0)
        delete metadata.annotations;
      return JSON.stringify(canonical(value, comments));
    });
  } catch {
    return parseAllDocuments(text).flatMap((document) =>
      document === null ? [] : [JSON.stringify(canonical(document.toJS(), false))],
    );
  }
}

/** To kpt's library a literal at an end without line break has no break; to ours it has one. */
function asGoReads(text: string): string {
  const at = text.endsWith('\n') ? -1 : text.lastIndexOf('|\n');
  if (at === -1) return text;
  const indent = /[^ ]/.exec(text.slice(text.lastIndexOf('\n', at) + 1))?.index ?? 0;
  const inside = text
    .slice(at + 2)
    .split('\n')
    .every((line) => line.trim() === '' || line.startsWith(' '.repeat(indent + 1)));
  return inside ? `${text.slice(0, at)}|-${text.slice(at + 1)}` : text;
}

function canonical(value: unknown, comments: boolean): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value).sort();
  const entries = keys.map((key) => {
    const inner = canonical((value as Record<string | number, unknown>)[key], comments);
    const note = comments ? noteOf(value as Container, key) : {};
    const said = note.comment ?? note.keyComment;
    return [key, said === undefined ? inner : { value: inner, comment: said }] as const;
  });
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

/** How many lines of a text are not in the other, counted as a multiset. */
function linesChanged(before: string, after: string): number {
  const left = new Map<string, number>();
  for (const line of before.split('\n')) left.set(line, (left.get(line) ?? 0) + 1);
  let added = 0;
  for (const line of after.split('\n')) {
    const count = left.get(line) ?? 0;
    if (count === 0) added += 1;
    else left.set(line, count - 1);
  }
  return added + [...left.values()].reduce((sum, count) => sum + count, 0);
}

/** A file's data, with its line comments only where asked for; undefined where it is not there. */
export function canonicalFile(files: PackageFiles, path: string, comments = false): string | undefined {
  const text = textOf(files, path);
  if (text === undefined) return undefined;
  return dataOf(path, text, { expect: { exitCode: 0 } } as Case, comments);
}
