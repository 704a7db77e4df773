import type { Document } from 'yaml';
import { isPair, isSeq, parseAllDocuments, visit } from 'yaml';

import type { PackageFiles } from '../../../src/package/package.ts';
import { readYaml } from '../../../src/package/yaml/edit.ts';
import type { YamlValue } from '../../../src/package/yaml/edit.ts';
import type { MergeCase } from './cases.ts';
import { textOf } from './trees.ts';

const IDENTIFIER = 'internal.kpt.dev/upstream-identifier';

/**
 * The least number of lines that must go from, or come to, local to bring the wanted package's meaning, by their data
 * alone: files that only one has, whole; in files of both, one line for each field, and for each comment line of
 * upstream's change, that is not in the other, wherever it stands. No result of the same meaning can change fewer.
 */
export function necessaryLines(
  one: Pick<MergeCase, 'base' | 'upstream' | 'local'>,
  wanted: PackageFiles,
): number {
  const { base, upstream, local } = one;
  let sum = 0;
  for (const path of new Set([...local.keys(), ...wanted.keys()])) {
    const [from, to] = [withoutLinks(path, local), withoutLinks(path, wanted)];
    if (from === to) continue;
    if (from === '' || to === '') sum += (from + to).split('\n').filter((line) => line !== '').length;
    else if (!/Kptfile$|\.ya?ml$/.test(path))
      sum += apart(counted(from.split('\n')), counted(to.split('\n')));
    else sum += between(from, to) + commentLines(path, base, upstream, from);
  }
  return sum;
}

/** Comment lines that upstream added and local lacks, or that upstream removed and local has. */
function commentLines(path: string, base: PackageFiles, upstream: PackageFiles, from: string): number {
  const [old, now, own] = [textOf(base.get(path)), textOf(upstream.get(path)), from].map(
    (text) => new Set(parseAllDocuments(text).flatMap(commentsOf)),
  );
  if (old === undefined || now === undefined || own === undefined || old.size + now.size === 0) return 0;
  if (textOf(base.get(path)) === '' || textOf(upstream.get(path)) === '') return 0;
  const added = [...now].filter((line) => !old.has(line) && !own.has(line));
  const removed = [...old].filter((line) => !now.has(line) && own.has(line));
  return added.length + removed.length;
}

/** The text of a file; a root Kptfile without what the driver of an update writes there. */
function withoutLinks(path: string, files: PackageFiles): string {
  const text = textOf(files.get(path));
  return path === 'Kptfile' ? text.replaceAll(/^upstream(Lock)?:\n(?: .*\n)*/gm, '') : text;
}

function between(from: string, to: string): number {
  const flow = new Set([...oneLiners(from), ...oneLiners(to)]);
  const [before, after] = [from, to].map((text) => leaves(text, flow));
  // What does not parse says nothing of its fields, but something must change.
  if (before === undefined || after === undefined) return 1;
  return apart(before, after);
}

function counted(lines: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const line of lines) found.set(line, (found.get(line) ?? 0) + 1);
  return found;
}

/** How many lines are in one and not in the other. */
function apart(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const line of new Set([...before.keys(), ...after.keys()]))
    sum += Math.abs((before.get(line) ?? 0) - (after.get(line) ?? 0));
  return sum;
}

/** The comments of a document that have lines of their own. */
function commentsOf(document: Document): string[] {
  const found = [document.commentBefore ?? ''];
  visit(document, {
    Node(_, node) {
      found.push(node.commentBefore ?? '');
    },
  });
  return found.flatMap((text) => text.split('\n')).filter((line) => line.trim() !== '');
}

/** Where collections like `{a: 1, b: 2}` and quoted texts stand, which need one line together. */
function oneLiners(text: string): Set<string> {
  const found = new Set<string>();
  for (const document of parseAllDocuments(text)) {
    visit(document, {
      Collection(_, node, above) {
        if (node.flow !== true) return undefined;
        found.add(pathOf(above));
        return visit.SKIP;
      },
      Scalar(key, node, above) {
        if (key === 'key' || node.type?.startsWith('BLOCK') === true || !String(node.value).includes('\n'))
          return;
        found.add(pathOf(above));
      },
    });
  }
  return found;
}

function pathOf(above: readonly unknown[]): string {
  return above.map((one) => (isPair(one) ? `.${String(one.key)}` : isSeq(one) ? '[]' : '')).join('');
}

/** Every line that the data needs in block style, without its place in lists, and how often. */
function leaves(text: string, flow: ReadonlySet<string>): Map<string, number> | undefined {
  const found = new Map<string, number>();
  const add = (line: string): void => void found.set(line, (found.get(line) ?? 0) + 1);
  try {
    for (const document of readYaml(text)) {
      add('---');
      walk(document, '', flow, add);
    }
    return found;
  } catch {
    return undefined;
  }
}

function walk(value: YamlValue, path: string, flow: ReadonlySet<string>, add: (line: string) => void): void {
  if (flow.has(path))
    add(
      `${path}=${JSON.stringify(value, (key, one: unknown) => (key === IDENTIFIER ? undefined : typeof one === 'bigint' ? String(one) : one))}`,
    );
  else if (Array.isArray(value)) {
    for (const item of value as readonly YamlValue[]) walk(item, `${path}[]`, flow, add);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value as Record<string, YamlValue>)) {
      // kpt's own annotation is no one's change.
      if (
        key === IDENTIFIER ||
        (typeof inner === 'object' && inner !== null && Object.keys(inner).join() === IDENTIFIER)
      )
        continue;
      // Local may have annotations of kpt's alone.
      const isBlock =
        key !== 'annotations' && typeof inner === 'object' && inner !== null && !flow.has(`${path}.${key}`);
      if (isBlock) add(`${path}.${key}:`);
      walk(inner, `${path}.${key}`, flow, add);
    }
  } else if (typeof value === 'string' && value.includes('\n')) {
    for (const line of value.replace(/\n$/, '').split('\n')) add(`${path}=${line}`);
  } else if (value !== null) add(`${path}=${String(value)}`);
}
