import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { PorticoError } from '../../../src/error.ts';
import type { MergeResult } from '../../../src/package/merge/merge-types.ts';
import { mergePackages } from '../../../src/package/merge/merge.ts';
import { differences, hasCorpus, linesChanged, mergeCases } from './corpus.ts';

const listed = new Set(
  [
    ...readFileSync(new URL('../../../docs/kpt-differences.md', import.meta.url), 'utf8').matchAll(
      /^- `([^`]+)`/gm,
    ),
  ].map((match) => match[1]!),
);

describe.skipIf(!hasCorpus())('three-way merge against kpt', () => {
  const cases = hasCorpus() ? mergeCases() : [];
  const sums = { equal: 0, listed: 0, ours: 0, kpt: 0 };

  test.each(cases.map((one) => [one.name, one] as const))('%s', (name, one) => {
    const result = attempt(() => mergePackages(one));
    if (one.kpt === undefined) {
      if (result === 'refused') sums.equal += 1;
      else expect(listed, 'kpt refuses, we do not, and no reason is listed').toContain(name);
      if (result !== 'refused') sums.listed += 1;
      return;
    }
    if (result === 'refused') throw new Error('kpt merges what we refuse');
    const different = differences(result.files, one.kpt);
    if (listed.has(name)) {
      if (different.length > 0) sums.listed += 1;
      else sums.equal += 1;
      return;
    }
    expect(different).toEqual([]);
    sums.equal += 1;
    const [ours, kpt] = [linesChanged(one.local, result.files), linesChanged(one.local, one.kpt)];
    sums.ours += ours;
    sums.kpt += kpt;
    expect(ours, 'more lines changed than by kpt').toBeLessThanOrEqual(kpt);
  });

  test('the sums', () => {
    console.log(
      `merge cases: ${cases.length}; equal to kpt ${sums.equal}, listed ${sums.listed}; lines changed in equal cases: ours ${sums.ours}, kpt ${sums.kpt}`,
    );
    expect(sums.equal + sums.listed).toBe(cases.length);
    expect(sums.ours).toBeLessThan(sums.kpt);
  });
});

function attempt(merge: () => MergeResult): MergeResult | 'refused' {
  try {
    return merge();
  } catch (error) {
    if (error instanceof PorticoError) return 'refused';
    throw error;
  }
}
