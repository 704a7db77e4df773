/** Results of functions → findings with their line and column in the rendered files. */
import { cutLines } from '../../text/cut-text.ts';
import type { ResourceRef } from '../package.ts';
import { isMap } from '../plain-values.ts';
import type { YamlNode } from '../yaml/node.ts';
import { entryOf, resolved } from '../yaml/node.ts';
import { reread } from './edit-documents.ts';
import type { ResultItem, Severity } from './function-runtime.ts';
import type { SourceDocument, SourceFile } from './read-resources.ts';
import type { Finding, FunctionRun } from './render-types.ts';

/** Gives the text of a rendered file. */
export type TextOf = (path: string) => string | undefined;

/** Findings of all runs, in order. `modeOf` says how a guardrail's findings count. */
export function findingsOf(
  runs: readonly FunctionRun[],
  textOf: TextOf,
  paths: readonly string[],
  modeOf: (guardrail: string) => 'enforce' | 'warn' | 'dryrun' | undefined,
): Finding[] {
  const places = new Places(textOf, paths);
  return runs.flatMap((run) => {
    const items: ResultItem[] = [...run.results];
    if (run.refused !== undefined) {
      items.push({
        message: `${run.refused.message} ${run.refused.hint}`,
        severity: 'error',
        tags: { code: run.refused.code },
      });
    } else if (run.exitCode !== 0 && !items.some((item) => item.severity === 'error')) {
      const named = cutLines(run.stderr?.trim() ?? '', { characters: 2000 });
      items.push({
        message: named === '' ? `The function failed with exit code ${run.exitCode}.` : named,
        severity: 'error',
      });
    }
    if (run.unconfined !== undefined) items.push(unconfinedItem(run.unconfined));
    const mode = run.guardrail === undefined ? undefined : modeOf(run.guardrail);
    return items.map((item): Finding => {
      const base = {
        severity: lower(item.severity ?? 'info', mode),
        message: item.message,
        function: run.function,
        ...(run.guardrail === undefined ? {} : { guardrail: run.guardrail }),
        item,
      };
      return placedLazily(base, () => places.find(run.package, item));
    });
  });
}

/** The warning about a program that ran without a sandbox. */
export function unconfinedItem(message: string): ResultItem {
  return { message, severity: 'warning', tags: { code: 'EXEC_UNCONFINED' } };
}

function lower(severity: Severity, mode: 'enforce' | 'warn' | 'dryrun' | undefined): Severity {
  if (mode === 'dryrun') return 'info';
  return mode === 'warn' && severity === 'error' ? 'warning' : severity;
}

type Place = Pick<Finding, 'file' | 'line' | 'column' | 'resource'>;

/** A finding that looks its place up when it is asked for: most are never shown, and files need not be read for them. */
function placedLazily(base: Omit<Finding, keyof Place>, find: () => Place): Finding {
  let found: Place | undefined;
  const part = (key: keyof Place): PropertyDescriptor => ({
    enumerable: true,
    get: () => (found ??= find())[key],
  });
  return Object.defineProperties(base, {
    file: part('file'),
    line: part('line'),
    column: part('column'),
    resource: part('resource'),
  });
}

/** Files and documents that are looked at for the places of all results; past them, results have none. */
const MAX_LOOKS = 20_000_000;

/** Finds places in rendered files; each file is read once, and only when a result names it. */
class Places {
  readonly #textOf: TextOf;
  readonly #paths: readonly string[];
  readonly #candidates = new Map<string, readonly string[]>();
  #looks = MAX_LOOKS;
  readonly #known = new Map<string, SourceFile | undefined>();
  readonly #lines = new Map<string, readonly number[]>();

  constructor(textOf: TextOf, paths: readonly string[]) {
    this.#textOf = textOf;
    this.#paths = paths;
  }

  find(dir: string, item: ResultItem): Place {
    const { file, resourceRef, place } = item;
    if (place?.line !== undefined) return { file: place.path, line: place.line, column: 1 };
    const named = resourceRef?.name === undefined || resourceRef.name === '' ? undefined : resourceRef;
    const document = this.#document(dir, item);
    const resource = document === undefined ? refOf(named) : (refOf(named) ?? refOfValue(document));
    const path = document?.file ?? this.#candidatesFor(dir, file?.path)[0] ?? (file?.path || undefined);
    if (document === undefined)
      return {
        ...(path === undefined ? {} : { file: path }),
        ...(resource === undefined ? {} : { resource }),
      };
    const field = item.place?.field ?? item.field?.path;
    const node = field === undefined ? undefined : fieldAt(document.root, field);
    return {
      file: document.file,
      ...this.#position(document, node?.start ?? document.root.at?.body ?? 0),
      ...(resource === undefined ? {} : { resource }),
    };
  }

  #document(dir: string, { file: named, place, resourceRef }: ResultItem): SourceDocument | undefined {
    const file = place ?? named;
    const candidates = file?.path
      ? this.#candidatesFor(dir, file.path)
      : resourceRef?.name
        ? this.#paths
        : [];
    for (const path of candidates) {
      if (this.#looks < 0) return undefined;
      const documents = this.#read(path)?.documents ?? [];
      this.#looks -= 1 + documents.length;
      const found = documents.filter((document) => isThat(document, resourceRef));
      const match = found.find((document) => document.index === (file?.index ?? 0)) ?? found[0];
      if (match !== undefined && (file?.path !== undefined || resourceRef?.kind !== undefined)) return match;
    }
    return undefined;
  }

