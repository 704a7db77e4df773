import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { PackageFiles } from '../../../src/package/package.ts';
import { readYaml } from '../../../src/package/yaml/edit.ts';
import type { YamlValue } from '../../../src/package/yaml/edit.ts';
import { CORPUS, textOf } from './corpus.ts';

/**
 * The conflicts that three packages must give, derived from their data alone: every field, flattened, that both sides
 * changed to different values. Knows lists from Kubernetes' schema as kpt has it, and nothing of the code under test.
 */
export interface ExpectedConflict {
  readonly file: string;
  readonly kind: string;
  readonly path: string;
  /** Lists and texts may be merged instead, where the edits do not overlap. */
  readonly mergeable: boolean;
}

type Lists = Record<string, Record<string, { keys: string[] }>>;
type Data = Record<string, YamlValue>;
const IDENTIFIER = 'internal.kpt.dev/upstream-identifier';

export function expectedConflicts(
  base: PackageFiles,
  upstream: PackageFiles,
  local: PackageFiles,
): ExpectedConflict[] {
  const lists = listTable();
  const out: ExpectedConflict[] = [];
  for (const [path] of base) {
    if (!/\.ya?ml$/.test(path)) continue;
    const trees = [base, upstream, local].map((files) => resources(textOf(files.get(path))));
    const [o, u, d] = trees;
    if (o === undefined || u === undefined || d === undefined) continue;
    for (const [identity, old] of o) {
      const [theirs, own] = [u.get(identity), d.get(identity)];
      if (theirs === undefined || own === undefined) continue;
      const table = lists[`${word(old['apiVersion'])} ${word(old['kind'])}`] ?? {};
      const leaves = [old, theirs, own].map((data) => {
        const found = new Map<string, string>();
        flatten(data, '', '', table, found);
        return found;
      });
      for (const leaf of new Set(leaves.flatMap((found) => [...found.keys()]))) {
        const [a, b, c] = leaves.map((found) => found.get(leaf));
        if (a === b || a === c || b === c) continue;
        // An item as a whole counts where one side removed it.
        if (a?.startsWith('item ') === true && b !== undefined && c !== undefined) continue;
        const values = [a, b, c].filter((value) => value !== undefined);
        const mergeable = values.every((value) => value.startsWith('[') || value.includes('\\n'));
        out.push({ file: path, kind: word(old['kind']), path: leaf, mergeable });
      }
    }
  }
  return out;
}

function word(value: YamlValue | undefined): string {
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

let table: Lists | undefined;

function listTable(): Lists {
  table ??= JSON.parse(readFileSync(join(CORPUS, 'kubernetes-merge-lists.json'), 'utf8')) as Lists;
  return table;
}

function resources(text: string): Map<string, Data> | undefined {
  try {
    const found = new Map<string, Data>();
    for (const data of readYaml(text)) {
      const root = data as Data;
      const metadata = (root['metadata'] ?? {}) as Data;
      const mark = ((metadata['annotations'] ?? {}) as Data)[IDENTIFIER];
      const group = word(root['apiVersion']).includes('/') ? word(root['apiVersion']).split('/')[0] : '';
      const own = `${group}|${word(root['kind'])}|${word(metadata['namespace'] ?? 'default')}|${word(metadata['name'])}`;
      const identity = typeof mark === 'string' ? mark : own;
      if (found.has(identity) || metadata['name'] === undefined) return undefined;
      found.set(identity, root);
    }
    return found;
  } catch {
    return undefined;
  }
}

function flatten(
  value: YamlValue,
  path: string,
  pattern: string,
  lists: Lists[string],
  out: Map<string, string>,
): void {
  if (value === null || path === `metadata.annotations.${IDENTIFIER}`) return;
  if (Array.isArray(value)) {
    const keys = lists[pattern]?.keys;
    const items = value as readonly YamlValue[];
    const name = (item: YamlValue): string => keys!.map((key) => word((item as Data)[key] ?? '')).join('/');
    if (
      keys === undefined ||
      keys.length === 0 ||
      new Set(items.map(name)).size < items.length ||
      items.some((item) => name(item) === '')
    ) {
      out.set(path, canonical(value));
      return;
    }
    for (const item of items) out.set(`${path}[${name(item)}]`, `item ${canonical(item)}`);
    for (const item of items) flatten(item, `${path}[${name(item)}]`, `${pattern}[]`, lists, out);
    return;
  }
  if (typeof value !== 'object') {
    out.set(path, JSON.stringify(typeof value === 'bigint' ? String(value) : value));
    return;
  }
  for (const [key, inner] of Object.entries(value as Data)) {
    flatten(
      inner,
      path === '' ? key : `${path}.${key}`,
      pattern === '' ? key : `${pattern}.${key}`,
      lists,
      out,
    );
  }
}

function canonical(value: YamlValue): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));
}

/** A path without the ways to name list items, so that two notations compare. */
export function plainPath(path: string): string {
  return path
    .replaceAll(/\[[^\]]*\]/g, (part) => (part.startsWith('["') ? `.${part.slice(2, -2)}` : ''))
    .replace(/^\./, '');
}
