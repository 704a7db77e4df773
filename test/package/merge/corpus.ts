import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { UpdateStrategy } from '../../../src/package/merge/merge-types.ts';
import { withoutIdentifier } from '../../../src/package/merge/resources.ts';
import type { FileMode, PackageFile, PackageFiles } from '../../../src/package/package.ts';
import { canon, isNull } from '../../../src/package/yaml/compare.ts';
import { fullDocuments } from '../../../src/package/yaml/edit.ts';
import { textAt } from '../../../src/package/yaml/node.ts';
import type { MapNode, YamlNode } from '../../../src/package/yaml/node.ts';
import { readYamlFile } from '../../../src/package/yaml/read.ts';

/** Golden data beside the checkout; the tests that need it skip where it is missing. */
export const CORPUS = fileURLToPath(new URL('../../../../shared/corpus', import.meta.url));

/** Cases of merges that were wrong, without kpt's result. */
export const DEFECTS = join(CORPUS, 'merge-defects');

export function defectCases(): Omit<MergeCase, 'kpt'>[] {
  return readdirSync(DEFECTS)
    .sort()
    .map((name) => ({ name, strategy: 'resource-merge', ...treesOf(name) }));
}

/** The three trees of one of them. */
export function treesOf(name: string): Pick<MergeCase, 'base' | 'upstream' | 'local'> {
  const at = join(DEFECTS, name);
  return {
    base: readTree(join(at, 'base')),
    upstream: readTree(join(at, 'upstream')),
    local: readTree(join(at, 'local')),
  };
}

export function hasCorpus(): boolean {
  const found = existsSync(join(CORPUS, 'merge'));
  if (!found) console.warn(`SKIPPED: no golden merge cases at ${CORPUS}/merge`);
  return found;
}

export interface MergeCase {
  readonly name: string;
  readonly strategy: UpdateStrategy;
  readonly base: PackageFiles;
  readonly upstream: PackageFiles;
  readonly local: PackageFiles;
  /** Undefined where kpt failed. */
  readonly kpt: PackageFiles | undefined;
}

export function mergeCases(): MergeCase[] {
  const root = join(CORPUS, 'merge');
  return readdirSync(root)
    .sort()
    .map((name) => {
      const at = join(root, name);
      const strategy = /^strategy: "(.*)"/m.exec(readFileSync(join(at, 'case.yaml'), 'utf8'))?.[1] ?? '';
      return {
        name,
        strategy: (strategy === '' || strategy === '-' ? 'resource-merge' : strategy) as UpdateStrategy,
        base: readTree(join(at, 'base')),
        upstream: readTree(join(at, 'upstream')),
        local: readTree(join(at, 'local')),
        kpt: existsSync(join(at, 'expected-kpt')) ? readTree(join(at, 'expected-kpt')) : undefined,
      };
    });
}

/** A case of megabytes, each merge of which takes seconds. */
export function isHuge({ name }: Pick<MergeCase, 'name'>): boolean {
  return name.endsWith('-huge');
}

/** Reads a directory as a package. */
export function readTree(root: string, prefix = ''): Map<string, PackageFile> {
  const files = new Map<string, PackageFile>();
  if (!existsSync(join(root, prefix))) return files;
  for (const entry of readdirSync(join(root, prefix), { withFileTypes: true })) {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) for (const [below, file] of readTree(root, path)) files.set(below, file);
    else if (entry.isFile()) {
      const mode: FileMode = (statSync(join(root, path)).mode & 0o100) === 0 ? '100644' : '100755';
      files.set(path, { mode, bytes: readFileSync(join(root, path)) });
    }
  }
  return files;
}

export function textOf(file: PackageFile | undefined): string {
  return file === undefined ? '' : new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.bytes);
}

/** What a package says: by file, the data of its resources, and the bytes of everything else. */
function meaning(files: PackageFiles): Map<string, string> {
  return new Map([...files].map(([path, file]) => [path, meaningOfFile(path, file)]));
}

function meaningOfFile(path: string, file: PackageFile): string {
  const text = textOf(file);
  const isKptfile = path === 'Kptfile' || path.endsWith('/Kptfile');
  if (!isKptfile && !/\.ya?ml$/.test(path)) return text;
  try {
    const documents = fullDocuments(readYamlFile(text)).map(({ root }) => root!);
    if (path === 'Kptfile') return canon(withoutLinks(documents[0]!));
    return documents
      .map(
        (root) =>
          `${['apiVersion', 'kind'].map((key) => textAt(root, key)).join()} ${canon(withoutNulls(withoutIdentifier(root)))}`,
      )
      .sort()
      .join('\n');
  } catch {
    return text;
  }
}

/** Kubernetes does not tell null from absent. */
function withoutNulls(node: YamlNode): YamlNode {
  if (node.kind === 'list')
    return { kind: 'list', items: node.items.map(({ value }) => ({ value: withoutNulls(value) })) };
  if (node.kind !== 'map') return node;
  const entries = node.entries.filter(({ value }) => !isNull(value));
  return {
    kind: 'map',
    entries: entries.map(({ name, key, value }) => ({ name, key, value: withoutNulls(value) })),
  };
}

function withoutLinks(root: YamlNode): MapNode {
  const entries = root.kind === 'map' ? root.entries : [];
  return {
    kind: 'map',
    entries: entries.filter(({ name }) => name !== 'upstream' && name !== 'upstreamLock'),
  };
}

/** Where two packages differ in meaning. A root Kptfile that holds nothing but the driver's links is no difference. */
export function differences(a: PackageFiles, b: PackageFiles): string[] {
  const [left, right] = [meaning(a), meaning(b)];
  for (const side of [left, right])
    if (
      /^\{"apiVersion":"kpt.dev\/v1","kind":"Kptfile","metadata":\{"name":"pkg"\}\}$/.test(
        side.get('Kptfile') ?? '',
      )
    )
      side.delete('Kptfile');
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((path) => left.get(path) !== right.get(path))
    .sort();
}

/** How many lines differ, removed and added ones counted; the root Kptfile's links are left out. */
export function linesChanged(from: PackageFiles, to: PackageFiles): number {
  let sum = 0;
  for (const path of new Set([...from.keys(), ...to.keys()])) {
    const strip = (text: string): string =>
      path === 'Kptfile' ? text.replace(/^upstream(Lock)?:\n(?: .*\n)*/gm, '') : text;
    sum += lineDistance(strip(textOf(from.get(path))), strip(textOf(to.get(path))));
  }
  return sum;
}

function lineDistance(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [a, b].map((text): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []) as [
    string[],
    string[],
  ];
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head += 1;
  let tail = 0;
  while (
    tail < left.length - head &&
    tail < right.length - head &&
    left.at(-1 - tail) === right.at(-1 - tail)
  )
    tail += 1;
  const numbers = new Map<string, number>();
  const numbered = (lines: readonly string[]): Uint32Array =>
    Uint32Array.from(lines.slice(head, lines.length - tail), (line) => {
      const known = numbers.get(line) ?? numbers.size;
      numbers.set(line, known);
      return known;
    });
  const [x, y] = [numbered(left), numbered(right)];
  let [row, next] = [new Uint32Array(y.length + 1), new Uint32Array(y.length + 1)];
  for (const line of x) {
    let before = 0;
    for (let at = 0; at < y.length; at += 1) {
      const above = row[at + 1]!;
      before = line === y[at] ? row[at]! + 1 : before > above ? before : above;
      next[at + 1] = before;
    }
    [row, next] = [next, row];
  }
  return x.length + y.length - 2 * row[y.length]!;
}
