/** Rendered resources → files: only where data changed, and there only the lines that have to. */

import { pathProblem } from '../limits.ts';
import type { PackageFile, PackageFiles } from '../package.ts';
import type { Source } from '../yaml/node.ts';
import { flowText } from '../yaml/write.ts';
import { annotationOf, clearPlace, ID, indexOf, PACKAGE_PATH, pathOf } from './bookkeeping.ts';
import { newTree } from './change-nodes.ts';
import { editInPlace, printResource, reread } from './edit-documents.ts';
import { sameValue } from './field-notes.ts';
import type { KrmObject } from './krm-object.ts';
import { cleanPath } from './package-sources.ts';
import type { SourceDocument, SourceFile } from './read-resources.ts';

/** A resource as it shall be written. */
export interface Outcome {
  /** Relative to the root package. */
  readonly file: string;
  readonly index: number | undefined;
  readonly value: KrmObject;
  readonly source: SourceDocument | undefined;
}

export interface WrittenFiles {
  readonly files: PackageFiles;
  /** Paths that differ from the input, sorted. */
  readonly changed: readonly string[];
  /** Files of the new package that hold resources, read again where they changed. */
  readonly textOf: (path: string) => string | undefined;
}

/** Takes the bookkeeping off the rendered items, in place. `sources` maps identities to documents. */
export function outcomesOf(
  items: readonly KrmObject[],
  sources: ReadonlyMap<string, SourceDocument>,
): Outcome[] {
  return items.map((item) => {
    const source = sources.get(annotationOf(item, ID) ?? '');
    const dir = annotationOf(item, PACKAGE_PATH) ?? '.';
    const path = cleanPath(pathOf(item) ?? '');
    const index = indexOf(item);
    clearPlace(item, source?.value);
    return { file: dir === '.' ? path : `${dir}/${path}`, index, value: item, source };
  });
}

/** Why the outcomes cannot be written: a path that is not allowed, or that holds something else. */
export function writeProblem(
  outcomes: readonly Outcome[],
  files: PackageFiles,
  sources: ReadonlyMap<string, SourceFile>,
): string | undefined {
  for (const { file } of outcomes) {
    if (sources.has(file)) continue;
    const reason = pathProblem(file);
    if (reason !== undefined) return `A function wants to write ${file}, which ${reason}.`;
    if (files.has(file))
      return `A function tried to write ${file}, which exists but is not one of the package's resources.`;
    if ([...files.keys()].some((path) => path.startsWith(`${file}/`))) {
      return `A function wants to write ${file}, which is a directory.`;
    }
  }
  return undefined;
}

/**
 * Writes the outcomes into the package. Files that were read and hold no resource any more are removed, unless `prune`
 * is false: after a failure a missing resource proves nothing.
 */
export function writeFiles(
  outcomes: readonly Outcome[],
  files: PackageFiles,
  sources: ReadonlyMap<string, SourceFile>,
  prune = true,
): WrittenFiles {
  const byFile = Map.groupBy(outcomes, (outcome) => outcome.file);
  const texts = new Map<string, string | undefined>();
  for (const source of sources.values()) {
    const wanted = byFile.get(source.path) ?? [];
    if (wanted.length === 0 && !prune) continue;
    const text =
      wanted.length === 0 && source.documents.length > 0 ? undefined : writeFile(source, wanted, sources);
    if (text !== source.yaml.source.text) texts.set(source.path, text);
  }
  for (const [path, wanted] of byFile)
    if (!sources.has(path)) texts.set(path, newFile(path, wanted, sources));
  const result = new Map<string, PackageFile>(files);
  for (const [path, text] of texts) {
    if (text === undefined) result.delete(path);
    else result.set(path, { mode: files.get(path)?.mode ?? '100644', bytes: new TextEncoder().encode(text) });
  }
  return {
    files: result,
    changed: [...texts.keys()].sort(),
    textOf: (path) => (texts.has(path) ? texts.get(path) : sources.get(path)?.yaml.source.text),
  };
}

