import { describe, expect, test } from 'vitest';

import { diffPackages } from '../../../src/package/diff/diff.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import { diffPower } from '../../../src/package/power/power-diff.ts';
import { mayGrow, powerCheck, type PowerApproval } from '../../../src/reconcile/check/power-check.ts';
import { summaryOf, type SummaryInput } from '../../../src/reconcile/proposal/summary.ts';
import { repositoryDirectory } from '../../../src/revision/package-path.ts';

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
  return {
    ...powerCheck([{ path: 'web', directory: repositoryDirectory('web'), diff }], approval),
    grows: mayGrow(diff),
  };
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
      'What these files permit is unknown, because they cannot be read, are links to other files, or let tools build other resources: `broken.yaml`.',
    );
  });

  test('and whether its resources changed: the summary counts such files', () => {
    const [before, after] = [filesOf({ 'a.yaml': role }), filesOf({ 'a.yaml': broken })];
    const content = diffPackages(before, after);
    const text = summaryOf({
      pull: { draft: false },
      digest: `sha256:${'0'.repeat(64)}`,
      packages: [{ path: 'web', newest: 'v1', next: 'v2', content, diff: diffPower(before, after) }],
      rendered: [],
      checks: [],
      approvals: { counted: [], notCounted: [], changesRequested: [] },
      approval: { kind: 'missing', sentence: 'Needs 1 approval.', notes: [] },
    } as unknown as SummaryInput);
    expect(text).toContain('| 1 file unread | ▼ 1 lost, unknown |');
    expect(text).toMatch(/<sub>Content .* · <code>\/portico help<\/code>.*<\/sub>$/);
  });

  test('whoever must approve what grows must approve what is unknown', () => {
    const needed = ['the team `acme/security`'];
    expect(checked({}, { 'broken.yaml': broken }, { needed, by: [] })).toMatchObject({
      conclusion: 'action_required',
      title: 'Unknown: 1 file cannot be read; needs approval from the team `acme/security`',
      summary: expect.stringContaining('Privileges are unknown. Needs approval from the team'),
    });
    expect(checked({}, { 'broken.yaml': broken }, { needed, by: ['carol'] })).toMatchObject({
      conclusion: 'neutral',
    });
  });

  test('what is less alone is a success, and needs nobody', () => {
    expect(checked({ 'a.yaml': role }, {})).toMatchObject({
      conclusion: 'success',
      title: 'Privileges shrink',
      grows: false,
    });
  });
});
