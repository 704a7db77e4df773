/**
 * A revision's name as it stands in its tag: `v3`, or, in catalogs that number by SemVer, `v2.0.0`. Both are read,
 * with or without the `v`, and `v3` stands where `v3.0.0` would.
 */

import { compareText } from '../text/compare-text.ts';

export interface RevisionName {
  /** As in the tag, such as `v3`. */
  readonly name: string;
  readonly kind: 'sequence' | 'semver';
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** SemVer's dot-separated identifiers after `-`; empty for a release. */
  readonly prerelease: readonly (string | number)[];
}

/** Numbers above this are no revision of ours: adding one must stay exact, and nobody publishes a billion times. */
export const HIGHEST_NUMBER = 999_999_999;

const NUMBER = '(0|[1-9][0-9]{0,8})';
const NAME = new RegExp(
  `^v?${NUMBER}(?:\\.${NUMBER}(?:\\.${NUMBER}(?:-([0-9A-Za-z.-]{1,128}))?(?:\\+[0-9A-Za-z.-]{1,128})?)?)?$`,
);

/** Reads `v3`, `3`, `v0.9` or `v2.0.0-rc.1+build`; undefined for anything else (a foreign tag). */
export function parseRevisionName(name: string): RevisionName | undefined {
  const match = NAME.exec(name);
  if (match === null) return undefined;
  const [, major = '0', minor, patch, tail] = match;
  const prerelease = tail === undefined ? [] : tail.split('.');
  if (prerelease.some((part) => part === '' || /^0[0-9]+$/.test(part))) return undefined;
  return {
    name,
    kind: minor === undefined ? 'sequence' : 'semver',
    major: Number(major),
    minor: Number(minor ?? 0),
    patch: Number(patch ?? 0),
    prerelease: prerelease.map((part) => (/^[0-9]{1,15}$/.test(part) ? Number(part) : part)),
  };
}

/**
 * Orders two revisions: SemVer 2.0.0 §11, then, between names of one precedence (`v2`, `v2.0`, `v2.0.0+a`), by
 * length and text so that the order is total. Negative when `a` is older.
 */
export function compareRevisions(a: RevisionName, b: RevisionName): number {
  return (
    a.major - b.major ||
    a.minor - b.minor ||
    a.patch - b.patch ||
    comparePrerelease(a.prerelease, b.prerelease) ||
    a.name.length - b.name.length ||
    compareText(a.name, b.name)
  );
}

function comparePrerelease(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (const [at, left] of a.entries()) {
    const right = b[at];
    if (right === undefined) return 1;
    const order = compareIdentifier(left, right);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareIdentifier(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number') return -1;
  if (typeof b === 'number') return 1;
  return compareText(a, b);
}
