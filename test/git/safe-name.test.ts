import { spawnSync } from 'node:child_process';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { checkDirectory, checkRefspec, isFullRef, pathProblem } from '../../src/git/safe-name.ts';

const gitTakes = (ref: string): boolean => spawnSync('git', ['check-ref-format', ref]).status === 0;

describe('refs', () => {
  const piece = fc.constantFrom(
    'a',
    'v1',
    '.',
    '..',
    '/',
    '-',
    '@',
    '{',
    '.lock',
    ' ',
    '~',
    '*',
    '\\',
    ':',
    '\u007f',
    'ü',
    '🚀',
  );

  test('what is let through, git lets through too', () => {
    const name = fc
      .array(piece, { minLength: 1, maxLength: 5 })
      .map((parts) => `refs/heads/${parts.join('')}`);
    fc.assert(
      fc.property(name, (ref) => {
        expect(isFullRef(ref)).toBe(gitTakes(ref));
      }),
      { numRuns: 150 },
    );
  });

  test.each([
    'refs/heads/drafts/app/next',
    'refs/tags/a/b/v1',
    'refs/portico/published/app/v1',
    'refs/heads/-x',
    'refs/heads/ünï',
  ])('%j is a ref', (ref) => expect(isFullRef(ref)).toBe(true));

  test.each([
    'a:b',
    'refs/heads/*',
    'refs/heads/a:--upload-pack=x',
    '+refs/heads/a:refs/heads/b:refs/heads/c',
    '',
  ])('the refspec %j is refused', (refspec) =>
    expect(() => checkRefspec(refspec)).toThrow(expect.objectContaining({ code: 'INVALID_REF' })),
  );
});

describe('paths', () => {
  test.each([
    'a',
    'a/b.yaml',
    '.github/portico.yaml',
    '.gitignore',
    '.gitattributes',
    'gitx',
    'a b/ünï/"q"',
    '-rf',
    'git~x',
    'a/…',
  ])('%j is a path', (path) => expect(pathProblem(path)).toBeNull());

  test.each([
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    './a',
    'a/..',
    '..',
    '.git',
    'a/.Git/b',
    '.git.',
    '.git ',
    'GIT~1',
    'a\0b',
    'a\\b',
    'c:\\x',
    '.\u200dgit',
    '.git:x',
  ])('%j is none', (path) => expect(pathProblem(path)).not.toBeNull());

  test('directories are told in several ways', () => {
    expect(['', '/', '.', '/a/', 'a/b'].map(checkDirectory)).toEqual(['', '', '', 'a', 'a/b']);
    for (const bad of ['../a', 'a/../b', '.git']) expect(() => checkDirectory(bad)).toThrow();
  });
});
