import { leadStart, lineComment, regionOf, shiftLine } from './layout.ts';
import type { CommentChange, Slot, SlotPlace } from './node.ts';
import type { Splice } from './splice.ts';

/** A slot that was read, with its place. */
export type ReadSlot = Slot & { readonly at: SlotPlace };

/** Comments above a slot and beside it, where its new state has other ones. */
export function patchComments({
  own,
  made,
  eol,
  replaced,
  splices,
}: {
  readonly own: ReadSlot;
  readonly made: Slot;
  readonly eol: string;
  readonly replaced: boolean;
  readonly splices: Splice[];
}): void {
  const { lead, line } = made.comments ?? {};
  const { inline, column, start } = regionOf(own);
  if (lead !== undefined && !inline)
    splices.push({ start: leadStart(own), end: start, text: leadText(lead, column, eol) });
  const place = line === undefined || replaced ? undefined : lineComment(own);
  if (place === undefined) return;
  const blanks = own.at.source.text.slice(place.start, place.end - place.text.length);
  const text = line === null || line === undefined ? '' : (place.text === '' ? ' ' : blanks) + line;
  splices.push({ start: place.start, end: place.end, text });
}

/** Comments and blank lines above a slot, moved to its column. */
export function leadText(lead: CommentChange['lead'], column: number, eol: string): string {
  if (lead === undefined) return '';
  return lead.lines.map((line) => shiftLine(line, column - lead.column) + eol).join('');
}
