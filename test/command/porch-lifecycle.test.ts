import { describe, expect, test } from 'vitest';

import type { CommandState } from '../../src/command/command-state.ts';
import { caller, config, pull, say } from './command-state.ts';

/**
 * The transitions of Porch's package revisions (its lifecycle strategy, and the approval subresource), as people ask
 * for them here: the legal ones with the steps that are taken, the others with the sentence that is told.
 */
const asked = { package: 'web', revision: 'v3', tag: 'abc', login: 'carol', comment: 5 };
const issue = { kind: 'issue', number: 9, state: 'open', locked: false } as const;

const PLACES: Record<string, Partial<CommandState>> = {
  Draft: { place: pull({ draft: true }) },
  Proposed: { place: pull() },
  Published: { place: pull({ merged: true, state: 'closed' }) },
  'Published, in an issue': { place: issue },
  DeletionProposed: { place: issue, retirements: [asked] },
  gone: { place: pull({ state: 'closed' }) },
};

const LEGAL = [
  ['Draft', 'propose', ['mark-ready']],
  ['Proposed', 'reject too much', ['record-rejection', 'convert-to-draft']],
  ['Proposed', 'approve', ['record-approval']],
  ['Proposed', 'publish', ['merge']],
  ['Published, in an issue', 'delete web@v3', ['request-retirement']],
  ['Published, in an issue', 'delete web', ['propose-deletion']],
  ['DeletionProposed', 'approve', ['retire']],
  ['DeletionProposed', 'reject it is used', ['reject-retirement']],
] as const;

const ILLEGAL = [
  ['Draft', 'reject no', 'It is a draft and has not been proposed. To give it up, close the pull request.'],
  ['Draft', 'approve', 'It is a draft. Propose it first: /portico propose.'],
  [
    'Draft',
    'publish',
    'It is a draft. Propose it with `/portico propose` or "Ready for review". Who can: the role write or higher, or the author.',
  ],
  [
    'Draft',
    'delete web@v3',
    'Revisions are retired in issues, and this is a pull request. Run it in an issue, where it can be discussed and approved.',
  ],
  ['Proposed', 'propose', 'It is already proposed. To see what it is waiting for, use /portico explain.'],
  ['Published', 'propose', 'This pull request is already merged. Open a new one for further changes.'],
  ['Published', 'reject no', 'This pull request is already merged. Open a new one for further changes.'],
  ['Published', 'approve', 'This pull request is already merged. Open a new one for further changes.'],
  ['Published', 'publish', 'This pull request is already merged. Open a new one for further changes.'],
  [
    'Published, in an issue',
    'approve',
    'In this issue a published revision is deleted only after its deletion was proposed and approved. Propose it: /portico delete.',
  ],
  [
    'Published, in an issue',
    'reject no',
    'In this issue no one has proposed to delete it. There is nothing to reject.',
  ],
  [
    'Published, in an issue',
    'propose',
    '`/portico propose` works only in pull requests, and this is an issue. Run it in the pull request.',
  ],
  [
    'Published, in an issue',
    'publish',
    '`/portico publish` works only in pull requests, and this is an issue. Run it in the pull request.',
  ],
  ['DeletionProposed', 'reject', 'The reason is missing. Write /portico reject followed by the reason.'],
  [
    'DeletionProposed',
    'approve web@v4',
    'In this issue a published revision is deleted only after its deletion was proposed and approved. Propose it: /portico delete.',
  ],
  [
    'gone',
    'propose',
    'This pull request is closed. Reopen it first; if its branch was deleted, push the branch again first.',
  ],
  [
    'gone',
    'publish',
    'This pull request is closed. Reopen it first; if its branch was deleted, push the branch again first.',
  ],
  [
    'gone',
    'approve',
    'This pull request is closed. Reopen it first; if its branch was deleted, push the branch again first.',
  ],
  [
    'gone',
    'reject no',
    'This pull request is closed. Reopen it first; if its branch was deleted, push the branch again first.',
  ],
] as const;

describe('legal', () => {
  test.each(LEGAL)('%s: /portico %s', (state, command, steps) => {
    const answer = say(`/portico ${command}`, PLACES[state]);
    expect(answer.kind === 'do' ? answer.steps.map((step) => step.do) : answer).toEqual(steps);
  });
});

describe('illegal', () => {
  test.each(ILLEGAL)('%s: /portico %s: %s', (state, command, sentence) => {
    const answer = say(`/portico ${command}`, PLACES[state]);
    expect(answer.kind === 'refuse' ? `${answer.message} ${answer.hint}` : answer).toBe(sentence);
  });
});

/** The answer to an approval of that wish by that account. */
const approvedBy = (login: string, id: number, wish: object): unknown =>
  say('/portico approve', {
    place: issue,
    retirements: [{ ...asked, ...wish }],
    caller: caller({ login, id }),
  });

describe('what Porch leaves to its command line is held here', () => {
  test('a deletion is approved by somebody else, who may approve', () => {
    const place = PLACES['DeletionProposed'];
    const own = say('/portico approve', { ...place, caller: caller({ login: 'Carol' }) });
    expect(own).toMatchObject({ code: 'self-approval' });
    const allowed = config();
    const self = { ...allowed, publish: { ...allowed.publish, allowSelfApproval: true } };
    expect(say('/portico approve', { ...place, caller: caller({ login: 'carol' }), config: self }).kind).toBe(
      'do',
    );
    expect(say('/portico approve', { ...place, caller: caller({ role: 'read' }) })).toMatchObject({
      code: 'not-permitted',
    });
  });
  test('a wish is of an account, whatever its login is by now', () => {
    const accounts = [{ login: 'carol', id: 3 }];
    expect(approvedBy('caroline', 3, { accounts })).toMatchObject({ code: 'self-approval' });
    expect(approvedBy('carol', 4, { accounts })).toMatchObject({ kind: 'do' });
    expect(approvedBy('carol', 3, {})).toMatchObject({ code: 'self-approval' });
    expect(approvedBy('caroline', 3, { gone: 'carol' })).toMatchObject({ code: 'asker-unknown' });
  });
  test('of several that are asked for, one is named', () => {
    const several = { place: issue, retirements: [asked, { ...asked, revision: 'v4', comment: 6 }] };
    expect(say('/portico approve', several)).toMatchObject({ code: 'which-revision' });
    expect(say('/portico approve web@v4', several)).toMatchObject({
      steps: [{ do: 'retire', revision: 'v4' }],
    });
  });
  test('an unready package is neither proposed nor published, whoever asks', () => {
    const red = {
      state: 'red' as const,
      failing: [{ name: 'portico/package', title: 'Readiness conditions not met: ready' }],
      digest: `sha256:${'d'.repeat(64)}`,
    };
    for (const [command, place] of [
      ['propose', 'Draft'],
      ['publish', 'Proposed'],
    ] as const) {
      const answer = say(`/portico ${command}`, {
        ...PLACES[place],
        checks: red,
        caller: caller({ role: 'admin' }),
      });
      expect(JSON.stringify(answer)).toContain('Readiness conditions not met');
    }
  });
});
