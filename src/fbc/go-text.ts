/** Texts as Go prints them, because the messages of operator tools are known in that form. */

const ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** What Go's `%q` does not print as it is: controls, spaces other than the plain one, formats, and what is unassigned. */
const UNPRINTABLE = /["\\]|[^\P{C}]|[^\P{Z} ]/gu;

/** Go's `%q`: in double quotes, with everything that does not print escaped. */
export function quoted(text: string): string {
  return `"${text.toWellFormed().replaceAll(UNPRINTABLE, escape)}"`;
}

function escape(character: string): string {
  const known = ESCAPES[character];
  if (known !== undefined) return known;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/** Go's `%v` of a list of texts. */
export function listed(texts: readonly string[]): string {
  return `[${texts.join(' ')}]`;
}

/** Orders by code point, as Go orders by byte; JavaScript's own order differs past U+FFFF. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left === right) continue;
    const [leftPair, rightPair] = [left >= 0xd800 && left <= 0xdfff, right >= 0xd800 && right <= 0xdfff];
    if (leftPair !== rightPair) return leftPair ? 1 : -1;
    return left < right ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}
