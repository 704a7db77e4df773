import type { ScalarValue } from './node.ts';

/**
 * Reads a plain scalar as Kubernetes does: sigs.k8s.io/yaml resolves YAML 1.1, so `on` is true, `0777` is 511
 * and dates stay strings. Integers past 2^53 become bigints, so that no digit is lost.
 */
export function readPlain(text: string): ScalarValue {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  const numeric = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46;
  return numeric ? readNumber(text) : text;
}

const WORDS = new Map<string, ScalarValue>([
  ...wordsOf(null, '', '~', 'null', 'Null', 'NULL'),
  ...wordsOf(true, 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'),
  ...wordsOf(false, 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'),
  ...wordsOf(Number.NaN, '.nan', '.NaN', '.NAN'),
  ...wordsOf(Infinity, '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'),
  ...wordsOf(-Infinity, '-.inf', '-.Inf', '-.INF'),
]);

function wordsOf(value: ScalarValue, ...words: string[]): [string, ScalarValue][] {
  return words.map((word) => [word, value]);
}

const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Go reads what begins with a dot as it stands, and takes underscores between digits alone. */
const DOT_FLOAT = /^\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?$/;
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
/** Go takes a sign behind the prefix, too. */
const SIGNED_BINARY = /^0b([-+])([01]+)$/;

function readNumber(text: string): ScalarValue {
  const digits = text.replaceAll('_', '');
  const integer = INTEGER.exec(digits);
  if (integer !== null) {
    const body = integer[2] ?? '0';
    const octal = /^0[oO]?[0-7]+$/.test(body) ? `0o${body.replace(/^0[oO]?/, '')}` : body.toLowerCase();
    const value = BigInt(octal) * (integer[1] === '-' ? -1n : 1n);
    if (Number.isSafeInteger(Number(value))) return Number(value);
    const fits = value >= -(2n ** 63n) && value < (integer[1] === '' ? 2n ** 64n : 2n ** 63n);
    if (fits || /^[1-9]/.test(body)) return finite(Number(value), value, text);
  }
  const signed = SIGNED_BINARY.exec(digits);
  if (signed !== null && (signed[2] ?? '').length < 54)
    return Number(`0b${signed[2]}`) * (signed[1] === '-' ? -1 : 1);
  const isFloat = text.startsWith('.') ? DOT_FLOAT.test(text) : FLOAT.test(digits);
  return isFloat ? finite(Number(digits), Number(digits), text) : text;
}

/** What is too large for a float stays text. */
function finite(size: number, value: ScalarValue, text: string): ScalarValue {
  return Number.isFinite(size) ? value : text;
}

/** True when a plain scalar of this text would be read back as this very string, by YAML 1.1 and 1.2 readers alike. */
export function isPlainString(text: string, inFlow: boolean): boolean {
  if (readPlain(text) !== text || /^[\d.+-][\d_.,:+-]*$/.test(text) || text === '<<' || text === '=')
    return false;
  if (/^[\s\-?:,[\]{}#&*!|>'"%@`]/.test(text) && !/^[-?:][^\s,[\]{}]/.test(text)) return false;
  if (/[\s:]$/.test(text) || /: |\s#|:\t/.test(text) || /^(?:---|\.\.\.)/.test(text)) return false;
  // Go takes a question mark in a flow collection, and a colon that begins a text there, for a key's.
  if (inFlow && /[,[\]{}?]|:[^\w/]|^:/.test(text)) return false;
  // eslint-disable-next-line no-control-regex -- control characters are what must not stand in a plain scalar
  return !/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/.test(text) && !hasLoneSurrogate(text);
}

/** True for text that UTF-8 cannot hold. */
export function hasLoneSurrogate(text: string): boolean {
  return !text.isWellFormed();
}