  #position(document: SourceDocument, start: number): Pick<Finding, 'line' | 'column'> {
    const text = document.root.at?.source.text ?? '';
    let lines = this.#lines.get(text);
    if (lines === undefined) this.#lines.set(text, (lines = lineStarts(text)));
    let line = 0;
    for (let step = 1 << Math.ceil(Math.log2(lines.length + 1)); step > 0; step >>= 1) {
      if ((lines[line + step] ?? Infinity) <= start) line += step;
    }
    // A byte order mark takes no column.
    const mark = line === 0 && start > 0 && text.startsWith('\uFEFF') ? 1 : 0;
    return { line: line + 1, column: start - (lines[line] ?? 0) + 1 - mark };
  }

  /** A result's path is relative to the package of the resource: the running one or one below it. */
  #candidatesFor(dir: string, path: string | undefined): readonly string[] {
    if (path === undefined || path === '') return [];
    const own = dir === '.' ? path : `${dir}/${path}`;
    const prefix = dir === '.' ? '' : `${dir}/`;
    const key = `${own}\n${path}`;
    const known = this.#candidates.get(key);
    if (known !== undefined) return known;
    this.#looks -= this.#paths.length;
    if (this.#looks < 0) return [];
    const below = this.#paths.filter(
      (other) => other !== own && other.startsWith(prefix) && other.endsWith(`/${path}`),
    );
    const found = this.#paths.includes(own) ? [own, ...below] : below;
    this.#candidates.set(key, found);
    return found;
  }

  #read(path: string): SourceFile | undefined {
    if (!this.#known.has(path)) {
      const text = this.#textOf(path);
      this.#known.set(path, text === undefined ? undefined : reread(path, text));
    }
    return this.#known.get(path);
  }
}

/** Where each line begins. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

function isThat(document: SourceDocument, ref: ResultItem['resourceRef']): boolean {
  if (ref === undefined) return true;
  const { apiVersion, kind, namespace, name } = refOfValue(document);
  return (
    (!ref.apiVersion || ref.apiVersion === apiVersion) &&
    (!ref.kind || ref.kind === kind) &&
    (!ref.name || ref.name === name) &&
    (!ref.namespace || namespace === '' || ref.namespace === namespace)
  );
}

function refOfValue(document: SourceDocument): ResourceRef {
  const { apiVersion, kind, metadata } = document.value;
  const { name, namespace } = isMap(metadata) ? metadata : {};
  return { apiVersion: text(apiVersion), kind: text(kind), namespace: text(namespace), name: text(name) };
}

function refOf(ref: ResultItem['resourceRef']): ResourceRef | undefined {
  if (ref === undefined) return undefined;
  return {
    apiVersion: ref.apiVersion ?? '',
    kind: ref.kind ?? '',
    namespace: ref.namespace ?? '',
    name: ref.name ?? '',
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

interface Found {
  /** Offset of the key or dash. */
  readonly start: number;
}

/** The slot that a result's field path names, such as `spec.containers[0].image`, or the nearest one above it. */
function fieldAt(root: YamlNode, path: string): Found | undefined {
  let here = root;
  let found: Found | undefined;
  let rest = path.replace(/^\$?\.?/, '');
  while (rest !== '') {
    const node = resolved(here);
    const index = /^\[(\d+)\]\.?/.exec(rest) ?? (node.kind === 'list' ? /^(\d+)(?:\.|$)/.exec(rest) : null);
    if (index !== null && node.kind === 'list') {
      const item = node.items[Number(index[1])];
      if (item === undefined) return found;
      found = { start: item.at?.start ?? item.value.at?.start ?? 0 };
      here = item.value;
      rest = rest.slice(index[0].length);
      continue;
    }
    if (node.kind !== 'map') return found;
    const name = keyIn(
      node.entries.map((entry) => entry.name),
      rest,
    );
    const entry = name === undefined ? undefined : entryOf(node, name.key);
    if (name === undefined || entry === undefined) return found;
    found = { start: entry.at?.start ?? entry.value.at?.start ?? 0 };
    here = entry.value;
    rest = name.rest;
  }
  return found;
}

/** The longest key of the map with which the path goes on: keys may hold dots themselves. */
function keyIn(keys: readonly string[], path: string): { key: string; rest: string } | undefined {
  const bracket = /^\["?([^"\]]+)"?\]\.?/.exec(path);
  if (bracket?.[1] !== undefined && keys.includes(bracket[1]))
    return { key: bracket[1], rest: path.slice(bracket[0].length) };
  const plain = path.replaceAll('\\.', '.');
  const match = keys
    .filter((key) => plain.startsWith(key) && /^$|^[.[]/.test(plain.slice(key.length)))
    .sort((a, b) => b.length - a.length)[0];
  return match === undefined ? undefined : { key: match, rest: plain.slice(match.length).replace(/^\./, '') };
}
