import { leadOf, lineComment, shiftLine } from '../yaml/layout.ts';
import type { Lead } from '../yaml/layout.ts';
import type { CommentChange, Slot, SlotPlace } from '../yaml/node.ts';
import { mergeLines } from './lines.ts';
import type { Resource } from './resources.ts';

/**
 * Comments merge as values of their own: upstream's change arrives where local left the comment alone. Where both
 * changed it local's stays, except that upstream's setters (`# kpt-set:`) win, because functions read them. What
 * stands above a slot merges line by line; a change of blank lines alone does not count.
 */
export function mergedComments(
  local: Slot,
  base: Slot | undefined,
  upstream: Slot | undefined,
): CommentChange | undefined {
  if (!isRead(local) || !isRead(base) || !isRead(upstream) || local.at.flow) return undefined;
  const line = mergedLine(local, base, upstream);
  const lead = mergedLead(local, base, upstream);
  if (line === undefined && lead === undefined) return undefined;
  return { ...(line === undefined ? {} : { line }), ...(lead === undefined ? {} : { lead }) };
}

type ReadSlot = Slot & { readonly at: SlotPlace };

function isRead(slot: Slot | undefined): slot is ReadSlot {
  return slot?.at !== undefined;
}

function mergedLine(local: ReadSlot, base: ReadSlot, upstream: ReadSlot): string | null | undefined {
  const o = lineComment(base)?.text ?? '';
  const u = lineComment(upstream)?.text ?? '';
  if (o === u) return undefined;
  const d = lineComment(local)?.text ?? '';
  if (d === u || (d !== o && !u.includes('kpt-set:'))) return undefined;
  return u === '' ? null : u;
}

function mergedLead(local: ReadSlot, base: ReadSlot, upstream: ReadSlot): Lead | undefined {
  const [d, o, u] = [leadOf(local), leadOf(base), leadOf(upstream)];
  if (d === undefined || o === undefined || u === undefined) return undefined;
  const merged = mergedTrivia(d, o, u);
  return merged && { lines: merged, column: d.column };
}

/** Merges lines that hold comments or nothing; undefined where local's stay. */
function mergedTrivia(local: Lead, base: Lead, upstream: Lead): readonly string[] | undefined {
  const [d, o, u] = [local, base, upstream].map(({ lines, column }) =>
    lines.map((line) => shiftLine(line.trimEnd(), local.column - column)),
  ) as [string[], string[], string[]];
  if (commentsIn(o) === commentsIn(u) || commentsIn(d) === commentsIn(u)) return undefined;
  if (d.join('\n') === o.join('\n')) return u;
  const merged = mergeLines(textOf(d), textOf(o), textOf(u));
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

/**
 * The text above a document's content that upstream changed and local did not, in local's line ends; undefined where
 * local's stays.
 */
export function mergedHeader(local: Resource, base: Resource, upstream: Resource): string | undefined {
  const [d, o, u] = [local, base, upstream].map(headerOf);
  if (d === undefined || o === undefined || u === undefined || o === u || d !== o) return undefined;
  // As kpt: a header apart from the content, such as a license, stays local's.
  if (/\n[ \t]*\n/.test(o + u)) return undefined;
  return local.yaml.source.eol === '\n' ? u : u.replaceAll('\n', local.yaml.source.eol);
}

function headerOf({ yaml, document, root }: Resource): string | undefined {
  if (root.at === undefined) return undefined;
  const text = yaml.source.text.slice(document.bodyStart, root.at.start);
  return /[^\s#]/.test(text.replaceAll(/#.*/g, '')) ? undefined : text.replaceAll('\r\n', '\n');
}

/** The slot with changed comments; the same slot when there is nothing to change. */
export function withComments<Kind extends Slot>(slot: Kind, comments: CommentChange | undefined): Kind {
  if (comments === undefined) return slot;
  const { at: _, ...rest } = slot;
  const base = slot.at === undefined ? slot.base : slot;
  return { ...rest, ...(base === undefined ? {} : { base }), comments } as Kind;
}
