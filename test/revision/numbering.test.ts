import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { latestRevision, nextRevision, type Numbering, revisionsOf } from '../../src/revision/numbering.ts';
import { compareRevisions, parseRevisionName } from '../../src/revision/revision-name.ts';

const tags = (path: string, ...names: string[]) =>
  names.map((name) => `refs/tags/${path === '.' ? '' : `${path}/`}${name}`);
const read = (...names: string[]) => names.map((name) => parseRevisionName(name)!);

describe('a revision name', () => {
  test.each(['v1', '1', 'v0', 'v999999999', 'v0.9', 'v2.0.0', '2.0.0', 'v1.0.0-rc.1', 'v1.0.0-0a+build.5'])(
    '%s',
    (name) => {
      expect(parseRevisionName(name)?.name).toBe(name);
    },
  );
  test.each([
    '',
    'v',
    'V1',
    'v01',
    'v1.',
    'v1.2.3.4',
    'v-1',
    'v1 ',
    'v1\n',
    'v9999999999',
    'v9007199254740993',
    'v1.0.0-',
    'v1.0.0-01',
    'v1.0.0-a..b',
    'v1.0-rc',
    'vv1',
    'latest',
    'release-1',
    'v١',
  ])('%j is a foreign tag', (name) => expect(parseRevisionName(name)).toBeUndefined());
});

describe('order', () => {
  test('sequence and SemVer mixed, as SemVer orders them', () => {
    const ordered = [
      '0.9',
      'v0.9.0',
      'v1.0.0-alpha',
      'v1.0.0-alpha.1',
      'v1.0.0-alpha.beta',
      'v1.0.0-beta',
      'v1.0.0-beta.2',
      'v1.0.0-beta.11',
      'v1.0.0-rc.1',
      'v1',
      'v1.0.0',
      'v1.0.1',
      'v1.10.0',
      'v2',
      'v2.0.0',
      'v3',
      'v10',
    ];
    const shuffled = fc.shuffledSubarray(ordered, { minLength: ordered.length });
    fc.assert(
      fc.property(shuffled, (names) => {
        expect(
          read(...names)
            .sort(compareRevisions)
            .map(({ name }) => name),
        ).toEqual(ordered);
      }),
    );
  });
});

describe('revisions of a package', () => {
  const refs = [
    ...tags('web', 'v2', 'v10', 'v1.5.0', 'latest'),
    ...tags('web/sub', 'v7'),
    ...tags('webx', 'v8'),
    ...tags('.', 'v99'),
    'refs/heads/drafts/web/v50',
    'refs/portico/published/web/v11',
    'refs/portico/published/web/v10',
  ];
  test('are those of its tags and ledger alone', () => {
    expect(revisionsOf('web', refs).map(({ name }) => name)).toEqual(['v1.5.0', 'v2', 'v10', 'v11']);
  });
  test('of the package at the root', () =>
    expect(revisionsOf('.', refs).map(({ name }) => name)).toEqual(['v99']));
  test('of none', () => expect(revisionsOf('other', refs)).toEqual([]));
});

describe('the latest', () => {
  test.each([
    [[], undefined],
    [['v1', 'v3', 'v2'], 'v3'],
    [['v1', 'v2.0.0-rc.1'], 'v1'],
    [['v1.0.0-a', 'v1.0.0-b'], 'v1.0.0-b'],
    [['v2', 'v10.0.0'], 'v10.0.0'],
  ])('of %j is %s', (names, latest) => expect(latestRevision(read(...names))?.name).toBe(latest));
});

describe('the next', () => {
  test.each<[string[], Numbering, string]>([
    [[], 'sequence', 'v1'],
    [['v1', 'v2'], 'sequence', 'v3'],
    [['v2', 'v1'], 'sequence', 'v3'],
    [['v5'], 'sequence', 'v6'],
    [['v1', 'v2.0.0'], 'sequence', 'v3'],
    [['v2.0.0-rc.1'], 'sequence', 'v3'],
    [['0.9'], 'sequence', 'v1'],
    [['v0'], 'sequence', 'v1'],
    [[], { semver: 'major' }, 'v1.0.0'],
    [[], { semver: 'minor' }, 'v0.1.0'],
    [[], { semver: 'patch' }, 'v0.0.1'],
    [['v3'], { semver: 'minor' }, 'v3.1.0'],
    [['v1.2.3'], { semver: 'major' }, 'v2.0.0'],
    [['v1.2.3'], { semver: 'minor' }, 'v1.3.0'],
    [['v1.2.3'], { semver: 'patch' }, 'v1.2.4'],
    [['v1.2.0-rc.1'], { semver: 'patch' }, 'v1.2.0'],
    [['v1.2.0-rc.1'], { semver: 'minor' }, 'v1.2.0'],
    [['v1.2.0-rc.1'], { semver: 'major' }, 'v2.0.0'],
    [['v2.0.0-rc.1'], { semver: 'major' }, 'v2.0.0'],
  ])('after %j in %j is %s', (taken, numbering, next) =>
    expect(nextRevision(read(...taken), numbering)).toBe(next),
  );

  test('is newer than everything before, and never used twice', () => {
    const number = fc.nat({ max: 20 });
    const name = fc.oneof(
      number.map((n) => `v${n}`),
      fc
        .tuple(number, number, number, fc.constantFrom('', '-rc.1', '-a'))
        .map(([a, b, c, tail]) => `v${a}.${b}.${c}${tail}`),
    );
    const numbering = fc.constantFrom<Numbering>(
      'sequence',
      { semver: 'major' },
      { semver: 'minor' },
      { semver: 'patch' },
    );
    fc.assert(
      fc.property(fc.array(name), fc.array(numbering, { minLength: 1, maxLength: 8 }), (names, steps) => {
        const taken = read(...names);
        for (const step of steps) {
          const next = parseRevisionName(nextRevision(taken, step))!;
          for (const one of taken) expect(compareRevisions(next, one)).toBeGreaterThan(0);
          taken.push(next);
        }
      }),
    );
  });

  test('a number that was deleted stays in the ledger and is not used again', () => {
    const refs = [...tags('web', 'v1', 'v2'), 'refs/portico/published/web/v3'];
    expect(nextRevision(revisionsOf('web', refs), 'sequence')).toBe('v4');
  });

  test('past the last is an error', () => {
    expect(() => nextRevision(read('v999999999'), 'sequence')).toThrow(
      expect.objectContaining({ code: 'REVISION_LIMIT' }),
    );
  });
});
