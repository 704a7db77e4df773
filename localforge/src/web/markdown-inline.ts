/** The text within a block of Markdown: code, emphasis, links, references and a few tags. See `markdown.ts`. */
import { html } from 'hono/html';

import type { Html } from './html.ts';

export interface MarkdownOptions {
  /** `/owner/name`: where `#12` leads. */
  readonly repository?: string;
  /** What relative links start from, ending in a slash: `/owner/name/blob/main/docs/`. Default: the page. */
  readonly base?: string;
  /** A line break is one on the page, as in comments (true, the default), or a space, as in files. */
  readonly breaks?: boolean;
}

/** Where a piece of text stands. */
export interface MarkdownPlace {
  readonly options: MarkdownOptions;
  readonly depth: number;
  /** Paragraphs stand without their tag, as in lists without blank lines. */
  readonly tight: boolean;
}

/** Levels of nested emphasis and links; recursion would run out of stack. */
export const MAX_DEPTH = 12;
/** So far an end of emphasis is looked for: enough for honest text, and hostile text stays cheap. */
const MAX_EMPHASIS = 1000;

export const deeper = (place: MarkdownPlace, tight = false): MarkdownPlace => ({
  ...place,
  depth: place.depth + 1,
  tight,
});

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  nbsp: '\u00A0',
};

/** The text within a block, as safe HTML. */
export function inline(text: string, place: MarkdownPlace): Html[] {
  const shown: Html[] = [];
  const absent = new Set<string>();
  const within = (part: string): Html[] =>
    place.depth < MAX_DEPTH ? inline(part, deeper(place)) : [html`${part}`];
  /** Where `mark` is next, from `from`; what is not there once is not looked for again. */
  const find = (mark: string, from: number): number => {
    if (absent.has(mark)) return -1;
    const found = text.indexOf(mark, from);
    if (found < 0) absent.add(mark);
    return found;
  };
  let plain = '';
  let at = 0;
  const put = (piece: Html, next: number): void => {
    if (plain !== '') shown.push(html`${plain}`);
    plain = '';
    shown.push(piece);
    at = next;
  };
  while (at < text.length) {
    const stop = nextSpecial(text, at);
    plain += text.slice(at, stop);
    at = stop;
    if (at >= text.length) break;
    const found = token(text, at, { find, within, place, before: text.slice(Math.max(0, at - 210), at) });
    if (found === undefined) {
      plain += text[at] ?? '';
      at += 1;
    } else if (typeof found.shown === 'string') {
      plain = plain.slice(0, plain.length - (found.takeBack ?? 0)) + found.shown;
      at = found.next;
    } else {
      plain = plain.slice(0, plain.length - (found.takeBack ?? 0));
      put(found.shown, found.next);
    }
  }
  if (plain !== '') shown.push(html`${plain}`);
  return shown;
}

