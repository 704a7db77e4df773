/** Pure: pieces of Markdown in which foreign text is inert: it stands in code, where nothing is a mention or a tag. */

import { conflictStory, type Conflict } from '../../package/merge/conflict.ts';
import { notShown } from '../../text/counted.ts';
import { shortenValue } from '../../text/cut-text.ts';
import { joined } from '../../text/joined.ts';
import { codeSpan, fence, inertSentence, table } from '../../text/markdown.ts';

/** Inline code that holds any text; line breaks become spaces. */
export function code(text: string): string {
  return text === '' ? '(empty)' : codeSpan(text.replaceAll(/[\r\n\t]+/g, ' '));
}

/** A commit, linked; `htmlUrl` is the address of its repository. */
export function commitLink(htmlUrl: string, commit: string): string {
  return `[\`${commit.slice(0, 7)}\`](${htmlUrl}/commit/${commit})`;
}

/** The first `most` rows as a table, and how many rows are left out. */
export function tableUpTo(
  most: number,
  header: readonly string[],
  rows: readonly (readonly string[])[],
  noun?: string,
): string {
  const more = notShown(rows.length - most, noun);
  return table(header, rows.slice(0, most)) + (more && `\n\n${more}`);
}

/** Conflicts as people read them: where, and the three values. */
export function conflictTable(
  conflicts: readonly (Conflict & { readonly number?: number })[],
  most = 50,
): string {
  const rows = conflicts
    .slice(0, most)
    .map((conflict, at) => [
      String(conflict.number ?? at + 1),
      code(conflict.file),
      `${code(place(conflict))}${deletedText(conflict)}`,
      value(conflict.base),
      value(conflict.upstream),
      value(conflict.local),
      conflict.taken,
    ]);
  return [
    table(['', 'file', 'field', 'before', 'upstream', 'local', 'taken'], rows),
    notShown(conflicts.length - most),
    bothText(conflicts.slice(0, most)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** That one side deleted it, which "absent" in a column of values does not say. */
function deletedText(conflict: Conflict): string {
  const story = conflictStory(conflict);
  return story.startsWith('deleted') ? `: ${story}` : '';
}

/** Which of them can keep both sides. */
function bothText(conflicts: readonly (Conflict & { readonly number?: number })[]): string {
  const numbers = conflicts.flatMap(({ both, number }, at) => (both === true ? [number ?? at + 1] : []));
  const [first] = numbers;
  if (first === undefined) return '';
  return `In ${numbers.length === 1 ? 'conflict' : 'conflicts'} ${numbers.join(', ')}, both sides only added something. To keep both, comment \`/portico resolve ${first} both\`.`;
}

/** Foldable; the blank lines make Markdown inside work. */
export function details(summary: string, body: string, isOpen = false): string {
  return `<details${isOpen ? ' open' : ''}><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}

/** A foreign message as a sentence: on one line, with one full stop. */
export function sentence(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return /[.!?:…]$/.test(flat) || flat === '' ? flat : `${flat}.`;
}

/**
 * A foreign message as a sentence in Markdown, in a paragraph or a cell: what it quotes in code stays; outside of code
 * it mentions nobody, links to nothing by number, shows no image, holds no HTML and ends no cell.
 */
export function foreignSentence(text: string): string {
  return inertSentence(sentence(text));
}

/** A foreign title as its author wrote it, on one line and made inert. */
export function foreignTitle(text: string): string {
  return inertSentence(text.replaceAll(/\s+/g, ' ').trim());
}

/** A fence around text, longer than any run of backticks in it. */
export function fenced(text: string, language = 'text'): string {
  return fence(text.replace(/\n$/, ''), language);
}

function place({ resource, path, part, also = [] }: Conflict): string {
  const name = resource === null ? '' : `${resource.kind}/${resource.name}`;
  return (
    joined([name, [path, ...also.map((one) => one.path)].join(', ')], ' ') ||
    (part === true ? 'lines of the file' : 'the whole file')
  );
}

/** A value of a resource as text, cut to a length; absent stays absent. */
export function shownValue(value: unknown, most: number): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'absent');
  return shortenValue(text, most);
}

function value(of: unknown): string {
  return of === undefined ? 'absent' : code(shownValue(of, 80));
}
