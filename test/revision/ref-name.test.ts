import { execFileSync } from 'node:child_process';
import { posix } from 'node:path';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { formatPackageAtRevision, parsePackageAtRevision } from '../../src/revision/package-at-revision.ts';
import {
  fileIn,
  isBelow,
  packagePathOf,
  pathInRepository,
  repositoryDirectory,
  TOP,
} from '../../src/revision/package-path.ts';
import {
  deletionProposedBranch,
  draftBranch,
  ledgerRef,
  packagePathProblem,
  parseBranch,
  parseRef,
  revisionTag,
  updateBranch,
} from '../../src/revision/ref-name.ts';
import { refProblem } from '../../src/revision/ref-rules.ts';

const path = fc.oneof(
  fc.constant('.'),
  fc
    .array(fc.stringMatching(/^[a-zA-Z0-9_][a-zA-Z0-9_-]{0,12}$/), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join('/')),
);
const leaf = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,12}$/);
const revision = fc.oneof(
  fc.integer({ min: 1, max: 999_999_999 }).map((n) => `v${n}`),
  fc.constantFrom('v2.0.0', 'v1.0.0-rc.1', '3'),
);

describe('names are written and read back', () => {
  test.each([
    [draftBranch('web', 'one'), 'drafts/web/one'],
    [draftBranch('.', 'one'), 'drafts/one'],
    [deletionProposedBranch('a/b', 'v3'), 'deletionProposed/a/b/v3'],
    [revisionTag('a/b', 'v3'), 'a/b/v3'],
    [revisionTag('.', 'v3'), 'v3'],
    [ledgerRef('a/b', 'v3'), 'refs/portico/published/a/b/v3'],
    [ledgerRef('.', 'v3'), 'refs/portico/published/v3'],
  ])('%s', (made, name) => expect(made).toBe(name));

  test('any package, workspace and revision', () => {
    fc.assert(
      fc.property(path, leaf, revision, (path, workspace, revision) => {
        expect(parseBranch(draftBranch(path, workspace))).toEqual({ kind: 'draft', path, workspace });
        expect(parseBranch(draftBranch(path, workspace).replace(/^drafts/, 'proposed'))).toEqual({
          kind: 'proposed',
          path,
          workspace,
        });
        expect(parseBranch(deletionProposedBranch(path, revision))).toEqual({
          kind: 'deletion-proposed',
          path,
          version: revision,
        });
        expect(parseRef(`refs/tags/${revisionTag(path, revision)}`)).toEqual({
          kind: 'revision',
          path,
          revision,
        });
        expect(parseRef(ledgerRef(path, revision))).toEqual({ kind: 'ledger', path, revision });
        expect(parseBranch(updateBranch(path, workspace))).toMatchObject({ kind: 'update', path });
      }),
    );
  });

  test.each([
    'refs/heads/main',
    'refs/heads/drafts',
    'refs/heads/drafts/',
    'refs/heads/draft/web/one',
    'refs/heads/Drafts/web/one',
    'refs/heads/drafts//one',
    'refs/tags/web/latest',
    'refs/tags/web/v1x',
    'refs/tags/web/release-v1',
    'refs/notes/web/v1',
    'refs/heads/portico/update/web/readable',
    'refs/portico/other/web/v1',
    'drafts/web/one',
    '',
  ])('%j is none of ours', (ref) => expect(parseRef(ref)).toBeUndefined());

  test('reading never throws', () => {
    const prefix = fc.constantFrom('refs/heads/drafts/', 'refs/tags/', 'refs/portico/published/', '');
    fc.assert(
      fc.property(prefix, fc.string({ unit: 'binary' }), (prefix, rest) => void parseRef(prefix + rest)),
    );
  });
});

describe('update branches', () => {
  test('stay the same, and differ by package and upstream', () => {
    const name = updateBranch('web', 'acme/blueprints:web');
    expect(name).toMatch(/^portico\/update\/web\/[0-9a-f]{10}$/);
    expect(updateBranch('web', 'acme/blueprints:web')).toBe(name);
    expect(updateBranch('web', 'acme/blueprints:api')).not.toBe(name);
    expect(updateBranch('api', 'acme/blueprints:web')).not.toBe(name);
  });

  test('38 no name is a folder of another', () => {
    const names = ['.', 'a', 'a/b', 'a/b/c'].map((path) => updateBranch(path, 'acme/blueprints'));
    for (const one of names) for (const other of names) expect(other.startsWith(`${one}/`)).toBe(false);
  });
});

