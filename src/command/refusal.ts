import { counted, isOrAre } from '../text/counted.ts';
import { joined, sentenceStart } from '../text/joined.ts';
import { cell } from '../text/markdown.ts';

/** A command that is not carried out: the code is stable, the sentences are for the person who asked. */
export interface Refusal {
  readonly kind: 'refuse';
  readonly code: string;
  readonly message: string;
  /** What to do instead. */
  readonly hint: string;
  /** Where several things stand in the way: each by itself; message and hint hold them all. */
  readonly reasons?: readonly Reason[];
}

/** One thing that stands in the way. */
export interface Reason {
  /** Neither capital nor full stop. */
  readonly message: string;
  readonly hint: string;
  /** Who can do something about it, for people; '' where it takes only time. */
  readonly who: string;
}

/** A refusal in Markdown: a sentence and what to do, or a table where there are several reasons. */
export function refusalText({
  message,
  hint,
  reasons = [],
}: Pick<Refusal, 'message' | 'hint' | 'reasons'>): string {
  if (reasons.length < 2) return joined([message, hint], ' ');
  const rows = reasons.map(
    ({ who, ...reason }) => `| ❌ ${cell(reason.message)} | ${cell(reason.hint)} | ${cell(who)} |`,
  );
  return [
    `${counted(reasons.length, 'requirement')} ${isOrAre(reasons.length)} not met:`,
    ['| missing | what to do | who can |', '|---|---|---|', ...rows].join('\n'),
    'Repeat the command when they are met. `/portico explain` shows the current state at any time.',
  ].join('\n\n');
}

/** `message` becomes a sentence: a capital first, a full stop last. */
export function refuse(code: string, message: string, hint: string): Refusal {
  return { kind: 'refuse', code, message: sentence(message), hint };
}

function sentence(text: string): string {
  const capital = sentenceStart(text);
  return /[.?!]$/.test(capital) ? capital : `${capital}.`;
}
