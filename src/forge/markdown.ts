/** Pure: foreign text made inert, and texts cut to what the forge takes. */

/** GitHub takes 65,536 characters in a body; a little is left for what a forge may add. */
export const MAX_BODY = 65_000;
export const MAX_RELEASE_BODY = 120_000;
/** Summary and text of a check. */
export const MAX_CHECK_TEXT = 65_535;

const ZERO_WIDTH = '\u200b';
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The `&` of a character reference other than these few: the forge looks for mentions and numbers of issues in what it
 * has rendered, where `&#64;` is an `@`.
 */
const HIDING_ENTITY =
  /&(?=#|(?!(?:amp|lt|gt|quot|apos|nbsp|copy|reg|trade|hellip|mdash|ndash|rarr|larr|times|middot|bull|deg);)[a-z][a-z\d]*;)/gi;

/**
 * Foreign Markdown (release notes, messages of functions, names) that can be put into our own: it still reads the
 * same, but mentions nobody, closes and links no issue, is no command, shows no image, holds no HTML or comment, opens
 * no fence and no task box. Put it into a block of its own.
 */
export function inert(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(INVISIBLE, '')
    .replaceAll(HIDING_ENTITY, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('![', `!${ZERO_WIDTH}[`)
    .replaceAll(/\bhttps?:\/\/(?:www\.)?github\.com\//gi, 'https://redirect.github.com/')
    .replaceAll(
      /(:\/)(\/(?!redirect\.github\.com\/)[^\s/]+(?:\/[^\s/]+){2}\/(?:issues|pull|commit|discussions)\/)/gi,
      `$1${ZERO_WIDTH}$2`,
    )
    .replaceAll(/@(?=[a-z\d])/gi, `@${ZERO_WIDTH}`)
    .replaceAll(/#(?=\d)/g, `#${ZERO_WIDTH}`)
    .replaceAll(/\b(GH\\?-)(?=\d)/gi, `$1${ZERO_WIDTH}`)
    .split('\n')
    .map(inertLine)
    .join('\n');
}

/** Foreign text on one line, as inline code: nothing in it is Markdown, a mention or a link. */
export function inertCode(text: string): string {
  const flat = defused(text).replaceAll(/\s+/g, ' ').trim();
  if (flat === '') return '``` ```';
  const fence = '`'.repeat(longestRun(flat, '`') + 1);
  const space = flat.startsWith('`') || flat.endsWith('`') ? ' ' : '';
  return `${fence}${space}${flat}${space}${fence}`;
}

/** Foreign text as a code block whose fence is longer than any in it. `info` is the language. */
export function inertBlock(text: string, info = ''): string {
  const content = defused(text.replaceAll(/\r\n?/g, '\n')).replace(/\n+$/, '');
  const fence = '`'.repeat(Math.max(3, longestRun(content, '`') + 1));
  return `${fence}${info.replaceAll(/[^\w+-]/g, '')}\n${content}\n${fence}`;
}

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

function inertLine(line: string): string {
  // What may stand before: quotes, list markers, white space.
  const [, lead = '', rest = ''] = /^((?:[\s>]|[-*+] |\d{1,9}[.)] )*)(.*)$/.exec(line) ?? [];
  const body = rest
    .replace(/^\//, String.raw`\/`)
    .replace(/^(?:`{3,}|~{3,})/, (run) => run.replaceAll(/./g, String.raw`\$&`))
    .replace(/^\[([ xX])\]/, String.raw`\[$1]`);
  return `${lead}${body}`;
}

/** In code nothing is live, but other readers of the text (command parsers, mail, marker searches) are not so careful. */
function defused(text: string): string {
  return text
    .replaceAll(INVISIBLE, '')
    .replaceAll('<!--', `<!${ZERO_WIDTH}--`)
    .replaceAll(/^(\s*)\/(?=[a-z])/gim, `$1${ZERO_WIDTH}/`);
}

/** The start of a text: whole code points, whole lines where one ends near, no comment left open. */
function cleanCut(text: string, length: number): string {
  const cut = wholeCodePoints(text, length);
  const line = cut.lastIndexOf('\n');
  const kept = line > cut.length - 2_000 && line > 0 ? cut.slice(0, line) : cut;
  const comment = kept.lastIndexOf('<!--');
  return comment > kept.lastIndexOf('-->') ? kept.slice(0, comment) : kept;
}

function longestRun(text: string, mark: string): number {
  let longest = 0;
  let run = 0;
  for (const character of text) {
    run = character === mark ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
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
