import { shortenValue } from '../../text/cut-text.ts';
import { cell, codeSpan } from '../../text/markdown.ts';
import type { PowerChange, PowerDiff } from './power-types.ts';

const UNKNOWN =
  'What these files permit is unknown, because they cannot be read, are links to other files, or let tools build other resources';

/**
 * A permission diff as a Markdown table, ▲ for what is wider and ▼ for what is narrower; '' where nothing changed.
 * At most `most` rows; the rest is counted.
 */
export function powerMarkdown({ changes, unread }: PowerDiff, most = 100): string {
  const rows = changes.slice(0, most).map(row);
  const left = changes.length - rows.length;
  const table =
    rows.length === 0 ? [] : [['| | who | may | look twice |', '|---|---|---|---|', ...rows].join('\n')];
  const more = left > 0 ? [`… and ${left} more.`] : [];
  const blind =
    unread.length > 0
      ? [
          `${UNKNOWN}: ${unread
            .slice(0, 20)
            .map((path) => codeSpan(path))
            .join(', ')}.`,
        ]
      : [];
  return [...table, ...more, ...blind].join('\n\n');
}

/** The same for a terminal, all of it: one change on a line. */
export function powerText({ changes, unread }: PowerDiff): string {
  const lines = changes.map(({ direction, who, what, danger = '' }) => {
    const why = danger === '' ? '' : ` (look twice: ${danger})`;
    return `${direction === 'wider' ? '▲' : '▼'} ${who}: ${what}${why}`;
  });
  const blind = unread.length === 0 ? [] : [`${UNKNOWN}: ${unread.join(', ')}.`];
  return [...lines, ...blind].join('\n');
}

function row({ direction, who, what, danger = '' }: PowerChange): string {
  const cells = [direction === 'wider' ? '▲' : '▼', shown(who), shown(what), danger].map(cell);
  return `| ${cells.join(' | ')} |`;
}

function shown(text: string): string {
  return codeSpan(shortenValue(text, 300));
}
