import type { PackageFiles } from '../../../src/package/package.ts';
import { readYaml } from '../../../src/package/yaml/edit.ts';
import type { YamlValue } from '../../../src/package/yaml/edit.ts';
import { goldenLists } from './list-keys.ts';
import { textOf } from './trees.ts';

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

/** The keys of each list that merges, by its path. */
type Lists = Readonly<Record<string, readonly string[]>>;
type Data = Record<string, YamlValue>;
const IDENTIFIER = 'internal.kpt.dev/upstream-identifier';

export function expectedConflicts(
  base: PackageFiles,
  upstream: PackageFiles,
  local: PackageFiles,
): ExpectedConflict[] {
  const trees = [base, upstream, local] as const;
  return [...new Set(trees.flatMap((files) => [...files.keys()]))].flatMap((path) => {
    if (path === 'Kptfile' || path.endsWith('/Kptfile')) return inKptfile(path, trees);
    return /\.ya?ml$/.test(path) ? inResources(path, trees) : inOtherFile(path, trees);
  });
}

type Trees = readonly [base: PackageFiles, upstream: PackageFiles, local: PackageFiles];

function inResources(path: string, trees: Trees): ExpectedConflict[] {
  const o = resources(textOf(trees[0].get(path)));
  const [u, d] = trees.slice(1).map((files) => resources(textOf(files.get(path)), o));
  if (o === undefined || u === undefined || d === undefined) return [];
  const lists = listTable();
  return [...new Set([...o.keys(), ...u.keys(), ...d.keys()])].flatMap((identity): ExpectedConflict[] => {
    const [old, theirs, own] = [o.get(identity), u.get(identity), d.get(identity)];
    const left = theirs ?? own;
    if (left === undefined) return [];
    const kind = word(left['kind']);
    if (theirs !== undefined && own !== undefined) {
      const table = lists.get(`${word(left['apiVersion'])} ${kind}`) ?? {};
      return bothChanged([old ?? {}, theirs, own], table).map((leaf) => ({ file: path, kind, ...leaf }));
    }
    if (old === undefined || withoutMark(left) === withoutMark(old)) return [];
    // One deleted what the other changed; elsewhere in the package it may be there still.
    const gone = theirs === undefined ? trees[1] : trees[2];
    const moved = [...gone].some(
      ([at, file]) => /\.ya?ml$/.test(at) && resources(textOf(file))?.has(identity),
    );
    const there = theirs === undefined ? u : d;
    const renamed = [...there].some(([other, data]) => !o.has(other) && word(data['kind']) === kind);
    return [{ file: path, kind, path: '', mergeable: moved || renamed }];
  });
}

/** Data without kpt's own annotation. */
function withoutMark(data: Data): string {
  const found = new Map<string, string>();
  flatten(data, '', '', {}, found);
  return JSON.stringify([...found].map((leaf) => leaf.join('=')).sort());
}

/** The fields that both sides changed to different values. */
function bothChanged(
  [base, upstream, local]: readonly [Data, Data, Data],
  table: Lists,
): { path: string; mergeable: boolean }[] {
  const leaves = [base, upstream, local].map((data) => {
    const found = new Map<string, string>();
    flatten(data, '', '', table, found);
    return found;
  });
  const out: { path: string; mergeable: boolean }[] = [];
  for (const leaf of new Set(leaves.flatMap((found) => [...found.keys()]))) {
    const [a, b, c] = leaves.map((found) => found.get(leaf));
    if (a === b || a === c || b === c) continue;
    // An item as a whole counts where one side removed it.
    if ((a ?? b)?.startsWith('item ') === true && b !== undefined && c !== undefined) continue;
    // So does a map, which may be decided by its keys instead.
    // A null that both sides fill is no map, but merges like an absent one.
    const isFilled = a === 'null' && [b, c].every((value) => value?.startsWith('map ') === true);
    if (isFilled) continue;
    const isMap = [a, b, c].every((value) => value?.startsWith('map ') !== false);
    if (isMap && (a === undefined || (b !== undefined && c !== undefined))) continue;
    const values = [a, b, c].filter((value) => value !== undefined);
    const mergeable = isMap || values.every((value) => value.startsWith('[') || value.includes('\\n'));
    out.push({ path: leaf, mergeable });
  }
  return out;
}

