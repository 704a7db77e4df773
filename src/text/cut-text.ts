/** Pure: texts cut to what the forge takes. */

/** How long a text may be, as the forge counts it where the text goes. */
export type Limit =
  /** UTF-16 units, of which no text has fewer than characters. */
  | { readonly characters: number }
  /** Bytes of UTF-8. */
  | { readonly bytes: number };

/**
 * Bodies of issues, pull requests, comments and reviews. GitHub speaks of 65,536 characters everywhere; it means code
 * points in pull requests, and 262,144 bytes in issues and comments (dead-claudia/github-limits#13). A little is left for
 * what a forge may add: a text within this is within both.
 */
export const MAX_BODY: Limit = { characters: 65_000 };
/** Titles of issues and pull requests; GitHub takes 256. */
export const MAX_TITLE: Limit = { characters: 255 };
export const MAX_RELEASE_BODY: Limit = { characters: 120_000 };
/**
 * Summary and text of a check: GitHub's documentation says 65,535 characters, and it counts bytes (github/docs#35252,
 * dorny/test-reporter#57). A check that is refused for it never completes.
 */
export const MAX_CHECK_BYTES = 65_000;

/**
 * The text, at most `limit` long. Cuts between code points and after a line if one ends near, closes what is open (code
 * fence, comment, `<details>`) and says how much is missing.
 */
export function cutText(text: string, limit: Limit, note = cutNote): string {
  const most = 'bytes' in limit ? limit.bytes : limit.characters;
  let result = text;
  // Closing what is open takes room too; how much shows only after the cut.
  for (let room = most; sizeOf(result, limit) > most && room > 0; room -= sizeOf(result, limit) - most) {
    const kept = cleanCut(startOf(text, limit, room));
    const closed = `${kept}${closeFence(kept)}${closeDetails(kept)}`;
    result = `${closed}\n\n${note(text.length - kept.length)}`;
  }
  return startOf(result, limit, most);
}

/** A proposal for a misspelt word: of a text that must be cut, the part that helps most. */
const SUGGESTION = /(?<=^|\s)Did you mean [^?]{1,200}\?/;

/**
 * A sentence, a title or a value on one line, at most `limit` long (a number counts characters), with an ellipsis where it
 * is cut. Ends before the clause that has no room as a whole, because half of one may say the contrary ("the repository
 * does" of "does not allow it"). A "Did you mean …?" moves to the front before it is cut off.
 */
export function shorten(text: string, limit: Limit | number): string {
  const by = typeof limit === 'number' ? { characters: limit } : limit;
  const most = 'bytes' in by ? by.bytes : by.characters;
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  if (sizeOf(flat, by) <= most) return flat;
  const cut = (whole: string): string => {
    const start = startOf(whole, by, most - sizeOf('…', by));
    return `${wholeClauses(start, whole.slice(start.length))}…`;
  };
  const [suggestion] = SUGGESTION.exec(flat) ?? [];
  const short = cut(flat);
  return suggestion === undefined || short.includes(suggestion)
    ? short
    : cut(`${suggestion} ${flat.replace(suggestion, '')}`);
}

/** A name or a value: as it is where it has room, and shortened like a sentence where it has none. */
export function shortenValue(text: string, most: number): string {
  return text.length > most ? shorten(text, most) : text;
}

/**
 * Plain text on several lines, such as the output of a program: cut after one of them, with the count of what is missing
 * as its last line, and a "Did you mean …?" that would be lost as its first.
 */
export function cutLines(text: string, limit: Limit): string {
  const cut = (whole: string): string =>
    cutText(whole, limit, (missing) => `(${missing} characters are omitted here.)`);
  const [suggestion] = SUGGESTION.exec(text) ?? [];
  const short = cut(text);
  return suggestion === undefined || short.includes(suggestion) ? short : cut(`${suggestion}\n${text}`);
}

const CLAUSE_END = /[,;:.?!](?=\s)(?! (?:but|except|not|only|unless|without)\b)/g;
/** Words after which a negation or an exception may come. */
const WAITING = new Set(
  'a an and are be because but by can could did do does for from had has have if in is may must no not of only or should that the to was were which will with without would'.split(
    ' ',
  ),
);

/** The start of a text up to the end of a clause in its second half, or else of a word; a text without either as it is. */
function wholeClauses(start: string, rest: string): string {
  const half = start.length / 2;
  const clause = [...`${start}${rest.slice(0, 9)}`.matchAll(CLAUSE_END)]
    .map(({ index }) => index)
    .findLast((index) => index < start.length && index >= half);
  if (clause !== undefined) return start.slice(0, clause);
  const word = /^\s/.test(rest) ? start.length : start.lastIndexOf(' ');
  return word < half ? start : start.slice(0, word - waitingAtEnd(start.slice(0, word)));
}

/** How many characters the waiting words at the end of a text take, with what parts them from the rest. */
function waitingAtEnd(text: string): number {
  let end = text.length;
  for (let at = end; at > 0;) {
    const space = text.lastIndexOf(' ', at - 1);
    if (space <= 0 || !WAITING.has(text.slice(space + 1, at).toLowerCase())) break;
    at = space;
    while (at > 0 && ' ,;:'.includes(text.charAt(at - 1))) at -= 1;
    end = at;
  }
  return text.length - end;
}

/** Whole lines where one ends near, or else whole words; no comment left open. */
function cleanCut(cut: string): string {
  const line = cut.lastIndexOf('\n');
  const word = cut.lastIndexOf(' ');
  const end =
    line > cut.length - 2_000 && line > 0 ? line : word > cut.length - 200 && word > 0 ? word : cut.length;
  const kept = cut.slice(0, end);
  const comment = kept.lastIndexOf('<!--');
  return comment > kept.lastIndexOf('-->') ? kept.slice(0, comment) : kept;
}

function cutNote(missing: number): string {
  return `*(${missing} characters are omitted here.)*`;
}

function sizeOf(text: string, limit: Limit): number {
  return 'bytes' in limit ? Buffer.byteLength(text) : text.length;
}

/** The start of a text, as many whole code points as have room. */
function startOf(text: string, limit: Limit, room: number): string {
  if (sizeOf(text, limit) <= room) return text;
  if ('bytes' in limit) return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(room)).read);
  const last = text.charCodeAt(room - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? room - 1 : room);
}

/** Closes the code fence that is open at the end of a text (CommonMark 4.5). */
function closeFence(text: string): string {
  let open: string | null = null;
  for (const line of text.split('\n')) {
    // A line may hold characters that `.` else stops at, such as carriage returns: then each shorter fence would be tried.
    const [, fence = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/s.exec(line) ?? [];
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
