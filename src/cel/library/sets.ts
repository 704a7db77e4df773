/** Sets and mathematics: cel-go's ext/sets.go and ext/math.go, which Kubernetes has too; base64; JSON pointers. */
import { celEnv, celFunc, celUint, isCelError, isCelUint } from '@bufbuild/cel';
import type { CelFunc, CelList, CelValue } from '@bufbuild/cel';

import { work } from '../work.ts';
import { BOOL, BYTES, DOUBLE, DYN, INT, LIST, STRING, UINT } from './types.ts';

const { funcs } = celEnv();
const [within, less] = [funcs.find('@in'), funcs.find('_<_')];

function contains(list: CelList, one: CelValue): boolean {
  work(list.size);
  return within?.call(0, undefined, [one, list]) === true;
}

function containsAll(list: CelList, wanted: CelList): boolean {
  return [...wanted].every((one) => contains(list, one));
}

export const sets: CelFunc[] = [
  celFunc('sets.contains', [LIST, LIST], BOOL, containsAll),
  celFunc('sets.equivalent', [LIST, LIST], BOOL, (a, b) => containsAll(a, b) && containsAll(b, a)),
  celFunc('sets.intersects', [LIST, LIST], BOOL, (a, b) => [...a].some((one) => contains(b, one))),
];

function isNumber(value: CelValue): boolean {
  return typeof value === 'number' || typeof value === 'bigint' || isCelUint(value);
}

function extreme(list: CelList, wins: (a: CelValue, b: CelValue) => boolean): CelValue {
  const [first, ...rest] = list;
  if (first === undefined || ![first, ...rest].every(isNumber)) throw new Error('numbers are needed');
  return rest.reduce((best, one) => (wins(one, best) ? one : best), first);
}

function isLess(a: CelValue, b: CelValue): boolean {
  const result = less?.call(0, undefined, [a, b]);
  if (isCelError(result)) throw result;
  return result === true;
}

/** Half away from zero, as Go rounds. */
function round(value: number): number {
  return Number.isFinite(value) ? Math.sign(value) * Math.round(Math.abs(value)) : value;
}

function shifted(value: bigint, by: bigint, left: boolean): bigint {
  if (by < 0n) throw new Error('negative offset');
  if (by >= 64n) return 0n;
  return left ? value << by : value >> by;
}

const INT64 = (value: bigint): bigint => BigInt.asIntN(64, value);
const UINT64 = (value: bigint): ReturnType<typeof celUint> => celUint(BigInt.asUintN(64, value));

const REAL: readonly [string, (value: number) => number][] = [
  ['math.ceil', Math.ceil],
  ['math.floor', Math.floor],
  ['math.round', round],
  ['math.trunc', Math.trunc],
  ['math.sqrt', Math.sqrt],
  ['math.abs', Math.abs],
  ['math.sign', Math.sign],
];

const BITS: readonly [string, (a: bigint, b: bigint) => bigint][] = [
  ['math.bitAnd', (a, b) => a & b],
  ['math.bitOr', (a, b) => a | b],
  ['math.bitXor', (a, b) => a ^ b],
];

export const math: CelFunc[] = [
  celFunc('__math_greatest', [LIST], DYN, (list) => extreme(list, (a, b) => isLess(b, a))),
  celFunc('__math_least', [LIST], DYN, (list) => extreme(list, isLess)),
  ...REAL.map(([name, apply]) => celFunc(name, [DOUBLE], DOUBLE, (value) => apply(value))),
  celFunc('math.sqrt', [INT], DOUBLE, (value) => Math.sqrt(Number(value))),
  celFunc('math.sqrt', [UINT], DOUBLE, (value) => Math.sqrt(Number(value.value))),
  celFunc('math.abs', [INT], INT, (value) => {
    if (value === -(2n ** 63n)) throw new Error('integer overflow');
    return value < 0n ? -value : value;
  }),
  celFunc('math.abs', [UINT], UINT, (value) => value),
  celFunc('math.sign', [INT], INT, (value) => (value > 0n ? 1n : value < 0n ? -1n : 0n)),
  celFunc('math.sign', [UINT], UINT, (value) => celUint(value.value > 0n ? 1n : 0n)),
  celFunc('math.isNaN', [DOUBLE], BOOL, (value) => Number.isNaN(value)),
  celFunc('math.isInf', [DOUBLE], BOOL, (value) => Math.abs(value) === Infinity),
  celFunc('math.isFinite', [DOUBLE], BOOL, (value) => Number.isFinite(value)),
  ...BITS.flatMap(([name, apply]) => [
    celFunc(name, [INT, INT], INT, (a, b) => INT64(apply(a, b))),
    celFunc(name, [UINT, UINT], UINT, (a, b) => UINT64(apply(a.value, b.value))),
  ]),
  celFunc('math.bitNot', [INT], INT, (value) => INT64(~value)),
  celFunc('math.bitNot', [UINT], UINT, (value) => UINT64(~value.value)),
  celFunc('math.bitShiftLeft', [INT, INT], INT, (value, by) => INT64(shifted(value, by, true))),
  celFunc('math.bitShiftLeft', [UINT, INT], UINT, (value, by) => UINT64(shifted(value.value, by, true))),
  celFunc('math.bitShiftRight', [INT, INT], INT, (value, by) =>
    INT64(shifted(BigInt.asUintN(64, value), by, false)),
  ),
  celFunc('math.bitShiftRight', [UINT, INT], UINT, (value, by) => UINT64(shifted(value.value, by, false))),
];

export const encoders: CelFunc[] = [
  celFunc('base64.encode', [BYTES], STRING, (bytes) =>
    btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')),
  ),
  celFunc('base64.decode', [STRING], BYTES, (text) => {
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new Error('not base64');
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  }),
  // A step of a JSON pointer (RFC 6901), as Kubernetes' mutating policies need it.
  celFunc('jsonpatch.escapeKey', [STRING], STRING, (key) => key.replaceAll('~', '~0').replaceAll('/', '~1')),
];
