import { describe, expect, test } from 'vitest';

import type { PackageFiles } from '../../src/package/package.ts';
import { diffPower } from '../../src/package/power/power-diff.ts';
import { mayGrow, powerCheck, type PowerApproval } from '../../src/reconcile/power-check.ts';

const role = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: web }
rules: [{ apiGroups: [''], resources: [secrets], verbs: [get] }]
`;
// A tab where YAML allows none.
const broken = `kind: Role\n\tname: web # rbac.authorization.k8s.io\n`;

function filesOf(texts: Record<string, string>): PackageFiles {
  return new Map(
    Object.entries(texts).map(([path, text]) => [
      path,
      { mode: '100644', bytes: new TextEncoder().encode(text) },
    ]),
  );
}

function checked(before: Record<string, string>, after: Record<string, string>, approval?: PowerApproval) {
  const diff = diffPower(filesOf(before), filesOf(after));
  return { ...powerCheck([{ path: 'web', directory: 'web', diff }], approval), grows: mayGrow(diff) };
}

describe('files that cannot be read leave unknown what a package may do', () => {
  test.each([
    ['one that comes', {}, { 'broken.yaml': broken }, 'Unknown: 1 file cannot be read'],
    [
      'one that was there',
      { 'broken.yaml': broken },
      { 'broken.yaml': role },
      /^▲ \S.*: .+; unknown: 1 file cannot be read$/,
    ],
    ['beside what is less', { 'a.yaml': role }, { 'broken.yaml': broken }, 'Unknown: 1 file cannot be read'],
    // Unchanged, and of RBAC, which is resolved over all files: it may bind what changed.
    [
      'one that is unchanged',
      { 'broken.yaml': broken },
      { 'broken.yaml': broken, 'a.yaml': role },
      /^▲ \S.*: .+; unknown: 1 file cannot be read$/,
    ],
  ])('%s', (_name, before, after, title) => {
    const check = checked(before, after);
    expect(check).toMatchObject({ conclusion: 'neutral', title: expect.stringMatching(title), grows: true });
    expect(check.summary).toContain(
      'Unknown is what these files permit, which cannot be read: `broken.yaml`.',
    );
  });

  test('whoever must approve what grows must approve what is unknown', () => {
    const needed = ['the team `acme/security`'];
    expect(checked({}, { 'broken.yaml': broken }, { needed, by: [] })).toMatchObject({
      conclusion: 'action_required',
      title: 'Unknown: 1 file cannot be read; needs an approval by the team `acme/security`',
      summary: expect.stringContaining('What is permitted is unknown, which the team'),
    });
    expect(checked({}, { 'broken.yaml': broken }, { needed, by: ['carol'] })).toMatchObject({
      conclusion: 'neutral',
    });
  });

  test('what is less alone is a success, and needs nobody', () => {
    expect(checked({ 'a.yaml': role }, {})).toMatchObject({
      conclusion: 'success',
      title: 'Less is permitted than before',
      grows: false,
    });
  });
});
