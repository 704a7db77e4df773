import type { FieldChange, PackageDiff } from './diff-types.ts';

/** A comment holds 65,536 characters: a difference with more parts than that is counted, not shown. */
const MAX_PARTS = 20_000;
const MAX_TEXT_LENGTH = 20_000;

/** The difference as far as anybody is shown it. Counts are of all of it. */
export function shownPart(diff: PackageDiff): PackageDiff {
  let parts = 0;
  let whole = 0;
  const resources = diff.resources.map((resource) => {
    parts += resource.fields.length;
    const fields = parts > MAX_PARTS ? [] : resource.fields;
    const { value, ...others } = resource;
    const room = { left: MAX_TEXT_LENGTH };
    const isShown = value !== undefined && whole < MAX_PARTS;
    const shown = isShown ? pruned(value, room) : undefined;
    whole += MAX_TEXT_LENGTH - room.left;
    return {
      ...others,
      ...(isShown && { value: shown }),
      fields: fields.map((field) => ({
        ...field,
        ...shortened(field, 'before'),
        ...shortened(field, 'after'),
      })),
    };
  });
  const files = diff.files.map((file) => {
    const lines = file.hunks.flatMap(({ before, after }) => [...before.lines, ...after.lines]);
    parts += lines.length;
    const isLong = parts > MAX_PARTS || lines.some((line) => line.length > MAX_TEXT_LENGTH);
    return isLong ? { ...file, opaque: true, hunks: [] } : file;
  });
  return { ...diff, resources, files };
}

function shortened(field: FieldChange, side: 'before' | 'after'): Partial<FieldChange> {
  const value = field[side];
  return value === undefined ? {} : { [side]: pruned(value, { left: MAX_TEXT_LENGTH }) };
}

/** The value without what lies beyond so many characters and parts. */
function pruned(value: unknown, room: { left: number }): unknown {
  room.left -= 1;
  if (typeof value === 'string') {
    const text = value.length > room.left ? `${value.slice(0, Math.max(0, room.left))}…` : value;
    room.left -= text.length;
    return text;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const part of value) {
      if (room.left <= 0) break;
      list.push(pruned(part, room));
    }
    return list;
  }
  const map: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) {
    if (room.left <= 0) break;
    room.left -= key.length;
    map[key] = pruned(part, room);
  }
  return map;
}
