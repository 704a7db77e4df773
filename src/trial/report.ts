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

/** `29 as believed, 0 otherwise, 2 not seen, 1 not asked` */
export function trialCounts(rows: readonly PlayedRow[]): string {
  return (['as believed', 'otherwise', 'not seen', 'not asked'] as const)
    .map((verdict) => `${rows.filter((row) => row.verdict === verdict).length} ${verdict}`)
    .join(', ');
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`);
}