describe('37 names that git or Portico refuses', () => {
  const refused = [
    '',
    '-x',
    '--upload-pack=x',
    'refs/heads/../x',
    'a..b',
    '@{u}',
    'a@{1}',
    '@',
    'HEAD',
    'x'.repeat(256),
    'é'.repeat(128),
    'a b',
    'a\tb',
    'a\nb',
    'a\u0000b',
    'a\u007Fb',
    'a\u200Bb',
    'a\u00A0b',
    'a\u202Eb',
    'a~b',
    'a^b',
    'a:b',
    'a?b',
    'a*b',
    'a[b',
    'a\\b',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a.',
    'a.lock',
    'a.lock/b',
  ];
  test.each(refused)('%j', (name) => {
    const problem = refProblem(name);
    expect(problem).toBeDefined();
    expect(problem!.message).toMatch(/^[\x20-\x7e…]+$/);
  });
  test.each(refused.filter((name) => !['@', 'HEAD', 'a.'].includes(name)))('%j as a package', (name) => {
    expect(() => revisionTag(name, 'v1')).toThrow(expect.objectContaining({ code: 'BAD_REF_NAME' }));
    expect(packagePathProblem(name)).toBeDefined();
  });

  test.each([
    'main',
    'a/b',
    'a-b',
    'a.b',
    'a@b',
    'über/straße',
    'x'.repeat(240),
    'release-1.0',
    'a{b',
    '日本',
  ])('%j is fine', (name) => {
    expect(refProblem(name)).toBeUndefined();
  });

  test('what passes here passes git', () => {
    const part = fc
      .array(fc.constantFrom(...'ab.@{}~^:?*[\\/- é'.split(''), '..', '.lock', '@{'), { maxLength: 6 })
      .map((parts) => parts.join(''));
    const passed = fc.sample(part, 3000).filter((name) => refProblem(name) === undefined);
    expect(passed.length).toBeGreaterThan(20);
    for (const name of new Set(passed)) execFileSync('git', ['check-ref-format', '--branch', name]);
  });

  test('a workspace or revision with a slash', () => {
    expect(() => draftBranch('a', 'b/c')).toThrow(/slash/);
    expect(() => revisionTag('a', '../v1')).toThrow();
  });

  test('a path that would make a bad ref is told before anything is made', () => {
    expect(packagePathProblem('my package')).toMatchObject({ code: 'ref-character' });
    expect(packagePathProblem('.')).toBeUndefined();
  });
});

describe('package@revision', () => {
  test('is written and read back', () => {
    fc.assert(
      fc.property(path, revision, (path, revision) => {
        expect(parsePackageAtRevision(formatPackageAtRevision({ path, revision }))).toEqual({
          path,
          revision,
        });
      }),
    );
  });
  test.each([
    'web',
    '@v3',
    'web@',
    'web@latest',
    'web@v3@',
    '../web@v3',
    '/web@v3',
    'web @v3',
    '-x@v1',
    '$(id)@v1;',
  ])('%j is none', (text) => expect(parsePackageAtRevision(text)).toBeUndefined());
  test('a package whose name holds an @', () =>
    expect(parsePackageAtRevision('a@b@v3')).toEqual({ path: 'a@b', revision: 'v3' }));
});

describe('package paths', () => {
  test.each([
    ['.', 'web', 'web'],
    ['.', '.', '.'],
    ['packages', 'web', 'packages/web'],
    ['packages', '.', 'packages'],
  ])('below %s, %s is %s', (written, name, inRepository) => {
    const directory = repositoryDirectory(written);
    expect(pathInRepository(directory, name)).toBe(inRepository);
    expect(packagePathOf(directory, inRepository)).toBe(name);
    expect(posix.join(directory, name)).toBe(inRepository);
    expect(fileIn(pathInRepository(directory, name), 'Kptfile')).toBe(posix.join(inRepository, 'Kptfile'));
  });
  test('outside of the directory', () => {
    const packages = repositoryDirectory('packages');
    expect(packagePathOf(packages, 'packages-old/web')).toBeUndefined();
    expect(packagePathOf(packages, '.')).toBeUndefined();
    expect(isBelow(packages, 'packages-old/web')).toBe(false);
    expect(isBelow(TOP, 'packages-old/web')).toBe(true);
  });
  test.each(['', '.', '/', './', '//'])('%j is the top', (written) =>
    expect(repositoryDirectory(written)).toBe(TOP),
  );
});
