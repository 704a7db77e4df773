import { describe, expect, test } from 'vitest';

import type { CheckInput } from '../../../src/reconcile/forge/checks.ts';
import { foldChecks } from '../../../src/reconcile/proposal/fold-checks.ts';

const check = (name: string, more: Partial<CheckInput> = {}): CheckInput => ({
  name,
  headSha: 'a'.repeat(40),
  externalId: 'digest',
  status: 'completed',
  conclusion: 'success',
  title: `title of ${name}`,
  summary: `summary of ${name}`,
  ...more,
});
const approval = (conclusion: CheckInput['conclusion']): CheckInput =>
  check('portico/approval', conclusion === undefined ? {} : { conclusion });
const checks = (...found: readonly CheckInput[]): CheckInput[] => [
  check('portico/package'),
  check('portico/render', { text: 'what each function said' }),
  ...found,
  approval('neutral'),
  check('portico'),
];
const NONE = { required: new Set<string>(), asksApproval: false };
/** What is written at a commit that has no check yet. */
const written = (all: readonly CheckInput[]): string[] =>
  all.filter(({ onlyIfThere }) => onlyIfThere !== true).map(({ name }) => name);

test('of a green update the aggregate alone is written, and tells what the others said', () => {
  const folded = foldChecks(checks(check('guardrail/schema')), NONE);
  expect(written(folded)).toEqual(['portico']);
  expect(folded.at(-1)?.text).toBe(
    [
      '### portico/package\n\nsummary of portico/package',
      '### portico/render\n\nsummary of portico/render\n\nwhat each function said',
      '### guardrail/schema\n\nsummary of guardrail/schema',
      '### portico/approval\n\nsummary of portico/approval',
    ].join('\n\n'),
  );
});

test('what a commit has already goes on being written: nothing is left out, and the order stays', () => {
  expect(foldChecks(checks(), NONE).map(({ name }) => name)).toEqual(checks().map(({ name }) => name));
});

test('names that the rules require are written, and nothing of them is told elsewhere', () => {
  const folded = foldChecks(checks(), { ...NONE, required: new Set(['portico', 'portico/render']) });
  expect(written(folded)).toEqual(['portico/render', 'portico']);
  expect(folded.at(-1)?.text).not.toContain('portico/render');
});

test('where the forge does not tell what is required, each is written', () => {
  expect(foldChecks(checks(), { ...NONE, required: null })).toEqual(checks());
});

test('where anybody is asked to approve, the check of that is written, whatever it says', () => {
  for (const conclusion of ['action_required', 'success', 'neutral'] as const) {
    const all = [check('portico/render'), approval(conclusion), check('portico')];
    expect(written(foldChecks(all, { ...NONE, asksApproval: true }))).toEqual([
      'portico/approval',
      'portico',
    ]);
  }
});

describe('as soon as one of them has something to show, each is written', () => {
  test.each<[string, Partial<CheckInput>]>([
    ['a failure', { conclusion: 'failure' }],
    ['one that waits for a person', { conclusion: 'action_required' }],
    ['one that is neutral, such as a warning or a grown privilege', { conclusion: 'neutral' }],
    [
      'a finding on a line',
      { annotations: [{ path: 'a', startLine: 1, endLine: 1, level: 'notice', message: 'm' }] },
    ],
    ['a button', { actions: [{ label: 'Fix', description: 'd', identifier: 'fix' }] }],
  ])('%s', (_what, more) => {
    const all = checks(check('guardrail/schema', more));
    expect(foldChecks(all, NONE)).toEqual(all);
  });
});
