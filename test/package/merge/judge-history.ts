/** Updates a package through its revisions with seeded local edits, and judges each leaf by the rule of three values. */
import { diffPackages } from '../../../src/package/diff/diff.ts';
import type { Conflict } from '../../../src/package/merge/conflict.ts';
import type { MergeNote } from '../../../src/package/merge/merge-types.ts';
import { mergePackages } from '../../../src/package/merge/merge.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import { editYaml, readYaml } from '../../../src/package/yaml/edit.ts';
import type { YamlValue } from '../../../src/package/yaml/edit.ts';
import { formatPath, type YamlPath } from '../../../src/package/yaml/path.ts';
import { type Chance, chance } from './random-package.ts';
import { packageOf, textOf } from './trees.ts';

export interface Judgement {
  steps: number;
  /** Leaves that were compared. */
  leaves: number;
  edits: number;
  conflicts: number;
  /** Leaves whose value is not the one that the rule gives. */
  readonly lost: string[];
  readonly staleNulls: string[];
  /** What `diff` against upstream lists after an update, though no one edited it. */
  readonly foreign: string[];
}

type Leaves = ReadonlyMap<string, string>;
/** By identity: the leaves of a resource. */
type Resources = ReadonlyMap<string, Leaves>;
export function judgeHistory(revisions: readonly PackageFiles[], seed: number): Judgement {
  const found: Judgement = {
    steps: 0,
    leaves: 0,
    edits: 0,
    conflicts: 0,
    lost: [],
    staleNulls: [],
    foreign: [],
  };
  const from = chance(seed);
  let local = revisions[0]!;
  for (const [at, upstream] of revisions.slice(1).entries()) {
    const base = revisions[at]!;
    local = edited(local, from, found);
    const { files, conflicts, notes } = mergePackages({ base, upstream, local });
    found.steps += 1;
    found.conflicts += conflicts.length;
    // Files that do not parse merge as lines.
    const unread = new Set(notes.flatMap(({ code, file }) => (code === 'YAML_UNREADABLE' ? [file] : [])));
    const [o, u, d, m] = [base, upstream, local, files].map((side) => without(side, unread));
    const step = { base: o!, upstream: u!, local: d!, files: m!, conflicts, notes, found };
    judgeLeaves(step);
    judgeDiff(step);
    local = files;
  }
  return found;
}

interface Step {
  readonly base: PackageFiles;
  readonly upstream: PackageFiles;
  readonly local: PackageFiles;
  readonly files: PackageFiles;
  readonly conflicts: readonly Conflict[];
  readonly notes: readonly MergeNote[];
  readonly found: Judgement;
}

function judgeLeaves({ base, upstream, local, files, conflicts, found }: Step): void {
  const [o, u, d, m] = [base, upstream, local, files].map(resourcesOf) as [
    Resources,
    Resources,
    Resources,
    Resources,
  ];
  for (const key of new Set([...o.keys(), ...u.keys(), ...d.keys(), ...m.keys()])) {
    const about = conflicts.filter(({ resource }) => resource !== null && key.includes(nameOf(resource)));
    const sides = [o, u, d, m].map((one) => one.get(key) ?? new Map<string, string>());
    for (const path of new Set(sides.flatMap((one) => [...one.keys()]))) {
      const [was, now, own, merged] = sides.map((one) => one.get(path));
      if (about.some((conflict) => overlap(conflict.path, path))) continue;
      const isList = [was, now, own].every((text) => text?.startsWith('['));
      // An empty map says only that nothing is below; plain lists that both sides changed merge by position.
      if ([was, now, own, merged].includes('{}')) continue;
      if (isList && was !== now && was !== own && now !== own) continue;
      if (isText(was) && isText(now) && isText(own) && was !== now && was !== own && now !== own) continue;
      found.leaves += 1;
      const expected = now === was ? own : now;
      if (merged === expected) continue;
      (merged === 'null' ? found.staleNulls : found.lost).push(
        `${key} ${path}: ${merged} is not ${expected}`,
      );
    }
  }
}

const isText = (leaf: string | undefined): boolean => leaf?.includes(String.raw`\n`) === true;

function judgeDiff({ base, upstream, local, files, conflicts, notes, found }: Step): void {
  const edits = changesOf(base, local);
  for (const change of changesOf(upstream, files)) {
    const isEdit = edits.some((edit) => edit.resource === change.resource && overlap(edit.path, change.path));
    const isConflict = conflicts.some(
      ({ resource, path }) =>
        resource !== null && change.resource.includes(nameOf(resource)) && overlap(path, change.path),
    );
    // An order that local keeps, as with kpt, is told.
    const isNoted = notes.some(
      ({ code, message }) => code.startsWith('ORDER_') && message.includes(`${change.path}:`),
    );
    if (!isEdit && !isConflict && !isNoted) found.foreign.push(`${change.resource} ${change.path}`);
  }
}

function without(files: PackageFiles, paths: ReadonlySet<string>): PackageFiles {
  return new Map([...files].filter(([path]) => !paths.has(path)));
}