function nextSpecial(text: string, from: number): number {
  const special = /[\\`*_~[!<&#\n]|https?:\/\//g;
  special.lastIndex = from;
  return special.exec(text)?.index ?? text.length;
}

interface Around {
  readonly find: (mark: string, from: number) => number;
  readonly within: (part: string) => Html[];
  readonly place: MarkdownPlace;
  /** What stands just before, at most 210 characters. */
  readonly before: string;
}

interface Token {
  /** A string is text as it is. */
  readonly shown: Html | string;
  readonly next: number;
  /** How many characters of the plain text before belong to it. */
  readonly takeBack?: number;
}

function token(text: string, at: number, around: Around): Token | undefined {
  const two = text.slice(at, at + 2);
  switch (text[at]) {
    case '\\':
      return /[!-/:-@[-`{-~]/.test(text[at + 1] ?? '')
        ? { shown: text[at + 1] ?? '', next: at + 2 }
        : undefined;
    case '\n':
      return around.place.options.breaks === false ? undefined : { shown: html`<br />`, next: at + 1 };
    case '`':
      return codeSpan(text, at, around);
    case '*':
    case '_':
      return two === '**' || two === '__'
        ? (emphasis(text, at, two, around) ?? { shown: two, next: at + 2 })
        : emphasis(text, at, text[at] ?? '*', around);
    case '~':
      return two === '~~' ? emphasis(text, at, two, around) : undefined;
    case '!':
      return text[at + 1] === '[' ? link(text, at + 1, around) : undefined;
    case '[':
      return link(text, at, around);
    case '<':
      return tag(text, at, around);
    case '&': {
      const name = /^&(\w{2,5}|#39);/.exec(text.slice(at, at + 8))?.[1] ?? '';
      const character = ENTITIES[name.toLowerCase()];
      return character === undefined ? undefined : { shown: character, next: at + name.length + 2 };
    }
    case '#':
      return reference(text, at, around);
    default:
      return bareLink(text, at, around);
  }
}

function codeSpan(text: string, at: number, { find }: Around): Token {
  let end = at;
  while (text[end] === '`') end += 1;
  const ticks = text.slice(at, end);
  for (let close = find(ticks, end); close >= 0; close = find(ticks, close)) {
    let after = close;
    while (text[after] === '`') after += 1;
    if (after - close === ticks.length) {
      const code = text.slice(end, close).replaceAll('\n', ' ');
      const padded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '';
      return { shown: html`<code>${padded ? code.slice(1, -1) : code}</code>`, next: after };
    }
    close = after;
  }
  return { shown: ticks, next: end };
}

function emphasis(text: string, at: number, mark: string, around: Around): Token | undefined {
  const start = at + mark.length;
  const word = mark.startsWith('_');
  if (/^\s|^$/.test(text[start] ?? '')) return undefined;
  if (word && /\w$/.test(around.before)) return undefined;
  for (let close = around.find(mark, start + 1); close >= 0; close = around.find(mark, close + 1)) {
    const single = mark.length === 1 && (text[close + 1] === mark || text[close - 1] === mark);
    const open = /\s/.test(text[close - 1] ?? '') || (word && /\w/.test(text[close + mark.length] ?? ''));
    if (close - start > MAX_EMPHASIS) return undefined;
    if (single || open) continue;
    const inner = around.within(text.slice(start, close));
    const shown =
      mark === '~~'
        ? html`<del>${inner}</del>`
        : mark.length === 2
          ? html`<strong>${inner}</strong>`
          : html`<em>${inner}</em>`;
    return { shown, next: close + mark.length };
  }
  return undefined;
}

/** `[text](address)`. An address that leads nowhere safe leaves the text alone. */
function link(text: string, at: number, { within, place }: Around): Token | undefined {
  const match =
    /^\[((?:[^[\]\\]|\\.){0,500})\]\(<?([^\s()<>]{0,2000}(?:\([^\s()<>]{0,100}\))?[^\s()<>]{0,200})>?(?:\s+"[^"]{0,200}")?\)/.exec(
      text.slice(at, at + 3000),
    );
  if (match === null) return undefined;
  const href = safeHref(match[2] ?? '', place.options.base);
  const label = within(match[1] ?? '');
  const shown = href === undefined ? html`${label}` : anchor(href, label);
  return { shown, next: at + match[0].length };
}

const anchor = (href: string, label: Html[] | string): Html =>
  html`<a href="${href}" rel="nofollow noreferrer">${label}</a>`;

/** The address if it is one of the web, of mail, or relative; undefined for all else (`javascript:`, `data:`, …). */
function safeHref(address: string, base: string | undefined): string | undefined {
  if (!/^[!-~\u00A1-\uFFFF]+$/.test(address)) return undefined;
  // Whatever stands before a colon counts as a scheme, so that no trick with entities or slashes can hide one.
  const scheme = /^([^:]*):/.exec(address)?.[1]?.toLowerCase();
  if (scheme !== undefined) return ['http', 'https', 'mailto'].includes(scheme) ? address : undefined;
  return base === undefined || /^[/#?\\]/.test(address) ? address : base + address;
}

function bareLink(text: string, at: number, { before }: Around): Token | undefined {
  if (/\w$/.test(before)) return undefined;
  const match = /^https?:\/\/[^\s<>"'`|\\()]{1,1000}(?:\([^\s<>"'`|\\()]{1,200}\))?/.exec(
    text.slice(at, at + 1300),
  )?.[0];
  const address = match?.replace(/[.,;:!?*_~\]]{1,20}$/, '') ?? '';
  return address.length > 9 ? { shown: anchor(address, address), next: at + address.length } : undefined;
}

/** `#12` or `owner/name#12`. */
function reference(text: string, at: number, { before, place }: Around): Token | undefined {
  const number = /^#(\d{1,9})(?!\w)/.exec(text.slice(at, at + 11))?.[1];
  if (number === undefined) return undefined;
  const full = /(?:^|[\s(])([\w.-]{1,100}\/[\w.-]{1,100})$/.exec(before)?.[1];
  const repository = full === undefined ? place.options.repository : `/${full}`;
  if (repository === undefined || (full === undefined && /[\w/&]$/.test(before))) return undefined;
  const label = `${full ?? ''}#${number}`;
  return {
    shown: anchor(`${repository}/issues/${number}`, label),
    next: at + number.length + 1,
    takeBack: full?.length ?? 0,
  };
}

const TAGS: Readonly<Record<string, (inner: Html[]) => Html>> = {
  sub: (inner) => html`<sub>${inner}</sub>`,
  sup: (inner) => html`<sup>${inner}</sup>`,
  code: (inner) => html`<code>${inner}</code>`,
  kbd: (inner) => html`<kbd>${inner}</kbd>`,
  b: (inner) => html`<strong>${inner}</strong>`,
  strong: (inner) => html`<strong>${inner}</strong>`,
  i: (inner) => html`<em>${inner}</em>`,
  em: (inner) => html`<em>${inner}</em>`,
  del: (inner) => html`<del>${inner}</del>`,
};

/** The known tags, addresses in angle brackets, and comments, which vanish. */
function tag(text: string, at: number, { find, within }: Around): Token | undefined {
  if (text.startsWith('<!--', at)) {
    const end = find('-->', at + 4);
    return end < 0 ? undefined : { shown: '', next: end + 3 };
  }
  const head = text.slice(at, at + 1100);
  const address = /^<(https?:\/\/[^\s<>]{1,1000})>/i.exec(head)?.[1];
  if (address !== undefined) return { shown: anchor(address, address), next: at + address.length + 2 };
  const line = /^<br ?\/?>/i.exec(head)?.[0];
  if (line !== undefined) return { shown: html`<br />`, next: at + line.length };
  const name = /^<([a-z]{1,6})>/i.exec(head)?.[1] ?? '';
  const known = Object.hasOwn(TAGS, name.toLowerCase()) ? TAGS[name.toLowerCase()] : undefined;
  const start = at + name.length + 2;
  const end = known === undefined ? -1 : find(`</${name}>`, start);
  if (known === undefined || end < 0) return undefined;
  return { shown: known(within(text.slice(start, end))), next: end + name.length + 3 };
}
