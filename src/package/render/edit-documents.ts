/** Text of resource files, edited in place. */
import { sameEnd } from '../yaml/edit.ts';
import type { Source } from '../yaml/node.ts';
import { documentText, patchDocument } from '../yaml/patch.ts';
import { applySplices } from '../yaml/splice.ts';
import { changeTree, newTree } from './change-nodes.ts';
import { getField, isContainer, noteOf, sameValue, setNote } from './field-notes.ts';
import type { Container } from './field-notes.ts';
import type { KrmObject } from './krm-object.ts';
import { readResources } from './read-resources.ts';
import type { SourceFile } from './read-resources.ts';

/**
 * The text of a file whose documents, in this order, shall hold these values. Only lines whose data or comments differ
 * are touched.
 */
export function editInPlace(source: SourceFile, wanted: readonly KrmObject[]): string {
  const { source: text } = source.yaml;
  let unfinished = false;
  const splices = wanted.flatMap((value, at) => {
    const document = source.documents[at];
    const place = document === undefined ? undefined : source.yaml.documents[document.at];
    if (document === undefined || place === undefined || sameValue(document.value, value)) return [];
    const isBroken = breakFlow(value, document.value) && document.root.flow === true;
    const tree = isBroken ? newTree(value) : changeTree(document.root, document.value, value);
    unfinished ||= tree.unfinished;
    return patchDocument(text, place, tree.root);
  });
  if (splices.length === 0) return text.text;
  const edited = sameEnd(text.text, applySplices(text.text, splices));
  return unfinished || needsCheck(text.text) ? settle(source, edited, wanted) : edited;
}

/**
 * Puts collections in flow style around a comment that `before` does not have into block style: `{}` and `[]` on one line
 * have no place for it. Changes the notes of `after`; true where a comment in it is new.
 */
function breakFlow(after: Container, before: unknown): boolean {
  const old = isContainer(before) ? before : {};
  let isCommented = false;
  for (const key of Array.isArray(after) ? after.keys() : Object.keys(after)) {
    const { comment, style } = noteOf(after, key);
    const value = getField(after, key);
    if (isContainer(value) && breakFlow(value, getField(old, key))) {
      if (style === 'flow') setNote(after, key, { style: undefined });
      isCommented = true;
    }
    isCommented ||= comment !== undefined && comment !== noteOf(old, key).comment;
  }
  return isCommented;
}

/** Anchors and explicit keys are the layouts in which editing in place may go wrong. */
function needsCheck(text: string): boolean {
  return /[&*][A-Za-z0-9_]|^[ \t]*\? /m.test(text);
}

/** A second look at edited text: comments get their place, and what does not hold its data is written anew. */
function settle(source: SourceFile, edited: string, wanted: readonly KrmObject[]): string {
  let text = edited;
  for (let round = 0; round < 2; round += 1) {
    const again = reread(source.path, text);
    if (again === undefined || again.documents.length !== wanted.length) break;
    const splices = again.documents.flatMap((document, at) => {
      const place = again.yaml.documents[document.at];
      const value = wanted[at];
      if (place === undefined || value === undefined || sameValue(document.value, value)) return [];
      return patchDocument(again.yaml.source, place, changeTree(document.root, document.value, value).root);
    });
    if (splices.length === 0) break;
    text = sameEnd(text, applySplices(text, splices));
  }
  const last = reread(source.path, text);
  const holds =
    last !== undefined &&
    last.documents.length === wanted.length &&
    last.documents.every((document, at) => sameValue(document.value, wanted[at], false));
  return holds ? text : editApart(source, wanted);
}

/** Edits each document alone, so that only one whose layout does not allow it is written anew. */
function editApart(source: SourceFile, wanted: readonly KrmObject[]): string {
  const { text } = source.yaml.source;
  const values = new Map(
    source.documents.map((document, at) => [document.at, { document, value: wanted[at] }]),
  );
  const parts = source.yaml.documents.map((place, at) => {
    const [start, end] = place.chunk;
    const { document, value } = values.get(at) ?? {};
    if (document === undefined || value === undefined || sameValue(document.value, value))
      return text.slice(start, end);
    const alone = values.size === 1 ? undefined : reread(source.path, text.slice(place.bodyStart, end));
    if (alone?.documents.length === 1)
      return text.slice(start, place.bodyStart) + editInPlace(alone, [value]);
    // Comments above the resource stay.
    const above = text.slice(start, document.root.at?.start ?? place.bodyStart);
    return above.slice(0, above.lastIndexOf('\n') + 1) + printResource(value, source.yaml.source);
  });
  return parts.join('');
}

/** A file's text read; undefined where it cannot be. */
export function reread(path: string, text: string): SourceFile | undefined {
  try {
    return readResources(path, text);
  } catch {
    return undefined;
  }
}

/** A document that is in no file yet, comments included, in the manner of the file that it goes to. */
export function printResource(value: KrmObject, like?: Source): string {
  const tree = newTree(value);
  const text = documentText(tree.root, like);
  const made = tree.unfinished ? reread('', text) : undefined;
  return made === undefined ? text : editInPlace(made, [value]);
}
