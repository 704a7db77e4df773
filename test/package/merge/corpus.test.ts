import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { PorticoError } from '../../../src/error.ts';
import type { MergeResult } from '../../../src/package/merge/merge-types.ts';
import { mergePackages } from '../../../src/package/merge/merge.ts';
import { type MergeCase, mergeCases } from './cases.ts';
import { differences, linesChanged } from './compare.ts';
import { necessaryLines } from './necessary-lines.ts';
import { textsOf } from './trees.ts';

const cases = mergeCases();

const told = ({ conflicts }: MergeResult): string[] =>
  conflicts.map(({ file, path, taken }) => `${file}:${path} ${taken}`);

test.each(cases.map((one) => [one.name, one] as const))('%s merges as recorded', (_, one) => {
  const result = attempt(() => mergePackages(one));
  if (typeof result === 'string') {
    expect({ refused: result, kpt: one.kpt }).toEqual({ refused: one.portico, kpt: undefined });
    return;
  }
  expect(told(result)).toEqual(one.conflicts);
  expect(result.notes.map(({ code }) => code)).toEqual(one.notes);
  if (one.strategy !== 'fast-forward')
    expect(mergePackages({ ...one, local: result.files }).changed, 'a second merge').toEqual([]);
  if (typeof one.portico === 'object') expect(textsOf(result.files)).toEqual(textsOf(one.portico));
  if (one.kpt === undefined) {
    expect(one.differs, 'kpt refuses, Portico does not, and no reason is given').toBeDefined();
    return;
  }
  const different = differences(result.files, one.kpt);
  const [ours, kpt] = [linesChanged(one.local, result.files), linesChanged(one.local, one.kpt)];
  if (one.differs === undefined) {
    expect(different).toEqual([]);
    expect(ours, 'more lines changed than by kpt').toBeLessThanOrEqual(kpt);
    expect(necessary(one, result.files), 'the lower bound is none').toBeLessThanOrEqual(Math.min(ours, kpt));
  } else expect(different.length > 0 || ours > kpt, 'the reason for a difference is out of date').toBe(true);
});

test('files stay executable', () => {
  for (const one of cases) {
    const result = attempt(() => mergePackages(one));
    if (typeof result === 'string') continue;
    for (const [path, { mode }] of result.files)
      expect(`${path} ${mode}`).toBe(`${path} ${(one.local.get(path) ?? one.upstream.get(path))!.mode}`);
  }
  expect(cases.some(({ local }) => [...local.values()].some(({ mode }) => mode === '100755'))).toBe(true);
});

test('docs/kpt-differences.md lists the cases that differ from kpt with their reasons, and no other', () => {
  const page = readFileSync(new URL('../../../docs/kpt-differences.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^- `([^`]+)`: (.*)$/gm)].map(([, name, reason]) => `${name}: ${reason}`);
  const differing = cases.flatMap(({ name, differs }) =>
    differs === undefined ? [] : [`${name}: ${differs}`],
  );
  expect(listed.sort()).toEqual(differing.sort());
});

test('docs/kpt-differences.md counts the cases by who is right', () => {
  const page = readFileSync(new URL('../../../docs/kpt-differences.md', import.meta.url), 'utf8');
  const counts = [...page.matchAll(/^\| .* \| (\d+) \|$/gm)].map(([, count]) => Number(count));
  const differing = cases.filter(({ differs }) => differs !== undefined);
  const abandoned = differing.filter(({ kpt }) => kpt === undefined).length;
  expect(counts).toEqual([cases.length - differing.length, abandoned, differing.length - abandoned, 0]);
});

test('where both results mean the same, Portico changes at most 40 % of the lines that kpt changes without need', () => {
  const sums = { cases: 0, ours: 0, kpt: 0, necessary: 0 };
  for (const one of cases) {
    if (one.differs !== undefined || one.kpt === undefined) continue;
    const { files } = mergePackages(one);
    sums.cases += 1;
    sums.ours += linesChanged(one.local, files);
    sums.kpt += linesChanged(one.local, one.kpt);
    sums.necessary += necessary(one, files);
  }
  console.log(`lines changed: ${JSON.stringify(sums)}`);
  expect(sums.cases).toBeGreaterThan(100);
  expect(sums.ours - sums.necessary).toBeLessThanOrEqual(0.4 * (sums.kpt - sums.necessary));
});

function necessary(one: MergeCase, ours: MergeResult['files']): number {
  return Math.min(necessaryLines(one, ours), necessaryLines(one, one.kpt!));
}

/** Returns the code of the error where the merge refuses. */
function attempt(merge: () => MergeResult): MergeResult | string {
  try {
    return merge();
  } catch (error) {
    if (error instanceof PorticoError) return error.code;
    throw error;
  }
}
