import { headComment, lineComment } from '../yaml/layout.ts';
import type { CommentChange, Slot, SlotPlace } from '../yaml/node.ts';
import type { Resource } from './resources.ts';

/**
 * Comments merge as values of their own: upstream's change arrives where local left the comment alone. Where both
 * changed it local's stays, except that upstream's setters (`# kpt-set:`) win, because functions read them.
 */
export function mergedComments(
  local: Slot,
  base: Slot | undefined,
  upstream: Slot | undefined,
): CommentChange | undefined {
  if (!isRead(local) || !isRead(base) || !isRead(upstream) || local.at.flow) return undefined;
  const line = mergedLine(local, base, upstream);
  const head = mergedHead(local, base, upstream);
  if (line === undefined && head === undefined) return undefined;
  return { ...(line === undefined ? {} : { line }), ...(head === undefined ? {} : { head }) };
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

function mergedHead(local: ReadSlot, base: ReadSlot, upstream: ReadSlot): readonly string[] | undefined {
  const o = headComment(base);
  const u = headComment(upstream);
  if (o.join('\n') === u.join('\n')) return undefined;
  return headComment(local).join('\n') === o.join('\n') ? u : undefined;
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
