import { describe, expect, test } from 'vitest';

import type { Conflict } from '../../../src/package/merge/conflict.ts';
import { mergePackages } from '../../../src/package/merge/merge.ts';
import { readYaml } from '../../../src/package/yaml/edit.ts';
import { longTest } from '../../long-test.ts';
import { hasCorpus, isHuge, mergeCases, textOf } from './corpus.ts';
import type { MergeCase } from './corpus.ts';
import { expectedConflicts, plainPath } from './expected-conflicts.ts';

/** Two paths that name the same place, or one inside the other. */
function related(a: string, b: string): boolean {
  const [left, right] = [plainPath(a), plainPath(b)];
  return left === right || left === '' || left.startsWith(`${right}.`) || right.startsWith(`${left}.`);
}

/** The derivation does not follow renames, but sees that each side has the name that the conflict says. */
function isRename(conflict: Conflict, { base, upstream, local }: MergeCase): boolean {
  const { path, file, resource } = conflict;
  if (path !== 'metadata.name') return false;
  const names = [conflict.base, conflict.upstream, conflict.local];
  return (
    new Set(names).size === 3 &&
    [base, upstream, local].every((tree, at) =>
      readYaml(textOf(tree.get(file))).some((data) => {
        const { kind, metadata } = data as { kind?: unknown; metadata?: { name?: unknown } };
        return kind === resource?.kind && metadata?.name === names[at];
      }),
    )
  );
}

describe.skipIf(!hasCorpus())('every conflict is told, none is invented', () => {
  const cases = hasCorpus() ? mergeCases().filter((one) => one.strategy === 'resource-merge') : [];
  let told = 0;

  for (const one of cases) (isHuge(one) ? longTest : test)(one.name, () => tells(one));

  function tells(one: MergeCase): void {
    const { conflicts } = mergePackages(one);
    const expected = expectedConflicts(one.base, one.upstream, one.local);
    told += conflicts.length;
    const missing = expected.filter(
      (want) =>
        !want.mergeable &&
        !conflicts.some(
          (got) =>
            got.file === want.file &&
            (got.resource?.kind ?? '') === want.kind &&
            related(got.path, want.path),
        ),
    );
    expect(missing).toEqual([]);
    const invented = conflicts.filter(
      (got) =>
        !isRename(got, one) &&
        !expected.some(
          (want) =>
            want.file === got.file &&
            want.kind === (got.resource?.kind ?? '') &&
            related(got.path, want.path),
        ),
    );
    expect(invented).toEqual([]);
    for (const conflict of conflicts) {
      expect(conflict.id).toMatch(/^[0-9a-f]{12}$/);
      expect(
        JSON.stringify([conflict.base]) === JSON.stringify([conflict.upstream]) &&
          conflict.base !== undefined,
      ).toBe(false);
    }
  }

  test('the corpus has conflicts', () => {
    console.log(`conflicts told in the corpus: ${told}`);
    expect(told).toBeGreaterThan(20);
  });
});
