/** What a YAML file says: its data, with its line comments where they count. Layout, order of keys and quotes do not. */
import { noteOf } from '../../src/package/render/field-notes.ts';
import type { Container } from '../../src/package/render/field-notes.ts';
import { readResources } from '../../src/package/render/read-resources.ts';

/** Returns the documents of a text as canonical JSON; other files as they are. */
export function canonical(path: string, text: string, comments = false): string {
  if (!/(?:\.ya?ml|\.json|Kptfile)$/.test(path)) return text;
  return readResources('f', text)
    .documents.map(({ value }) => JSON.stringify(sorted(value, comments)))
    .join('\n');
}

function sorted(value: unknown, comments: boolean): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value).sort();
  const entries = keys.map((key) => {
    const inner = sorted((value as Record<string | number, unknown>)[key], comments);
    const note = comments ? noteOf(value as Container, key) : {};
    const comment = note.comment ?? note.keyComment;
    return [key, comment === undefined ? inner : { value: inner, comment }] as const;
  });
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

/** Returns how many lines differ between two texts, counted as a multiset. */
export function linesChanged(before: string, after: string): number {
  const left = new Map<string, number>();
  for (const line of before.split('\n')) left.set(line, (left.get(line) ?? 0) + 1);
  let added = 0;
  for (const line of after.split('\n')) {
    const count = left.get(line) ?? 0;
    if (count === 0) added += 1;
    else left.set(line, count - 1);
  }
  return added + [...left.values()].reduce((sum, count) => sum + count, 0);
}
