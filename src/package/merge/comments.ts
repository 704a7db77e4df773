import { afterContent, leadOf, lineComment, shiftLine } from '../yaml/layout.ts';
import type { Lead } from '../yaml/layout.ts';
import type { CommentChange, Slot, SlotPlace, Source } from '../yaml/node.ts';
import type { Side } from './conflict.ts';
import { mergeLines } from './lines.ts';
import type { Resource } from './resources.ts';

/** Told where both sides changed one comment: which side's stays, and what the other one says. */
export type TellComment = (taken: Side, other: string) => void;

/** Tells it as a note. */
export function commentNote(note: (code: string, message: string) => void): TellComment {
  return (taken, other) => {
    const text = other.replaceAll('\n', ' ');
    const isRemoved = text === '';
    const outcome =
      taken === 'local'
        ? `the local one is kept, upstream ${isRemoved ? 'removed its own' : `says: ${text}`}`
        : `upstream's setter is kept, the local one ${isRemoved ? 'had been removed' : `says: ${text}`}`;
    note('COMMENT_BOTH', `both sides changed the comment; ${outcome}`);
  };
}

/**
 * Comments merge as values of their own: upstream's change arrives where local left the comment alone. Where both
 * changed it local's stays, except that upstream's setters (`# kpt-set:`) win, because functions read them. What
 * stands above a slot merges line by line; a change of blank lines alone does not count.
 */
export function mergedComments(
  local: Slot,
  base: Slot | undefined,
  upstream: Slot | undefined,
  tell: TellComment = () => undefined,
): CommentChange | undefined {
  // A made slot has the comments of the read one that it was made of, or what it shall have instead.
  const read = local.at === undefined ? local.base : local;
  if (!isRead(read) || !isRead(base) || !isRead(upstream) || read.at.flow) return undefined;
  const { line: newLine, lead: newLead } = local.comments ?? {};
  const ownLine = newLine === undefined ? (lineComment(read)?.text ?? '') : (newLine ?? '');
  const line = mergedLine(ownLine, base, upstream, tell);
  const lead = mergedLead(newLead ?? leadOf(read), base, upstream, tell);
  if (line === undefined && lead === undefined) return undefined;
  return { ...(line === undefined ? {} : { line }), ...(lead === undefined ? {} : { lead }) };
}

type ReadSlot = Slot & { readonly at: SlotPlace };

function isRead(slot: Slot | undefined): slot is ReadSlot {
  return slot?.at !== undefined;
}

function mergedLine(
  d: string,
  base: ReadSlot,
  upstream: ReadSlot,
  tell: TellComment,
): string | null | undefined {
  const o = lineComment(base)?.text ?? '';
  const u = lineComment(upstream)?.text ?? '';
  if (o === u || d === u) return undefined;
  if (d !== o) {
    const isTaken = isSetter(u);
    tell(isTaken ? 'upstream' : 'local', isTaken ? d : u);
    if (!isTaken) return undefined;
  }
  return u === '' ? null : u;
}

function mergedLead(
  d: Lead | undefined,
  base: ReadSlot,
  upstream: ReadSlot,
  tell: TellComment,
): Lead | undefined {
  const [o, u] = [leadOf(base), leadOf(upstream)];
  if (d === undefined || o === undefined || u === undefined) return undefined;
  const merged = mergedTrivia(d, o, u, tell);
  return merged && { lines: merged, column: d.column };
}

/**
 * The comments of a plain value that took the place of another in a list, on one side: it brings its own. Where it kept the
 * comment that the other value had, the other side's change of that arrives; and what local wrote beside the other value
 * stays, unless one of the two is a setter: a function would write the other value back, or reads what upstream set.
 */
export function replacedComments(
  local: Slot,
  base: Slot | undefined,
  upstream: Slot | undefined,
  replacedBy: Side,
): CommentChange | undefined {
  if (!isRead(local) || !isRead(base) || !isRead(upstream) || local.at.flow) return undefined;
  const choice = (d: string, o: string, u: string): Side => {
    const [now, other] = replacedBy === 'local' ? [d, 'upstream' as const] : [u, 'local' as const];
    if (now === o && o !== '') return other;
    return replacedBy === 'upstream' && (d === '' || d === o || isSetter(d) || isSetter(u))
      ? 'upstream'
      : 'local';
  };
  const [d, o, u] = [local, base, upstream].map((slot) => lineComment(slot)?.text ?? '') as Three;
  const [own, old, theirs] = [leadOf(local), leadOf(base), leadOf(upstream)];
  const change: { line?: string | null; lead?: Lead } = {};
  if (d !== u && choice(d, o, u) === 'upstream') change.line = u === '' ? null : u;
  if (own !== undefined && old !== undefined && theirs !== undefined) {
    const texts = [own, old, theirs].map(({ lines }) => commentsIn(lines)) as Three;
    if (texts[0] !== texts[2] && choice(...texts) === 'upstream') {
      const lines = theirs.lines.map((line) => shiftLine(line.trimEnd(), own.column - theirs.column));
      change.lead = { lines, column: own.column };
    }
  }
  return Object.keys(change).length === 0 ? undefined : change;
}

