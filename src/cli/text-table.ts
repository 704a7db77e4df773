/** Rows as lines of text, each column as wide as its widest cell. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** The same as one text. */
export function table(rows: readonly (readonly string[])[]): string {
  return columns(rows)
    .map((line) => `${line}\n`)
    .join('');
}
