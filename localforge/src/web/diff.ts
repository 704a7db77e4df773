/** The text of a patch, as `git diff` writes it below the file header, taken apart. */

export interface DiffLine {
  readonly kind: 'context' | 'add' | 'remove' | 'note';
  /** The number before the change; null where the line was not. */
  readonly old: number | null;
  readonly new: number | null;
  /** Without the sign. */
  readonly text: string;
}

export interface Hunk {
  /** `@@ -1,3 +1,4 @@ place` */
  readonly header: string;
  readonly lines: readonly DiffLine[];
}

/** The hunks of a patch. */
export function parsePatch(patch: string): Hunk[] {
  const hunks: { header: string; lines: DiffLine[] }[] = [];
  let before = 0;
  let after = 0;
  for (const line of patch.replace(/\n$/, '').split('\n')) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (head !== null) {
      [before, after] = [Number(head[1]), Number(head[2])];
      hunks.push({ header: line, lines: [] });
      continue;
    }
    const text = line.slice(1);
    const lines = hunks.at(-1)?.lines;
    if (line.startsWith('+')) lines?.push({ kind: 'add', old: null, new: after++, text });
    else if (line.startsWith('-')) lines?.push({ kind: 'remove', old: before++, new: null, text });
    else if (line.startsWith('\\')) lines?.push({ kind: 'note', old: null, new: null, text: text.trim() });
    else lines?.push({ kind: 'context', old: before++, new: after++, text });
  }
  return hunks;
}
