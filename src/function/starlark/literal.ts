import { encodeText } from './text.ts';

type Literal =
  | { readonly end: number; readonly value: string; readonly bytes: boolean }
  | { readonly problem: string };

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['\n', ''],
]);

/** Reads the string literal that begins at `start` with `opening` (prefix and quotes); its value in UTF-8. */
export function readStringLiteral(text: string, start: number, opening: string): Literal {
  const quote = opening.replace(/^[a-zA-Z]+/, '');
  const prefix = opening.slice(0, opening.length - quote.length).toLowerCase();
  const raw = prefix.includes('r');
  const bytes = prefix.includes('b');
  const parts: string[] = [];
  let at = start + opening.length;
  let from = at;
  while (!text.startsWith(quote, at)) {
    const char = text[at];
    if (char === undefined) return { problem: 'unexpected EOF in string' };
    if (char === '\n' && quote.length === 1) return { problem: 'unexpected newline in string' };
    if (char !== '\\') {
      at += 1;
    } else if (raw) {
      at += 2;
    } else {
      parts.push(encodeText(text.slice(from, at)));
      const escape = readEscape(text, at + 1, bytes);
      if ('problem' in escape) return escape;
      parts.push(escape.value);
      at = escape.end;
      from = at;
    }
  }
  parts.push(encodeText(text.slice(from, at)));
  return { end: at + quote.length, value: parts.join(''), bytes };
}

/** Reads what stands behind a backslash. */
function readEscape(
  text: string,
  at: number,
  bytes: boolean,
): { readonly end: number; readonly value: string } | { readonly problem: string } {
  const char = text[at] ?? '';
  const simple = SIMPLE.get(char);
  if (simple !== undefined) return { end: at + 1, value: simple };
  const octal = /^[0-7]{1,3}/.exec(text.slice(at, at + 3))?.[0];
  if (octal !== undefined)
    return byteEscape(Number.parseInt(octal, 8), `\\${octal}`, at + octal.length, bytes);
  const length = char === 'x' ? 2 : char === 'u' ? 4 : char === 'U' ? 8 : 0;
  if (length === 0) return { problem: `invalid escape sequence \\${char}` };
  const digits = text.slice(at + 1, at + 1 + length);
  if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length < length)
    return { problem: `truncated escape sequence \\${char}${digits}` };
  const code = Number.parseInt(digits, 16);
  const end = at + 1 + length;
  if (char === 'x') return byteEscape(code, `\\x${digits}`, end, bytes);
  if (code > 0x10ffff) return { problem: `code point out of range: \\${char}${digits} (max \\U0010ffff)` };
  if (code >= 0xd800 && code <= 0xdfff)
    return { problem: `invalid Unicode code point U+${digits.toUpperCase().slice(-4)}` };
  return { end, value: encodeText(String.fromCodePoint(code)) };
}

function byteEscape(
  code: number,
  spelled: string,
  end: number,
  bytes: boolean,
): { readonly end: number; readonly value: string } | { readonly problem: string } {
  if (code > 255) return { problem: `invalid escape sequence ${spelled}` };
  if (code > 127 && !bytes) {
    const kind = spelled.startsWith('\\x') ? 'hex' : 'octal';
    const hint = `use \\u${code.toString(16).toUpperCase().padStart(4, '0')} for the UTF-8 encoding of U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    return { problem: `non-ASCII ${kind} escape ${spelled} (${hint})` };
  }
  return { end, value: String.fromCharCode(code) };
}
