/**
 * What YAML text says beside its data: line comments, quotes, the way a number is spelled. Functions get plain
 * objects; the notes ride along in a weak map, keyed by the containing object or array, so that a function which does
 * not care never meets them, and one that does (setters live in comments) reads and sets them here.
 */
import { appliedScalar } from '../applied/applied-value.ts';
import type { ScalarValue } from '../yaml/node.ts';
import { readPlain } from '../yaml/scalar.ts';
import { printScalar } from '../yaml/write.ts';
import type { KrmObject } from './krm-object.ts';

export type Container = KrmObject | unknown[];

export interface FieldNote {
  /** Line comment behind the value, without `#` and outer blanks. */
  readonly comment?: string;
  /** Comment behind the key, where the value begins on a later line. */
  readonly keyComment?: string;
  /** Absent: a plain scalar, or a collection in block style. */
  readonly style?: 'single' | 'double' | 'literal' | 'folded' | 'flow';
  /** Spelling of a plain scalar that would print otherwise, such as `0644`, `1.0` or `~`; `spelled` is its value. */
  readonly source?: string;
  readonly spelled?: ScalarValue;
}

const NOTES = new WeakMap<Container, Map<string | number, FieldNote>>();
const NONE: FieldNote = Object.freeze({});

export function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** The note on a field; an empty one where there is none. */
export function noteOf(container: Container, key: string | number): FieldNote {
  return NOTES.get(container)?.get(key) ?? NONE;
}

/** Gives a field its whole note. */
export function putNote(container: Container, key: string | number, note: FieldNote): void {
  const notes = NOTES.get(container);
  if (notes === undefined) NOTES.set(container, new Map([[key, note]]));
  else notes.set(key, note);
}

/** Sets parts of the note on a field; `undefined` removes a part. */
export function setNote(
  container: Container,
  key: string | number,
  parts: { readonly [Part in keyof FieldNote]?: FieldNote[Part] | undefined },
): void {
  const merged = Object.entries({ ...noteOf(container, key), ...parts }).filter(
    ([, part]) => part !== undefined,
  );
  putNote(container, key, Object.fromEntries(merged));
}

/** Reads a field of a map or an element of a list. */
export function getField(container: Container, key: string | number): unknown {
  return (container as Record<string | number, unknown>)[key];
}

/** Writes a field; its comments and quotes stay, its old spelling goes. */
export function setField(container: Container, key: string | number, value: unknown): void {
  // Assigning to __proto__ would change the object instead of giving it a field.
  if (key === '__proto__') Object.defineProperty(container, key, { value, ...OWN });
  else (container as Record<string | number, unknown>)[key] = value;
}

const OWN = { configurable: true, enumerable: true, writable: true };

/** The text of a scalar field as it is spelled, without quotes; undefined for a missing field or a collection. */
export function textOf(container: Container, key: string | number): string | undefined {
  const value = getField(container, key);
  if (typeof value === 'string') return value;
  if (value === undefined || isContainer(value)) return undefined;
  const note = noteOf(container, key);
  if (note.source !== undefined && Object.is(note.spelled, value)) return note.source;
  return printScalar(value as ScalarValue);
}

/**
 * The value of a plain scalar as kpt's library reads it: YAML 1.1's numbers, but of its words only true and false, so
 * that `on` and `yes` are the strings that functions expect.
 */
export function readWord(text: string, value: ScalarValue = readPlain(text)): ScalarValue {
  return typeof value === 'boolean' && !/^(?:true|false)$/i.test(text) ? text : value;
}

/** Writes a scalar's text and lets its type follow from it: quoted stays a string, plain is read anew. */
export function setText(container: Container, key: string | number, text: string): void {
  const quoted = noteOf(container, key).style;
  if (quoted !== undefined && quoted !== 'flow') return setField(container, key, text);
  const value = readWord(text);
  setField(container, key, value);
  if (readPlain(text) !== text) setNote(container, key, { source: text, spelled: value });
}

/**
 * The value as a cluster gets it when its text is written: `on` that stands there without quotes is true, though functions
 * have the string. The same object where nothing differs; else a copy with its notes.
 */
export function appliedValue<Value>(value: Value): Value {
  return isContainer(value) && differsApplied(value) ? (applied(copyValue(value)) as Value) : value;
}

function differsApplied(container: Container): boolean {
  for (const note of NOTES.get(container)?.values() ?? []) if (isWord(note)) return true;
  return Object.values(container).some((value) =>
    isContainer(value) ? differsApplied(value) : typeof value === 'bigint',
  );
}

function isWord({ source, spelled }: FieldNote): boolean {
  return typeof spelled === 'string' && source !== undefined;
}

/** Changes the container. */
function applied(container: Container): Container {
  for (const key of Array.isArray(container) ? container.keys() : Object.keys(container)) {
    const value = getField(container, key);
    if (isContainer(value)) applied(value);
    else setField(container, key, appliedField(container, key));
  }
  return container;
}

/** The scalar in a field as a cluster gets it; see {@link appliedValue}. */
export function appliedField(container: Container, key: string | number): unknown {
  const value = getField(container, key);
  const note = noteOf(container, key);
  if (isWord(note) && Object.is(note.spelled, value)) return readPlain(note.source ?? '');
  return typeof value === 'bigint' ? appliedScalar(value) : value;
}

/** A deep copy with its notes. */
export function copyValue<Value>(value: Value): Value {
  if (!isContainer(value)) return value;
  const copy: Container = Array.isArray(value) ? value.map(copyValue) : {};
  if (!Array.isArray(value)) {
    for (const key of Object.keys(value)) setField(copy, key, copyValue((value as KrmObject)[key]));
  }
  const notes = NOTES.get(value);
  if (notes !== undefined) NOTES.set(copy, new Map(notes));
  return copy as Value;
}

/** True when data and notes of both are equal; key order does not count. */
export function sameValue(a: unknown, b: unknown, notesCount = true): boolean {
  if (Object.is(a, b)) return true;
  if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Array.isArray(a) ? a.keys().toArray() : Object.keys(a);
  if (keys.length !== (Array.isArray(b) ? b.length : Object.keys(b).length)) return false;
  return keys.every(
    (key) =>
      (Array.isArray(b) || Object.hasOwn(b, key)) &&
      sameValue(getField(a, key), getField(b, key), notesCount) &&
      (!notesCount || sameNote(a, b, key)),
  );
}

/** True when the field's text would be the same but for its value: comments, quotes, spelling. */
export function sameNote(a: Container, b: Container, key: string | number): boolean {
  const left = noteOf(a, key);
  const right = noteOf(b, key);
  if (left === right) return true;
  return (
    left.comment === right.comment &&
    left.keyComment === right.keyComment &&
    left.style === right.style &&
    textOf(a, key) === textOf(b, key)
  );
}
