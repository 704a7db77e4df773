import { execFileSync } from 'node:child_process';

import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { isFullRef, pathProblem, checkRefspec } from '../../src/git/safe-name.ts';
import { formatProvenance, parseProvenance } from '../../src/revision/provenance.ts';
import {
  draftBranch,
  ledgerRef,
  parseRef,
  pausedRef,
  revisionTag,
  updateBranch,
} from '../../src/revision/ref-name.ts';
import { refProblem } from '../../src/revision/ref-rules.ts';
import { compareRevisions, parseRevisionName } from '../../src/revision/revision-name.ts';
import { fuzz, hostileText, soup, tolerant } from './fuzzing.ts';

const PIECES = [
  'a',
  'web',
  '/',
  '//',
  '.',
  '..',
  '-',
  '--upload-pack=x',
  '@',
  '@{',
  '~',
  '^',
  ':',
  '?',
  '*',
  '[',
  '\\',
  ' ',
  '.lock',
  '.git',
  'HEAD',
  'v1',
  'v999999999',
  'refs/heads/',
  'refs/tags/',
  'drafts/',
  'proposed/',
  'portico/update/',
  '0123456789',
  '\u0000',
  '\u007f',
  '\u202e',
  '\ud800',
  'é',
  '\n',
];
const name = fc.oneof(soup(PIECES, 8), fc.string({ unit: 'binary', maxLength: 20 }));

test('refs', () =>
  fuzz({
    name: 'ref names',
    weight: 4,
    inputs: [name, name],
    check(path, last) {
      const branch = tolerant(() => draftBranch(path, last));
      if (branch !== undefined) {
        expect(isFullRef(`refs/heads/${branch}`)).toBe(true);
        expect(parseRef(`refs/heads/${branch}`)).toEqual({ kind: 'draft', path, workspace: last });
      }
      const tag = tolerant(() => revisionTag(path, last));
      if (tag !== undefined && parseRevisionName(last) !== undefined)
        expect(parseRef(`refs/tags/${tag}`)).toEqual({ kind: 'revision', path, revision: last });
      for (const ref of [() => ledgerRef(path, last), () => pausedRef(path)]) {
        const made = tolerant(ref);
        if (made !== undefined) expect(isFullRef(made)).toBe(true);
      }
      const update = tolerant(() => updateBranch(path, last));
      if (update !== undefined) expect(update).not.toMatch(/^-|\s/);
      parseRef(path);
      tolerant(() => checkRefspec(path));
      pathProblem(path);
      const [a, b] = [parseRevisionName(path), parseRevisionName(last)];
      if (a !== undefined && b !== undefined)
        expect(Math.sign(compareRevisions(a, b)) + Math.sign(compareRevisions(b, a))).toBe(0);
    },
  }));

test('git takes every name that we call good', () =>
  fuzz({
    name: 'ref names, held against git',
    weight: 0.002,
    inputs: [fc.array(name, { minLength: 20, maxLength: 20 })],
    check(names) {
      const good = names.filter((one) => refProblem(one) === undefined);
      for (const one of good) execFileSync('git', ['check-ref-format', '--branch', one], { stdio: 'ignore' });
    },
  }));

test('tags remember what they were given', () =>
  fuzz({
    name: 'provenance of tags',
    weight: 2,
    inputs: [hostileText, hostileText],
    check(text, other) {
      parseProvenance(text);
      const message = formatProvenance({
        package: 'web',
        revision: 'v1',
        digest: 'sha256:0',
        guardrails: [{ name: text, function: other }],
        approvedBy: [text],
        requestedBy: other,
      });
      const read = parseProvenance(message);
      expect(read).toMatchObject({ package: 'web', revision: 'v1', digest: 'sha256:0' });
      expect(read?.guardrails).toHaveLength(1);
    },
  }));
