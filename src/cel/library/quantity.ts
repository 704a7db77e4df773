/** Kubernetes' quantities (apiserver cel/library/quantity.go, apimachinery resource/quantity.go), exact. */
import { celFunc, celMethod, type CelFunc } from '@bufbuild/cel';
import type { ReflectMessage } from '@bufbuild/protobuf/reflect';

import { opaque } from '../opaque.ts';
import { BOOL, DOUBLE, INT, STRING } from './types.ts';

/** Billionths: the smallest unit there is. */
const UNIT = 1_000_000_000n;

const quantityType = opaque<bigint>('kubernetes.Quantity');

export const QUANTITY = quantityType.desc;

const DECIMAL: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };

/** A quantity in billionths, rounded away from zero as Kubernetes rounds; undefined for what is none. */
function readQuantity(text: string): bigint | undefined {
  const found = /^([+-]?)(\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,2})?$/.exec(
    text,
  );
  if (found === null) return undefined;
  const [, sign, digits = '', suffix = ''] = found;
  const [whole = '', fraction = ''] = digits.split('.');
  const binary = BINARY[suffix];
  const exponent = /^[eE][+-]?\d/.test(suffix) ? Number(suffix.slice(1)) : (DECIMAL[suffix] ?? 0);
  let above = BigInt(whole + fraction || '0') * UNIT * (binary === undefined ? 1n : 1n << binary);
  let below = 10n ** BigInt(fraction.length);
  if (exponent >= 0) above *= 10n ** BigInt(exponent);
  else below *= 10n ** BigInt(-exponent);
  const rounded = (above + below - 1n) / below;
  return sign === '-' ? -rounded : rounded;
}

function wrap(units: bigint): ReflectMessage {
  return quantityType.wrap(units, String(units));
}

function unitsOf(value: unknown): bigint {
  const units = quantityType.unwrap(value);
  if (units === undefined) throw new Error('not a quantity');
  return units;
}

function parse(text: string): bigint {
  const units = readQuantity(text);
  if (units === undefined) {
    throw new Error(
      `quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
    );
  }
  return units;
}

function asInteger(units: bigint): bigint {
  const whole = units / UNIT;
  if (units % UNIT !== 0n || BigInt.asIntN(64, whole) !== whole)
    throw new Error('cannot convert value to integer');
  return whole;
}

const { type } = quantityType;

export const quantities: CelFunc[] = [
  celFunc('quantity', [STRING], type, (text) => wrap(parse(text))),
  celFunc('isQuantity', [STRING], BOOL, (text) => readQuantity(text) !== undefined),
  celMethod('sign', type, [], INT, function () {
    const units = unitsOf(this);
    return units > 0n ? 1n : units < 0n ? -1n : 0n;
  }),
  celMethod('isGreaterThan', type, [type], BOOL, function (other) {
    return unitsOf(this) > unitsOf(other);
  }),
  celMethod('isLessThan', type, [type], BOOL, function (other) {
    return unitsOf(this) < unitsOf(other);
  }),
  celMethod('compareTo', type, [type], INT, function (other) {
    const [a, b] = [unitsOf(this), unitsOf(other)];
    return a > b ? 1n : a < b ? -1n : 0n;
  }),
  celMethod('add', type, [type], type, function (other) {
    return wrap(unitsOf(this) + unitsOf(other));
  }),
  celMethod('add', type, [INT], type, function (other) {
    return wrap(unitsOf(this) + other * UNIT);
  }),
  celMethod('sub', type, [type], type, function (other) {
    return wrap(unitsOf(this) - unitsOf(other));
  }),
  celMethod('sub', type, [INT], type, function (other) {
    return wrap(unitsOf(this) - other * UNIT);
  }),
  celMethod('asInteger', type, [], INT, function () {
    return asInteger(unitsOf(this));
  }),
  celMethod('isInteger', type, [], BOOL, function () {
    const units = unitsOf(this);
    return units % UNIT === 0n && BigInt.asIntN(64, units / UNIT) === units / UNIT;
  }),
  celMethod('asApproximateFloat', type, [], DOUBLE, function () {
    return Number(unitsOf(this)) / Number(UNIT);
  }),
];
