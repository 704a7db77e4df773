import { PorticoError } from '../../error.ts';
import { MAX_DEPTH } from '../limits.ts';
import { isContainer } from './field-notes.ts';

/** What a field takes beside its characters. */
const FIELD = 32;

/**
 * The characters of a value with its keys, and 32 for each field: how much of memory and of text it becomes. Stops
 * counting where it is past `most`.
 * @throws PorticoError NESTED_TOO_DEEP for a value that no file may hold
 */
export function sizeOf(value: unknown, most = Infinity, depth = 0): number {
  if (typeof value === 'string') return FIELD + value.length;
  if (!isContainer(value)) return FIELD;
  if (depth > MAX_DEPTH) {
    throw new PorticoError('NESTED_TOO_DEEP', `A resource is nested more than ${MAX_DEPTH} levels deep.`, {
      blame: 'user',
      hint: 'Fix the function that nests it.',
    });
  }
  let size = FIELD;
  if (Array.isArray(value)) {
    for (const item of value) {
      size += sizeOf(item, most - size, depth + 1);
      if (size > most) return size;
    }
    return size;
  }
  for (const key in value) {
    size += key.length + sizeOf(value[key], most - size, depth + 1);
    if (size > most) return size;
  }
  return size;
}
