import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  canonicalJson,
  contentDigest,
  type ContentIdentity,
  digestOf,
  otherFile,
  shortDigest,
} from '../../src/revision/digest.ts';

const CONTENT: ContentIdentity = {
  branch: 'main',
  packages: [
    { path: 'web', renderedTree: 'a'.repeat(40) },
    { path: 'old', renderedTree: null },
  ],
  otherFiles: [{ path: 'README.md', blob: 'b'.repeat(40) }],
  guardrails: 'sha256:1',
  functions: { 'set-labels:v0.2': '0.2.1', kubeconform: '0.1' },
};

describe('the content digest', () => {
  test('does not depend on the order of anything', () => {
    const other: ContentIdentity = {
      functions: { kubeconform: '0.1', 'set-labels:v0.2': '0.2.1' },
      guardrails: 'sha256:1',
      otherFiles: CONTENT.otherFiles,
      packages: CONTENT.packages.toReversed(),
      branch: 'main',
    };
    expect(contentDigest(other)).toBe(contentDigest(CONTENT));
    expect(contentDigest(CONTENT)).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  test.each<[string, ContentIdentity]>([
    ['28 the base branch', { ...CONTENT, branch: 'release' }],
    [
      '27 a rendered tree',
      { ...CONTENT, packages: [{ path: 'web', renderedTree: 'c'.repeat(40) }, CONTENT.packages[1]!] },
    ],
    [
      'a removal instead of a change',
      { ...CONTENT, packages: [{ path: 'web', renderedTree: null }, CONTENT.packages[1]!] },
    ],
    ['one package less', { ...CONTENT, packages: [CONTENT.packages[0]!] }],
    ['a file outside of packages', { ...CONTENT, otherFiles: [] }],
    ...[{ mode: '120000' }, { baseBlob: 'c'.repeat(40) }].map((more): [string, ContentIdentity] => [
      `of a file outside of packages ${Object.keys(more).join('')}`,
      { ...CONTENT, otherFiles: [{ ...CONTENT.otherFiles[0]!, ...more }] },
    ]),
    ['the guardrails', { ...CONTENT, guardrails: 'sha256:2' }],
    ['a function version', { ...CONTENT, functions: { ...CONTENT.functions, kubeconform: '0.2' } }],
  ])('changes with %s', (_what, other) => expect(contentDigest(other)).not.toBe(contentDigest(CONTENT)));
});

test('a new ordinary file has no more than its path and its blob, as in records of earlier versions', () => {
  const after = { mode: '100644', id: 'b'.repeat(40) };
  expect(otherFile({ path: 'README.md', before: null, after })).toEqual(CONTENT.otherFiles[0]);
});

describe('canonical JSON', () => {
  test('means the same, whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
  test('different values give different text', () => {
    expect(canonicalJson(['a', 'b'])).not.toBe(canonicalJson(['a,b']));
    expect(canonicalJson({ a: undefined })).toBe('{}');
  });
  test.each([[Number.NaN], [Number.POSITIVE_INFINITY], [1n], [() => 1], [[undefined]]])(
    '%s has none',
    (value) => {
      expect(() => canonicalJson(value)).toThrow(expect.objectContaining({ code: 'NOT_JSON' }));
    },
  );
});

test('digests of different things differ', () => expect(digestOf('a', 1)).not.toBe(digestOf('b', 1)));
test('short for people', () =>
  expect(shortDigest(`sha256:${'0123456789abcdef'.repeat(4)}`)).toBe('0123456789ab'));
