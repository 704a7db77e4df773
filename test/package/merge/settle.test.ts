import { expect, test } from 'vitest';

import type { Side } from '../../../src/package/merge/conflict.ts';
import type { MergeInput, MergeResult } from '../../../src/package/merge/merge-types.ts';
import { mergePackages } from '../../../src/package/merge/merge.ts';
import { settleConflicts } from '../../../src/package/merge/settle.ts';
import type { PackageFile, PackageFiles } from '../../../src/package/package.ts';
import { mergeCases } from './cases.ts';
import { textOf } from './trees.ts';

/** Cases without a conflict have nothing to settle. */
const cases = mergeCases().filter(({ conflicts }) => conflicts.length > 0);
const SIDES = ['upstream', 'local'] as const;

test.each(cases.map((one) => [one.name, one] as const))(
  '%s: a decision in the draft gives the bytes of a merge with the decision',
  (_, one) => {
    const merged = attempt(one);
    if (merged === undefined) return;
    const before = merged.files;
    for (const { id } of merged.conflicts) {
      for (const side of SIDES) {
        const after = mergePackages({ ...one, decisions: new Map([[id, side]]) }).files;
        const settled = settleConflicts({ before, after, current: before });
        expect(settled.conflicts).toEqual([]);
        expect(bytesOf(settled.files)).toEqual(bytesOf(after));
        expectPeoplesWork(before, after);
      }
    }
    for (const side of SIDES) expectOneByOne(one, merged, side);
  },
);

test.each(cases.map((one) => [one.name, one] as const))(
  '%s: decided either way, no conflict and no stray decision is left',
  (_, one) => {
    const merged = attempt(one);
    if (merged === undefined) return;
    for (const side of SIDES) {
      const decisions = new Map(merged.conflicts.map(({ id }) => [id, side]));
      const settled = mergePackages({ ...one, decisions });
      expect(settled.conflicts).toEqual([]);
      expect(settled.strayDecisions).toEqual([]);
    }
  },
);

/** What people committed on the draft stays where the decision does not meet it, or that it does is told. */
function expectPeoplesWork(before: PackageFiles, after: PackageFiles): void {
  const byPeople = new Map(
    [...before].map(([path, file]) => [
      path,
      /\.ya?ml$|Kptfile$/.test(path) ? fileOf(`${textOf(file).trimEnd()}\n# by people\n`, file.mode) : file,
    ]),
  );
  const current = new Map<string, PackageFile>([...byPeople, ['people.txt', fileOf('new\n', '100644')]]);
  const { files, conflicts } = settleConflicts({ before, after, current });
  expect(textOf(files.get('people.txt'))).toBe('new\n');
  for (const [path, file] of byPeople) {
    if (file === before.get(path) || conflicts.some((conflict) => conflict.file === path)) continue;
    if (!before.has(path)) continue;
    expect(`${path}\n${textOf(files.get(path))}`).toContain('# by people');
  }
}

/** Settled one after the other, the draft is the merge with all decisions. */
function expectOneByOne(one: MergeInput, { conflicts, files }: MergeResult, side: Side): void {
  let current = files;
  let before = files;
  const decisions = new Map<string, Side>();
  for (const { id } of conflicts) {
    decisions.set(id, side);
    const after = mergePackages({ ...one, decisions }).files;
    current = settleConflicts({ before, after, current }).files;
    before = after;
  }
  expect(bytesOf(current)).toEqual(bytesOf(mergePackages({ ...one, decisions }).files));
}

function fileOf(text: string, mode: PackageFile['mode']): PackageFile {
  return { mode, bytes: new TextEncoder().encode(text) };
}

function bytesOf(files: PackageFiles): unknown {
  return [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, { mode, bytes }]) => [path, mode, Buffer.from(bytes).toString('latin1')]);
}

/** Undefined where the merge refuses, which other tests look at. */
function attempt(one: MergeInput): MergeResult | undefined {
  try {
    return mergePackages(one);
  } catch {
    return undefined;
  }
}
