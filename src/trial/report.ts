import type { PlayedRow } from './row.ts';

/** The table in Markdown, as it goes into a report of a bug. */
export function trialTable(rows: readonly PlayedRow[]): string {
  const lines = rows.map(({ number, belief, seen, verdict }) =>
    [String(number), belief, seen, verdict].map(cell).join(' | '),
  );
  return [
    '| # | believed | seen | verdict |',
    '|---|---|---|---|',
    ...lines.map((line) => `| ${line} |`),
  ].join('\n');
}

/** `30 as believed, 0 otherwise, 2 not seen` */
export function trialCounts(rows: readonly PlayedRow[]): string {
  return (['as believed', 'otherwise', 'not seen'] as const)
    .map((verdict) => `${rows.filter((row) => row.verdict === verdict).length} ${verdict}`)
    .join(', ');
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`);
}