function writeFile(
  source: SourceFile,
  wanted: readonly Outcome[],
  sources: ReadonlyMap<string, SourceFile>,
): string {
  const inOrder = ordered(wanted);
  const kept = inOrder.flatMap((outcome) => (outcome.source?.file === source.path ? [outcome.source] : []));
  const untouched =
    inOrder.length === source.documents.length &&
    kept.every((document, at) => document === source.documents[at]);
  if (untouched && kept.length === inOrder.length)
    return editInPlace(
      source,
      inOrder.map(({ value }) => value),
    );
  return rebuild(source, inOrder, sources);
}

/** Documents by position; those without one come last, in the order in which they were made. */
function ordered(wanted: readonly Outcome[]): Outcome[] {
  return wanted.toSorted(
    (a, b) => (a.index ?? Number.MAX_SAFE_INTEGER) - (b.index ?? Number.MAX_SAFE_INTEGER),
  );
}

/** A file that gains, loses or reorders documents: chunks of text are kept, dropped, moved and added whole. */
function rebuild(
  source: SourceFile,
  wanted: readonly Outcome[],
  sources: ReadonlyMap<string, SourceFile>,
): string {
  const { text, eol } = source.yaml.source;
  const parts: string[] = [];
  const bodyOf = (outcome: Outcome): string => body(outcome, sources, source.yaml.source);
  const positions = new Map(source.documents.map((document) => [document.at, document]));
  const kept = wanted.filter((outcome) => outcome.source?.file === source.path);
  const inOrder = kept.every(
    (outcome, at) => at === 0 || (outcome.source?.at ?? 0) > (kept[at - 1]?.source?.at ?? 0),
  );
  if (!inOrder) return joinDocuments(wanted.map(bodyOf), eol);
  const held = new Set(kept.map((outcome) => outcome.source));
  let next = 0;
  for (const [at, document] of source.yaml.documents.entries()) {
    const own = positions.get(at);
    if (own === undefined) {
      // Comments between documents stay where they are.
      const chunk = text.slice(document.bodyStart, document.chunk[1]);
      if (chunk.trim() !== '') parts.push(chunk);
      continue;
    }
    if (!held.has(own)) continue;
    // New documents that come before it go first.
    const until = wanted.findIndex((outcome, position) => position >= next && outcome.source === own) + 1;
    parts.push(...wanted.slice(next, until).map(bodyOf));
    next = until;
  }
  parts.push(...wanted.slice(next).map(bodyOf));
  const marker =
    source.yaml.documents[0]?.hasMarker === true ? text.slice(0, source.yaml.documents[0].bodyStart) : '';
  return marker + joinDocuments(parts, eol);
}

function joinDocuments(parts: readonly string[], eol: string): string {
  return parts.map((part) => (part.endsWith('\n') ? part : part + eol)).join(`---${eol}`);
}

/** The text of one document without `---`: its own, wherever it comes from, with its changes. */
function body(outcome: Outcome, sources: ReadonlyMap<string, SourceFile>, like: Source | undefined): string {
  const { source, value } = outcome;
  const file = source === undefined ? undefined : sources.get(source.file);
  const place = source === undefined ? undefined : file?.yaml.documents[source.at];
  if (source === undefined || file === undefined || place === undefined) return printResource(value, like);
  const { text } = file.yaml.source;
  const own = text.slice(place.bodyStart, place.chunk[1]);
  if (sameValue(source.value, value)) return own;
  // The document alone, so that its changes can be looked at again.
  const alone = reread(source.file, own);
  if (alone?.documents.length !== 1) return printResource(value, like);
  return editInPlace(alone, [value]);
}

function newFile(path: string, wanted: readonly Outcome[], sources: ReadonlyMap<string, SourceFile>): string {
  const documents = ordered(wanted);
  if (path.endsWith('.json') && documents.length === 1 && documents[0] !== undefined) {
    return `${flowText(newTree(documents[0].value).root, true)}\n`;
  }
  return joinDocuments(
    documents.map((outcome) => body(outcome, sources, undefined)),
    '\n',
  );
}
