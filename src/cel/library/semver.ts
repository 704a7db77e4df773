/** Semantic versions (apiserver cel/library/semverlib.go). */
import { celFunc, celMethod, type CelFunc } from '@bufbuild/cel';
import type { ReflectMessage } from '@bufbuild/protobuf/reflect';

import { shortenValue } from '../../text/cut-text.ts';
import { opaque } from '../opaque.ts';
import { BOOL, INT, STRING } from './types.ts';

interface Version {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly before: readonly string[];
}

const versionType = opaque<Version>('kubernetes.Semver');

export const SEMVER = versionType.desc;

const STRICT =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

function read(text: string, lenient: boolean): Version | undefined {
  const found = text.length > 256 ? null : STRICT.exec(lenient ? normalized(text) : text);
  if (found === null) return undefined;
  const [, major = '0', minor = '0', patch = '0', before = ''] = found;
  return {
    numbers: [BigInt(major), BigInt(minor), BigInt(patch)],
    before: before === '' ? [] : before.split('.'),
  };
}

/** `v1.2` is 1.2.0, and leading zeros go. */
function normalized(text: string): string {
  const found = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(.*)$/s.exec(text);
  if (found === null) return text;
  const [, major = '0', minor = '0', patch = '0', rest = ''] = found;
  return `${[major, minor, patch].map((part) => String(BigInt(part))).join('.')}${rest}`;
}

function wrap(version: Version): ReflectMessage {
  return versionType.wrap(version, `${version.numbers.join('.')}-${version.before.join('.')}`);
}

function of(value: unknown): Version {
  const version = versionType.unwrap(value);
  if (version === undefined) throw new Error('not a version');
  return version;
}

function parse(text: string, lenient = false): Version {
  const version = read(text, lenient);
  if (version === undefined)
    throw new Error(`${JSON.stringify(shortenValue(text, 100))} is not a semantic version`);
  return version;
}

function compare(a: Version, b: Version): number {
  for (const [at, number] of a.numbers.entries()) {
    const other = b.numbers[at] ?? 0n;
    if (number !== other) return number > other ? 1 : -1;
  }
  if (a.before.length === 0 || b.before.length === 0) return Math.sign(b.before.length - a.before.length);
  for (const [at, part] of a.before.entries()) {
    const other = b.before[at];
    if (other === undefined) return 1;
    const difference = compareParts(part, other);
    if (difference !== 0) return difference;
  }
  return a.before.length < b.before.length ? -1 : 0;
}

function compareParts(a: string, b: string): number {
  const [left, right] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (left && right) return Number(BigInt(a) > BigInt(b)) - Number(BigInt(a) < BigInt(b));
  if (left !== right) return left ? -1 : 1;
  return Number(a > b) - Number(a < b);
}

const { type } = versionType;

export const versions: CelFunc[] = [
  celFunc('semver', [STRING], type, (text) => wrap(parse(text))),
  celFunc('semver', [STRING, BOOL], type, (text, lenient) => wrap(parse(text, lenient))),
  celFunc('isSemver', [STRING], BOOL, (text) => read(text, false) !== undefined),
  celFunc('isSemver', [STRING, BOOL], BOOL, (text, lenient) => read(text, lenient) !== undefined),
  ...(['major', 'minor', 'patch'] as const).map((name, at) =>
    celMethod(name, type, [], INT, function () {
      return of(this).numbers[at] ?? 0n;
    }),
  ),
  celMethod('isGreaterThan', type, [type], BOOL, function (other) {
    return compare(of(this), of(other)) > 0;
  }),
  celMethod('isLessThan', type, [type], BOOL, function (other) {
    return compare(of(this), of(other)) < 0;
  }),
  celMethod('compareTo', type, [type], INT, function (other) {
    return BigInt(compare(of(this), of(other)));
  }),
];