/** A Kptfile's functions belong together by image without registry and version, where none comes twice. */
function inKptfile(path: string, trees: Trees): ExpectedConflict[] {
  const data = trees.map((files) => {
    try {
      const [root] = readYaml(textOf(files.get(path)));
      return root === undefined ? undefined : kptfileData(root as Data, path === 'Kptfile');
    } catch {
      return undefined;
    }
  });
  const [old, theirs, own] = data;
  if (theirs === undefined || own === undefined) {
    const left = theirs ?? own;
    if (old === undefined || left === undefined || withoutMark(left) === withoutMark(old)) return [];
    return [{ file: path, kind: 'Kptfile', path: '', mergeable: true }];
  }
  const lists = {
    'pipeline.mutators': ['@function'],
    'pipeline.validators': ['@function'],
    'status.conditions': ['type'],
    'info.readinessGates': ['conditionType'],
  };
  return bothChanged([old ?? {}, theirs, own], lists).map((leaf) => ({
    file: path,
    kind: 'Kptfile',
    ...leaf,
  }));
}

function kptfileData(root: Data, isRoot: boolean): Data {
  const { upstream, upstreamLock, metadata, ...rest } = root;
  const { name: _, namespace: __, ...more } = (metadata ?? {}) as Data;
  return {
    ...rest,
    metadata: more,
    ...(isRoot ? {} : { upstream: upstream ?? null, upstreamLock: upstreamLock ?? null }),
  };
}

/** Where all three have as many lines, each line tells; else it depends on how the edits lie. */
function inOtherFile(path: string, trees: Trees): ExpectedConflict[] {
  const [old, theirs, own] = trees.map((files) => (files.has(path) ? textOf(files.get(path)) : undefined));
  if (old === theirs || old === own || theirs === own) return [];
  const conflict = { file: path, kind: '', path: '', mergeable: true };
  if (theirs === undefined || own === undefined || old === undefined)
    return [{ ...conflict, mergeable: false }];
  const [a, b, c] = [old, theirs, own].map((text) => text.split('\n')) as [string[], string[], string[]];
  if (path.endsWith('.json') || a.length !== b.length || a.length !== c.length) return [conflict];
  const clash = a.some((line, at) => line !== b[at] && line !== c[at] && b[at] !== c[at]);
  return clash ? [{ ...conflict, mergeable: false }] : [];
}

function word(value: YamlValue | undefined): string {
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

let table: ReturnType<typeof goldenLists> | undefined;

function listTable(): ReturnType<typeof goldenLists> {
  table ??= goldenLists();
  return table;
}

/** By identity; kpt's mark counts where it names one of the known ones that is not there by its own name. */
function resources(text: string, known?: ReadonlyMap<string, Data>): Map<string, Data> | undefined {
  try {
    const found = new Map<string, Data>();
    for (const data of readYaml(text)) {
      const root = data as Data;
      const metadata = (root['metadata'] ?? {}) as Data;
      const mark = ((metadata['annotations'] ?? {}) as Data)[IDENTIFIER];
      const group = word(root['apiVersion']).includes('/') ? word(root['apiVersion']).split('/')[0] : '';
      const own = `${group}|${word(root['kind'])}|${word(metadata['namespace'] ?? 'default')}|${word(metadata['name'])}`;
      const identity = typeof mark === 'string' && known?.has(mark) === true && !known.has(own) ? mark : own;
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
  lists: Lists,
  out: Map<string, string>,
): void {
  if (path === `metadata.annotations.${IDENTIFIER}`) return;
  if (value === null) {
    // Links that are absent.
    if (path !== 'upstream' && path !== 'upstreamLock') out.set(path, 'null');
    return;
  }
  if (Array.isArray(value)) {
    const keys = lists[pattern];
    const items = value as readonly YamlValue[];
    const name = (item: YamlValue): string =>
      keys!
        .map((key) => (key === '@function' ? functionOf(item as Data) : word((item as Data)[key] ?? '')))
        .join('/');
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
  // kpt's own annotation is in metadata, and no one changed that.
  if (path !== '' && !/^metadata(\.annotations)?$/.test(path)) out.set(path, `map ${canonical(value)}`);
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

function functionOf({ name, image, exec }: Data): string {
  return (
    word(image)
      .replace(/^.*\//, '')
      .replace(/[@:].*$/, '') ||
    word(exec) ||
    word(name)
  );
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
