import { MAX_BITS } from './budget.ts';
import type { Budget } from './budget.ts';
import { fault } from './fault.ts';

const SMALL = 2n ** 63n;

/** Counts arithmetic on long ints: it takes the square of their length. */
export function countWork(x: bigint, y: bigint, budget: Budget): void {
  if (x < SMALL && x > -SMALL && y < SMALL && y > -SMALL) return;
  const [left, right] = [words(x), words(y)];
  budget.work(1 + ((left + right) >> 1) + ((left * right) >> 4));
  budget.make((left + right) * 8);
}

/** @throws PorticoError for an int that is too long to work with */
export function checkSize(x: bigint): bigint {
  if (x < SMALL && x > -SMALL) return x;
  if (words(x) * 64 > MAX_BITS) throw fault(`int is too large: it may have ${MAX_BITS} bits`);
  return x;
}

function words(x: bigint): number {
  return x < SMALL && x > -SMALL ? 1 : Math.ceil(x.toString(16).length / 16);
}

export function floorDivide(x: bigint, y: bigint): bigint {
  if (y === 0n) throw fault('floored division by zero');
  const quotient = x / y;
  return x % y !== 0n && x < 0n !== y < 0n ? quotient - 1n : quotient;
}

export function modulo(x: bigint, y: bigint): bigint {
  if (y === 0n) throw fault('integer modulo by zero');
  const rest = x % y;
  return rest !== 0n && rest < 0n !== y < 0n ? rest + y : rest;
}

export function floatModulo(x: number, y: number): number {
  if (y === 0) throw fault('floating-point modulo by zero');
  const rest = x % y;
  return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest;
}

/** int → float. @throws PorticoError where it is past all floats */
export function toFloat(x: bigint): number {
  const float = Number(x);
  if (!Number.isFinite(float)) throw fault('int too large to convert to float');
  return float;
}

/** A float as `str` prints it: the shortest text that gives it back, with a point or an exponent. */
export function printFloat(x: number): string {
  const text = formatFloat(x, 'g');
  return Number.isFinite(x) && !/[.e]/.test(text) ? `${text}.0` : text;
}

/** As Go's %e, %f and %g: six digits behind the point, or the shortest for `g`; at least two digits of exponent. */
export function formatFloat(x: number, verb: 'e' | 'f' | 'g'): string {
  if (Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x > 0 ? '+inf' : '-inf';
  const sign = x < 0 || Object.is(x, -0) ? '-' : '';
  const size = Math.abs(x);
  if (verb === 'f') return sign + fixed(size);
  const [digits = '', exponent = '0'] = (verb === 'e' ? size.toExponential(6) : size.toExponential()).split(
    'e',
  );
  const power = Number(exponent);
  // Go prints an exponent from the sixth power on, however many digits there are.
  if (verb === 'g' && power >= -4 && power < 6) return sign + String(size);
  return `${sign}${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function fixed(size: number): string {
  if (size < 1e21) return size.toFixed(6);
  return `${BigInt(size)}.000000`;
}

/**
 * The int that a text spells in a base from 2 to 36, or 0 for what its prefix says.
 * @returns undefined where it spells none
 */
export function readInt(text: string, base: number): bigint | undefined {
  const found = /^([+-]?)(0[xX]|0[oO]|0[bB])?([0-9a-zA-Z]+)$/.exec(text);
  if (found === null) return undefined;
  const prefix = found[2]?.[1]?.toLowerCase();
  const prefixed = prefix === 'x' ? 16 : prefix === 'o' ? 8 : prefix === 'b' ? 2 : undefined;
  let radix = base;
  let digits = found[3] ?? '';
  if (prefixed !== undefined && (base === 0 || base === prefixed)) radix = prefixed;
  else if (prefix !== undefined) digits = text.replace(/^[+-]/, '');
  if (radix === 0) {
    if (/^0+[1-9]/.test(digits)) return undefined;
    radix = 10;
  }
  if (digits.length > MAX_BITS) throw fault('int is too large');
  let value = 0n;
  if (radix === 10 && /^\d+$/.test(digits)) value = BigInt(digits);
  else {
    const wide = BigInt(radix);
    for (const digit of digits) {
      const one = Number.parseInt(digit, 36);
      if (!(one < radix)) return undefined;
      value = value * wide + BigInt(one);
    }
  }
  return found[1] === '-' ? -value : value;
}

/** The float that a text spells; undefined where it spells none. */
export function readFloat(text: string): number | undefined {
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return Number(text);
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (word === null) return undefined;
  if (word[2]?.toLowerCase() === 'nan') return NaN;
  return word[1] === '-' ? -Infinity : Infinity;
}
