import { withoutIdentifier } from '../../../src/package/merge/resources.ts';
import type { PackageFile, PackageFiles } from '../../../src/package/package.ts';
import { canon } from '../../../src/package/yaml/compare.ts';
import { fullDocuments } from '../../../src/package/yaml/edit.ts';
import { textAt } from '../../../src/package/yaml/node.ts';
import type { MapNode, YamlNode } from '../../../src/package/yaml/node.ts';
import { readYamlFile } from '../../../src/package/yaml/read.ts';
import { textOf } from './trees.ts';

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
          `${['apiVersion', 'kind'].map((key) => textAt(root, key)).join()} ${canon(withoutIdentifier(root))}`,
      )
      .sort()
      .join('\n');
  } catch {
    return text;
  }
}

function withoutLinks(root: YamlNode): MapNode {
  const entries = root.kind === 'map' ? root.entries : [];
  return {
    kind: 'map',
    entries: entries.filter(({ name }) => name !== 'upstream' && name !== 'upstreamLock'),
  };
}

/** Where two packages differ in meaning. */
export function differences(a: PackageFiles, b: PackageFiles): string[] {
  const [left, right] = [meaning(a), meaning(b)];
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
