import { describe, expect, test } from 'vitest';

import { parseConstraint } from '../../src/fbc/constraint.ts';
import { parseRange } from '../../src/fbc/range.ts';
import {
  compareVersions,
  formatVersion,
  parseRelease,
  parseVersion,
  type Version,
} from '../../src/fbc/version.ts';

function version(text: string): Version {
  const { value, problem } = parseVersion(text);
  if (value === undefined) throw new Error(`${text}: ${problem}`);
  return value;
}

describe('versions', () => {
  test('keep their order, build metadata aside', () => {
    const rising = [
      '1.0.0-0',
      '1.0.0-2',
      '1.0.0-10',
      '1.0.0-a',
      '1.0.0-a.1',
      '1.0.0-b',
      '1.0.0',
      '1.0.1',
      '18446744073709551615.0.0',
    ];
    const shuffled = rising.toReversed().map(version).sort(compareVersions);
    expect(shuffled.map(formatVersion)).toEqual(rising);
    expect(compareVersions(version('1.0.0+1'), version('1.0.0+2'))).toBe(0);
  });

  test.each([
    ['', 'Version string empty'],
    ['1.2', 'No Major.Minor.Patch elements found'],
    ['v1.2.3', 'Invalid character(s) found in major number "v1"'],
    ['1.02.3', 'Minor number must not contain leading zeroes "02"'],
    ['1.2.3.4', 'Invalid character(s) found in patch number "3.4"'],
    ['1.2.3-', 'Prerelease is empty'],
    ['1.2.3-a.01', 'Numeric PreRelease version must not contain leading zeroes "01"'],
    ['1.2.3+', 'Build meta data is empty'],
    ['18446744073709551616.0.0', 'strconv.ParseUint: parsing "18446744073709551616": value out of range'],
  ])('%j is none', (text, problem) => expect(parseVersion(text)).toEqual({ problem }));

  test('a release has twenty characters at most, and every bad segment is told', () => {
    expect(parseRelease('a'.repeat(21)).problem).toMatch(/exceeds maximum length of 20/);
    expect(parseRelease('a..01').problem?.split('\n')).toHaveLength(2);
  });
});

describe('ranges', () => {
  test.each([
    ['>=1.0.0 <2.0.0', ['1.0.0', '1.9.9', '2.0.0-rc.1'], ['0.9.0', '1.0.0-rc.1', '2.0.0']],
    ['>= 1.0.0  < 2.0.0', ['1.5.0'], ['2.0.0']],
    ['<1.0.0', ['1.0.0-rc.1'], ['1.0.0']],
    ['1.x', ['1.0.0', '1.9.0', '2.0.0-rc.1'], ['2.0.0', '1.0.0-rc.1']],
    ['1.2.x', ['1.2.0', '1.2.9'], ['1.3.0']],
    ['>1.2.x', ['1.3.0'], ['1.2.9']],
    ['<=1.2.x', ['1.2.9'], ['1.3.0']],
    ['>1.0.0 <3.0.0 !2.0.0', ['1.5.0', '2.0.1'], ['2.0.0', '3.0.0']],
    ['<1.0.0 || >=2.0.0 <3.0.0', ['0.5.0', '2.5.0'], ['1.5.0', '3.0.0']],
    ['!=1.0.0', ['0.1.0', '1.0.1'], ['1.0.0', '1.0.0+x']],
    ['>=1.0.0-next.1', ['1.0.0-next.1', '1.0.0'], ['1.0.0-alpha']],
  ])('%j', (text, inside, outside) => {
    const { value, problem } = parseRange(text);
    expect(problem).toBeUndefined();
    expect([...inside, ...outside].filter((one) => value?.matches(version(one)))).toEqual(inside);
  });

  test.each([
    ['', "Last element in range is '||'"],
    ['1', "Last element in range is '||'"],
    ['|| 1.0.0', "First element in range is '||'"],
    ['1.0.0 ||', "Last element in range is '||'"],
    ['^1.0.0', 'Could not parse Range "^1.0.0": Could not parse comparator "^" in "^1.0.0"'],
    [
      '>=1.2',
      'Could not parse Range ">=1.2": Could not parse version "1.2" in ">=1.2": No Major.Minor.Patch elements found',
    ],
    ['a||b', 'Could not get version from string: "a||b"'],
  ])('%j fails in the words of blang', (text, problem) => expect(parseRange(text)).toEqual({ problem }));

  test.each([
    '! 1.2.3',
    '!=1.2.x',
    '1.x.x',
    '>=1.x.3',
    '^1.x',
    '1.2.3 - 2.0.0',
    '>1.0.0-next.1',
    '>=1.0.0 || || >2.0.0',
  ])('%j is refused, though blang reads something else in it or crashes', (text) =>
    expect(parseRange(text).problem).toBeTruthy(),
  );
});

test.each([
  ['^1.2', ['1.2.0', '1.9.0'], ['2.0.0', '1.1.0', '1.3.0-rc.1']],
  ['^0.2.1', ['0.2.1', '0.2.9'], ['0.3.0', '0.2.0']],
  ['~1.2.3', ['1.2.3', '1.2.9'], ['1.3.0']],
  ['1.2', ['1.2.0', '1.2.7'], ['1.3.0']],
  ['>=1.0, <2', ['1.0.0', '1.9.0'], ['2.0.0']],
  ['>1', ['2.0.0'], ['1.9.0']],
  ['<=1', ['1.9.0', '0.1.0'], ['2.0.0']],
  ['1.2 - 1.4', ['1.2.0', '1.4.9'], ['1.5.0', '1.1.0']],
  ['*', ['0.0.0', '9.9.9'], ['1.0.0-rc.1']],
  ['>=1.0.0-0 <2.0.0', ['1.0.0-rc.1', '1.5.0'], ['2.0.0']],
  ['!=1.2', ['1.3.0'], ['1.2.5']],
  ['1.x || 3.x', ['1.1.0', '3.1.0'], ['2.0.0']],
])('the wanted range %j', (text, inside, outside) => {
  const { value } = parseConstraint(text);
  expect([...inside, ...outside].filter((one) => value?.(version(one)))).toEqual(inside);
});

test('a wanted range that is none is told', () => {
  for (const text of ['', '||', '>', 'one', '1.2.3.4', '1.0 ||', '=>>1']) {
    expect(parseConstraint(text).problem).toBe(`improper constraint: "${text}"`);
  }
});