type Three = [local: string, base: string, upstream: string];

/** True for comments that make a function write the value beside them. */
function isSetter(comment: string): boolean {
  return comment.includes('kpt-set:');
}

/** Merges lines that hold comments or nothing; undefined where local's stay. */
function mergedTrivia(
  local: Lead,
  base: Lead,
  upstream: Lead,
  tell: TellComment,
): readonly string[] | undefined {
  const [d, o, u] = [local, base, upstream].map(({ lines, column }) =>
    lines.map((line) => shiftLine(line.trimEnd(), local.column - column)),
  ) as [string[], string[], string[]];
  if (commentsIn(o) === commentsIn(u) || commentsIn(d) === commentsIn(u)) return undefined;
  if (d.join('\n') === o.join('\n')) return u;
  const merged = mergeLines(textOf(d), textOf(o), textOf(u));
  if (merged === undefined) tell('local', commentsIn(u));
  return merged === undefined || merged === textOf(d) ? undefined : merged.split('\n').slice(0, -1);
}

function commentsIn(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** A document with its content, as it was read. */
export type ReadDocument = Pick<Resource, 'yaml' | 'document' | 'root'>;

/** Comments around the content of a document, in local's line ends; a part that stays local's is absent. */
export interface Surroundings {
  /** Between the document's start and its content. */
  readonly header?: string;
  /** From the line after its content to its end. */
  readonly footer?: string;
}

/** What upstream changed above and below a document's content and local did not; undefined where nothing. */
export function mergedSurroundings(
  local: ReadDocument,
  base: ReadDocument,
  upstream: ReadDocument,
  tell: TellComment,
): Surroundings | undefined {
  const header = mergedAround({ part: headerOf, local, base, upstream, tell });
  const footer = mergedAround({ part: footerOf, local, base, upstream, tell });
  if (header === undefined && footer === undefined) return undefined;
  return { ...(header === undefined ? {} : { header }), ...(footer === undefined ? {} : { footer }) };
}

function mergedAround({
  part,
  local,
  base,
  upstream,
  tell,
}: {
  readonly part: (resource: ReadDocument) => string | undefined;
  readonly local: ReadDocument;
  readonly base: ReadDocument;
  readonly upstream: ReadDocument;
  readonly tell: TellComment;
}): string | undefined {
  const [d, o, u] = [local, base, upstream].map(part);
  if (d === undefined || o === undefined || u === undefined) return undefined;
  const [own, old, theirs] = [d, o, u].map((text) => commentsIn(text.split('\n')));
  if (old === theirs || own === theirs) return undefined;
  if (own !== old) {
    tell('local', theirs ?? '');
    return undefined;
  }
  // As kpt: a header apart from the content, such as a license, stays local's.
  if (part === headerOf && /\n[ \t]*\n/.test(o + u)) return undefined;
  return local.yaml.source.eol === '\n' ? u : u.replaceAll('\n', local.yaml.source.eol);
}

function headerOf({ yaml, document, root }: ReadDocument): string | undefined {
  return root.at && triviaOf(yaml.source.text.slice(document.bodyStart, root.at.start));
}

/** What stands between a document's content and its end, where that is comments and blank lines alone. */
export function footerOf({ yaml, document, root }: ReadDocument): string | undefined {
  return (
    root.at && triviaOf(yaml.source.text.slice(footerStart(yaml.source, root.at.end), document.chunk[1]))
  );
}

/** Where the footer of a document begins whose content ends at `end`. */
export function footerStart({ text }: Source, end: number): number {
  return afterContent(text, end);
}

/** A text that holds comments and blank lines alone, with plain line ends. */
function triviaOf(text: string): string | undefined {
  return /[^\s#]/.test(text.replaceAll(/#.*/g, '')) ? undefined : text.replaceAll('\r\n', '\n');
}

/** The slot with changed comments; the same slot when there is nothing to change. */
export function withComments<Kind extends Slot>(slot: Kind, comments: CommentChange | undefined): Kind {
  if (comments === undefined) return slot;
  const { at: _, ...rest } = slot;
  const base = slot.at === undefined ? slot.base : slot;
  return { ...rest, ...(base === undefined ? {} : { base }), comments } as Kind;
}
