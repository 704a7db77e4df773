import { isMap } from '../plain-values.ts';
import { appliedField, getField, isContainer, noteOf, sameValue, setField, setNote } from './field-notes.ts';
import type { Container } from './field-notes.ts';
import { pairItems } from './pair-items.ts';

/**
 * Gives a resource that was made of applied values the words of the text that they were read from: `on` where it is
 * still true. Changes `after`.
 */
export function keepWords(before: Container, after: Container): void {
  for (const key of Array.isArray(after) ? after.keys() : Object.keys(after)) {
    const [old, now] = [getField(before, key), getField(after, key)];
    if (isContainer(old) && isContainer(now) && Array.isArray(old) === Array.isArray(now))
      keepWords(old, now);
    else if (!isContainer(old) && old !== now && Object.is(appliedField(before, key), now))
      setField(after, key, old);
  }
}

/**
 * Gives a resource that a program printed the comments, quotes and spellings of the resource that it was given, by
 * position in maps and by identity in lists. A comment that the program itself printed stays. Changes `after`.
 */
export function keepNotes(before: Container, after: Container): void {
  if (isMap(before) && isMap(after)) {
    for (const key of Object.keys(after)) if (Object.hasOwn(before, key)) keepOne(before, key, after, key);
  } else if (Array.isArray(before) && Array.isArray(after)) {
    for (const [at, from] of pairItems(before, after).entries())
      if (from >= 0) keepOne(before, from, after, at);
  }
}

function keepOne(before: Container, from: string | number, after: Container, to: string | number): void {
  const old = getField(before, from);
  const now = getField(after, to);
  const note = noteOf(before, from);
  const printed = noteOf(after, to);
  const comments = {
    comment: printed.comment ?? note.comment,
    keyComment: printed.keyComment ?? note.keyComment,
  };
  if (sameValue(old, now, false)) {
    setNote(after, to, {
      ...note,
      style: note.style,
      source: note.source,
      spelled: note.spelled,
      ...comments,
    });
  } else {
    const alike =
      typeof old === typeof now &&
      Array.isArray(old) === Array.isArray(now) &&
      (old === null) === (now === null);
    // An item that took another one's place in a list of scalars is a stranger to its comment.
    const stranger = Array.isArray(after) && !isContainer(now);
    setNote(after, to, { ...(alike ? { style: note.style } : {}), ...(stranger ? {} : comments) });
  }
  if (isContainer(old) && isContainer(now)) keepNotes(old, now);
}
