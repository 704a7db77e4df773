/** Pure: texts cut to what the forge takes. */

/** GitHub takes 65,536 characters in a body; a little is left for what a forge may add. */
export const MAX_BODY = 65_000;
export const MAX_RELEASE_BODY = 120_000;
/** Summary and text of a check. */
export const MAX_CHECK_TEXT = 65_535;

/**
 * The text, at most `limit` UTF-16 units long (the strictest way to count). Cuts between code points and after a line
 * if one ends near, closes what is open (code fence, comment, `<details>`) and says how much is missing.
 */
export function cutText(text: string, limit: number, note = cutNote): string {
  let result = text;
  // Closing what is open takes room too; how much shows only after the cut.
  for (let room = limit; result.length > limit && room > 0; room -= result.length - limit) {
    const kept = cleanCut(text, room);
    const closed = `${kept}${closeFence(kept)}${closeDetails(kept)}`;
    result = `${closed}\n\n${note(text.length - kept.length)}`;
  }
  return wholeCodePoints(result, limit);
}

/** A short text in one line, such as a title or a name, cut at `limit` with an ellipsis. */
export function cutLine(text: string, limit: number): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length <= limit ? flat : `${wholeCodePoints(flat, limit - 1)}…`;
}

/** The start of a text: whole code points, whole lines where one ends near, no comment left open. */
function cleanCut(text: string, length: number): string {
  const cut = wholeCodePoints(text, length);
  const line = cut.lastIndexOf('\n');
  const kept = line > cut.length - 2_000 && line > 0 ? cut.slice(0, line) : cut;
  const comment = kept.lastIndexOf('<!--');
  return comment > kept.lastIndexOf('-->') ? kept.slice(0, comment) : kept;
}

function cutNote(missing: number): string {
  return `*(${missing} characters are left out here.)*`;
}

function wholeCodePoints(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** Closes the code fence that is open at the end of a text (CommonMark 4.5). */
function closeFence(text: string): string {
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const [, fence = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence === '') continue;
    if (open === null) open = fence.startsWith('`') && rest.includes('`') ? null : fence;
    else if (fence.startsWith(open) && rest.trim() === '') open = null;
  }
  return open === null ? '' : `\n${open}`;
}

function closeDetails(text: string): string {
  const opened = text.split('<details').length - text.split('</details>').length;
  return opened > 0 ? `\n${'</details>'.repeat(Math.min(opened, 8))}` : '';
}
