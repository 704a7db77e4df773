import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { PorticoError } from '../../../src/error.ts';
import type { MergeResult } from '../../../src/package/merge/merge-types.ts';
import { mergePackages } from '../../../src/package/merge/merge.ts';
import { differences, hasCorpus, linesChanged, mergeCases } from './corpus.ts';
import { necessaryLines } from './necessary-lines.ts';

const listed = new Set(
  [
    ...readFileSync(new URL('../../../docs/kpt-differences.md', import.meta.url), 'utf8').matchAll(
      /^- `([^`]+)`/gm,
    ),
  ].map((match) => match[1]!),
);

describe.skipIf(!hasCorpus())('three-way merge against kpt', () => {
  const cases = hasCorpus() ? mergeCases() : [];
  const sums = { equal: 0, listed: 0, ours: 0, kpt: 0, necessary: 0, listedOurs: 0, listedKpt: 0 };

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
    const [ours, kpt] = [linesChanged(one.local, result.files), linesChanged(one.local, one.kpt)];
    if (listed.has(name)) {
      if (different.length > 0) sums.listed += 1;
      else sums.equal += 1;
      sums.listedOurs += ours;
      sums.listedKpt += kpt;
      return;
    }
    expect(different).toEqual([]);
    sums.equal += 1;
    sums.ours += ours;
    sums.kpt += kpt;
    const necessary = Math.min(necessaryLines(one, result.files), necessaryLines(one, one.kpt));
    sums.necessary += necessary;
    expect(necessary, 'the lower bound is none').toBeLessThanOrEqual(Math.min(ours, kpt));
    expect(ours, 'more lines changed than by kpt').toBeLessThanOrEqual(kpt);
  });

  test('the sums', () => {
    const [own, theirs] = [sums.ours - sums.necessary, sums.kpt - sums.necessary];
    console.log(
      [
        `merge cases: ${cases.length}; equal to kpt ${sums.equal}, listed ${sums.listed}`,
        `lines changed in equal cases: ours ${sums.ours}, kpt ${sums.kpt} (${percent(sums.ours, sums.kpt)}), necessary for any result of this meaning ${sums.necessary} (${percent(sums.necessary, sums.kpt)} of kpt's)`,
        `lines beyond the necessary: ours ${own}, kpt ${theirs} (${percent(own, theirs)})`,
        `lines changed in listed cases: ours ${sums.listedOurs}, kpt ${sums.listedKpt}`,
      ].join('\n'),
    );
    expect(sums.equal + sums.listed).toBe(cases.length);
    expect(own).toBeLessThanOrEqual(0.4 * theirs);
  });
});

function percent(part: number, whole: number): string {
  return `${Math.round((100 * part) / whole)} %`;
}

function attempt(merge: () => MergeResult): MergeResult | 'refused' {
  try {
    return merge();
  } catch (error) {
    if (error instanceof PorticoError) return 'refused';
    throw error;
  }
}
