import { expect, test } from 'vitest';

import type { Conflict } from '../../../src/package/merge/conflict.ts';
import { mergePackages } from '../../../src/package/merge/merge.ts';
import { readYaml } from '../../../src/package/yaml/edit.ts';
import { type MergeCase, mergeCases } from './cases.ts';
import { type ExpectedConflict, expectedConflicts, plainPath } from './expected-conflicts.ts';
import { textOf } from './trees.ts';

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

/** Cases of which a comparison of the data, file by file, cannot know the conflicts. */
const UNSEEN: Readonly<Record<string, string>> = {
  'local-nulls-the-handler-that-upstream-changes': 'the handlers exclude each other',
  'upstream-moves-a-resource-that-both-change': 'it does not follow resources to other files',
  'upstream-deletes-a-subpackage-to-which-local-adds': 'it does not know subpackages',
  'upstream-renames-a-resource-that-both-change': 'it does not follow renames',
  'file-for-local-directory-for-upstream': 'it does not know directories',
  'directory-for-local-file-for-upstream': 'it does not know directories',
  'local-inserts-one-more-of-an-image': 'it takes the first function of an image for the old one',
  'both-choose-another-source-of-a-volume': 'it does not know which fields exclude each other',
  'both-choose-another-handler-of-a-probe': 'it does not know which fields exclude each other',
  'both-choose-another-key-of-a-variable': 'it does not know which fields exclude each other',
  'upstream-changes-the-number-of-a-port': 'it does not know that a port is the same by its name',
  'nested-subpackages-change': 'it does not know that a port is the same by its name',
  'both-add-one-resource-to-different-files': 'it does not know that a port is the same by its name',
  'upstream-states-the-protocol': 'it does not know default values',
  'upstream-deletes-what-local-explains': 'it does not see comments',
};

const cases = mergeCases().filter(
  ({ strategy, portico }) => strategy === 'resource-merge' && typeof portico !== 'string',
);

test.each(cases.map((one) => [one.name, one] as const))(
  '%s: every conflict that the data show is reported, and none is invented',
  (name, one) => {
    const { conflicts } = mergePackages(one);
    const { missing, invented } = apart(one, conflicts);
    if (UNSEEN[name] === undefined) expect({ missing, invented }).toEqual({ missing: [], invented: [] });
    else expect([...missing, ...invented], 'the comparison sees this case').not.toEqual([]);
    for (const conflict of conflicts) {
      expect(conflict.id).toMatch(/^[0-9a-f]{12}$/);
      const isAlike = JSON.stringify([conflict.base]) === JSON.stringify([conflict.upstream]);
      expect(isAlike && conflict.base !== undefined, 'upstream changed nothing').toBe(false);
    }
  },
);

function meets(want: ExpectedConflict, got: Conflict): boolean {
  return want.file === got.file && want.kind === (got.resource?.kind ?? '') && related(got.path, want.path);
}

/** The conflicts that the data show and are not reported, and those that are reported without any reason in the data. */
function apart(
  one: MergeCase,
  conflicts: readonly Conflict[],
): { readonly missing: unknown[]; readonly invented: unknown[] } {
  const expected = expectedConflicts(one.base, one.upstream, one.local);
  return {
    missing: expected.filter((want) => !want.mergeable && !conflicts.some((got) => meets(want, got))),
    invented: conflicts.filter((got) => !isRename(got, one) && !expected.some((want) => meets(want, got))),
  };
}

test('the cases have conflicts of every kind', () => {
  const reported = cases.flatMap(({ conflicts }) => conflicts);
  expect(
    reported.filter((one) => /: (?:local|upstream)$/.test(one)).length,
    'whole resources',
  ).toBeGreaterThan(10);
  expect(reported.filter((one) => /Kptfile:./.test(one)).length, 'Kptfiles').toBeGreaterThan(5);
  expect(reported.filter((one) => /\[/.test(one)).length, 'items of lists').toBeGreaterThan(10);
  expect(reported.length).toBeGreaterThan(50);
});
