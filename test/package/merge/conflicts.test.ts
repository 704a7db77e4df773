import { describe, expect, test } from 'vitest';

import { mergePackages } from '../../../src/package/merge/merge.ts';
import { hasCorpus, mergeCases } from './corpus.ts';
import { expectedConflicts, plainPath } from './expected-conflicts.ts';

/** Two paths that name the same place, or one inside the other. */
function related(a: string, b: string): boolean {
  const [left, right] = [plainPath(a), plainPath(b)];
  return left === right || left === '' || left.startsWith(`${right}.`) || right.startsWith(`${left}.`);
}

describe.skipIf(!hasCorpus())('every conflict is told, none is invented', () => {
  const cases = hasCorpus() ? mergeCases().filter((one) => one.strategy === 'resource-merge') : [];
  let told = 0;

  test.each(cases.map((one) => [one.name, one] as const))('%s', (_, one) => {
    const { conflicts } = mergePackages(one);
    const expected = expectedConflicts(one.base, one.upstream, one.local);
    told += conflicts.length;
    const missing = expected.filter(
      (want) =>
        !want.mergeable &&
        !conflicts.some(
          (got) => got.file === want.file && got.resource?.kind === want.kind && related(got.path, want.path),
        ),
    );
    expect(missing).toEqual([]);
    const fields = conflicts.filter(
      (got) =>
        got.path !== '' &&
        got.path !== 'metadata.name' &&
        got.resource !== null &&
        got.resource.kind !== 'Kptfile' &&
        one.base.has(got.file),
    );
    // A name that both changed is a conflict only for who follows renames, which the derivation does not.
    const invented = fields.filter(
      (got) =>
        !expected.some(
          (want) =>
            want.file === got.file && want.kind === got.resource?.kind && related(got.path, want.path),
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
  });

  test('the corpus has conflicts', () => {
    console.log(`conflicts told in the corpus: ${told}`);
    expect(told).toBeGreaterThan(20);
  });
});
