/** Pure: what an update of sources says of their versions. The check `portico/sources` reports what becomes of objects. */
import { joined } from '../../text/joined.ts';
import { table } from '../../text/markdown.ts';
import { shownPin, type SourceStep } from '../downstream/source-renewal.ts';
import { code, details, foreignSentence } from '../text/markdown-blocks.ts';

export interface RenewedSources {
  readonly steps: readonly SourceStep[];
  /** What processors left out, or could not do as meant. */
  readonly left: readonly string[];
}

/** The first lines: the difference of the lock, in words. */
export function renewedOpening(path: string, source: RenewedSources): string {
  return [
    `Updates the sources of ${code(path)}. The lock, the fetched files and what the processors make of them are all in this pull request.`,
    ...stepsTable(source),
  ].join('\n\n');
}

/** One package of many that are updated together. */
export function renewedInGroup(path: string, source: RenewedSources): string {
  return joined([`**${code(path)}**`, ...stepsTable(source), renewedText(source)]);
}

function stepsTable({ steps }: RenewedSources): string[] {
  const rows = steps.map(({ id, kind, from, to }) => {
    const isSame = from?.version === to.version;
    return [
      code(id),
      kind,
      from === undefined ? '' : code(shownPin(from, !isSame)),
      code(shownPin(to, !isSame)),
      code(to.resolved),
    ];
  });
  return [
    table(['source', 'kind', 'from', 'to', 'pinned to'], rows.slice(0, MAX_ROWS)),
    ...(rows.length > MAX_ROWS ? [`${rows.length - MAX_ROWS} more are in the lock.`] : []),
  ];
}

const MAX_ROWS = 50;

export function renewedText({ left }: RenewedSources): string {
  return left.length === 0 ? '' : details('Notes of the processors', bullets(left));
}

function bullets(texts: readonly string[]): string {
  const more = texts.length > MAX_ROWS ? [`- and ${texts.length - MAX_ROWS} more`] : [];
  return [...texts.slice(0, MAX_ROWS).map((text) => `- ${foreignSentence(text)}`), ...more].join('\n');
}
