/**
 * Strings of Starlark are bytes, UTF-8 as a rule. Here each is a JavaScript string with one character per byte, so
 * that lengths, indices and order are Starlark's; it becomes text again where it leaves.
 */

const PLAIN = /^[\0-\x7f]*$/;

/** Text → bytes. */
export function encodeText(text: string): string {
  return PLAIN.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** Bytes → text; what is not UTF-8 becomes U+FFFD. */
export function decodeText(bytes: string): string {
  return PLAIN.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
}

/** A string as a literal that gives it back, in double quotes. */
export function quoteText(bytes: string): string {
  return `"${quoteInner(bytes)}"`;
}

/** A bytes value as a literal. */
export function quoteBytes(bytes: string): string {
  return `b"${quoteInner(bytes)}"`;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

/** One well-formed UTF-8 sequence past ASCII, or any other byte. */
const UNIT =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\s\S]/g;

/** The code points of a string, each as its own bytes; a byte that is not UTF-8 stands alone. */
export function unitsOf(bytes: string): string[] {
  return bytes.match(UNIT) ?? [];
}

function quoteInner(bytes: string): string {
  if (!/[^ -~]|["\\]/.test(bytes)) return bytes;
  return bytes.replaceAll(UNIT, (unit) => {
    const escape = ESCAPES.get(unit);
    if (escape !== undefined) return escape;
    if (unit.length > 1) {
      const text = decodeText(unit);
      if (/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(text)) return unit;
      const code = text.codePointAt(0) ?? 0;
      return code > 0xffff
        ? `\\U${code.toString(16).padStart(8, '0')}`
        : `\\u${code.toString(16).padStart(4, '0')}`;
    }
    const code = unit.charCodeAt(0);
    return code >= 32 && code < 127 ? unit : `\\x${code.toString(16).padStart(2, '0')}`;
  });
}