function changesOf(a: PackageFiles, b: PackageFiles): { readonly resource: string; readonly path: string }[] {
  return diffPackages(a, b).resources.flatMap(({ resource, change, fields }) => {
    const isWhole = change === 'added' || change === 'removed';
    const paths = isWhole ? [''] : fields.map(({ path }) => path);
    return paths.map((path) => ({ resource: nameOf(resource), path }));
  });
}

/** True where one path leads to the other, or is the same. */
function overlap(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short === '' || (long.startsWith(short) && ['', '.', '['].includes(long.charAt(short.length)));
}

function nameOf(ref: { readonly kind: string; readonly name: string; readonly namespace: string }): string {
  return `${ref.kind}/${ref.namespace}/${ref.name} `;
}

/** The resources of a package by package directory, kind and name; equal ones are numbered. */
function resourcesOf(files: PackageFiles): Resources {
  const found = new Map<string, Leaves>();
  for (const { path, documents } of readableFiles(files)) {
    const root = [...files.keys()]
      .filter((one) => /(?:^|\/)Kptfile$/.test(one) && path.startsWith(one.slice(0, -'Kptfile'.length)))
      .toSorted((a, b) => b.length - a.length)[0];
    for (const value of documents) {
      const { kind = '', metadata } = value as { readonly kind?: string; readonly metadata?: YamlValue };
      const { name = '', namespace = '' } = (metadata ?? {}) as Record<string, string>;
      let key = `${root} ${nameOf({ kind, namespace, name })}`;
      while (found.has(key)) key += '+';
      found.set(key, new Map([...leavesOf(value)].map(([path, leaf]) => [path, leaf])));
    }
  }
  return found;
}

function* readableFiles(
  files: PackageFiles,
): Generator<{ readonly path: string; readonly documents: readonly Record<string, YamlValue>[] }> {
  for (const path of [...files.keys()].filter((one) => /\.ya?ml$/.test(one)).sort()) {
    try {
      const documents = readYaml(textOf(files.get(path)));
      yield { path, documents: documents.filter(isData) };
    } catch {
      // Templates are no YAML; they merge as lines.
    }
  }
}

function isData(value: unknown): value is Record<string, YamlValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Each leaf with its path; items with names of their own are told apart by them, other lists are one leaf. */
function* leavesOf(value: YamlValue, path: YamlPath = []): Generator<[string, string, YamlPath]> {
  if (isData(value) && Object.keys(value).length > 0) {
    for (const [key, inner] of Object.entries(value)) yield* leavesOf(inner, [...path, key]);
  } else if (Array.isArray(value) && isNamed(value)) {
    for (const item of value) yield* leavesOf(item, [...path, { name: item['name'] as string }]);
  } else yield [formatPath(path), text(value), path];
}

function isNamed(list: readonly unknown[]): list is Record<string, YamlValue>[] {
  const names = list.map((item) => (isData(item) ? item['name'] : undefined));
  return (
    list.length > 0 && names.every((name) => typeof name === 'string') && new Set(names).size === list.length
  );
}

function text(value: unknown): string {
  if (isData(value))
    return `{${Object.keys(value)
      .sort()
      .map((key) => `${key}:${text(value[key])}`)
      .join()}}`;
  if (Array.isArray(value)) return `[${value.map(text).join()}]`;
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

/** What names a resource or an item: another name makes another one of it. */
const FIXED =
  /^(?:apiVersion|kind)$|(?:^|\.)(?:name|namespace|generateName|port|containerPort|protocol|mountPath|key)$|upstream-identifier/;

/** Some edits of each second resource: another value, null, a key less, and an annotation more. */
function edited(files: PackageFiles, from: Chance, found: Judgement): PackageFiles {
  const result = new Map(files);
  for (const { path, documents } of readableFiles(files)) {
    let after = textOf(files.get(path));
    for (const [document, value] of documents.entries()) {
      if (documents.length !== readYaml(after).length || from.some(50)) continue;
      const own = [...leavesOf(value)].filter(([at, leaf]) => !FIXED.test(at) && !/^[[{]/.test(leaf));
      const [, leaf, place] = own[from.below(own.length)] ?? [];
      const kind = from.below(4);
      const annotation: YamlPath = ['metadata', 'annotations', `ours.example.org/${from.below(99)}`];
      try {
        if (place === undefined || kind === 0)
          after = editYaml(after, [{ op: 'set', document, path: annotation, value: 'ours' }]);
        else if (kind === 1) after = editYaml(after, [{ op: 'delete', document, path: place }]);
        else
          after = editYaml(after, [
            {
              op: 'set',
              document,
              path: place,
              value: kind === 2 ? null : `${leaf?.replaceAll(/\W/g, '').slice(0, 9)} ours`,
            },
          ]);
        found.edits += 1;
      } catch {
        // Not every place can be edited, such as annotations that are null.
      }
    }
    for (const [name, file] of packageOf({ [path]: after })) result.set(name, file);
  }
  return result;
}
