import { describe, expect, test } from 'vitest';

import type { ConflictList } from '../../src/command/command-state.ts';
import { refusalText } from '../../src/command/refusal.ts';
import { caller, config, DIGEST, outcome, pull, say } from './command-state.ts';

const conflicts: ConflictList = { open: [{ number: 1 }, { number: 3 }], listed: 3, lost: false };

const reply = (change: Parameters<typeof say>[1] = {}): string => {
  const answer = say('/portico explain', change);
  return answer.kind === 'do' ? (answer.reply ?? '') : answer.kind;
};

describe('resolve', () => {
  test.each([
    ['all local', {}, 'settle-conflicts'],
    ['1 upstream', {}, 'settle-conflicts'],
    ['#3 local', {}, 'settle-conflicts'],
    ['2 local', {}, 'reply'],
    ['4 local', {}, 'no-such-conflict'],
    ['local', {}, 'which-conflict'],
    ['local', { conflicts: { ...conflicts, open: [{ number: 3 }] } }, 'settle-conflicts'],
    ['local', { conflicts: { open: [], listed: 0, lost: false as const } }, 'reply'],
    ['', {}, 'bad-argument'],
    ['1 mine', {}, 'bad-argument'],
    ['0 local', {}, 'bad-argument'],
    ['web local', {}, 'bad-argument'],
    [
      'all local',
      { conflicts: { open: [], listed: 0, lost: { message: 'it is gone', hint: 'Wait.' } } },
      'conflicts-lost',
    ],
    ['all local', { place: pull({ fork: true }) }, 'fork'],
    ['all local', { caller: caller({ role: 'read' }) }, 'not-permitted'],
    ['all local', { place: pull({ merged: true, state: 'closed' as const }) }, 'merged'],
  ])('%s with %o: %s', (rest, change, expected) => {
    expect(outcome(`/portico resolve ${rest}`, { conflicts, ...change })).toBe(expected);
  });

  test.each([
    [[{ number: 1 }, { number: 3 }], 'Open: 1, 3.'],
    [[], 'No conflict is open.'],
  ])('a number that is settled is answered with what is open: %o', (open, says) => {
    expect(say('/portico resolve 2 local', { conflicts: { ...conflicts, open } })).toMatchObject({
      reply: `Conflict 2 is settled already, or a newer one replaced it. ${says}`,
    });
  });

  test('only what is open is settled', () => {
    expect(say('/portico resolve all local', { conflicts })).toMatchObject({
      steps: [{ do: 'settle-conflicts', numbers: [1, 3], side: 'local' }],
    });
  });
});

describe('explain', () => {
  test('everything is there', () => {
    const told = reply();
    expect(told).toContain('**Proposal** of `web` (here v2) into `main`');
    expect(told).not.toContain('❌');
    expect(told).toContain('- ✅ Approved for this content by carol\n');
    expect(told).toMatch(
      /\*\*Next:\*\* `\/portico publish` \(the role write or higher\), or the merge button\.$/,
    );
  });

  test('each thing that is missing, with who and what next; the refusal of publish says the same', () => {
    const change = {
      place: pull({ draft: true }),
      openConflicts: 2,
      behind: ['web'],
      checks: { state: 'red' as const, failing: [{ name: 'portico/render', title: 'it fails' }] },
      approvals: {
        counted: [],
        notCounted: [],
        changesRequested: ['dora'],
        required: 2,
        needed: 2,
        authors: [{ login: 'alice', because: 'opened' as const }],
        unknownAuthors: [],
      },
    };
    const told = reply(change);
    expect(told.match(/❌/g)).toHaveLength(6);
    expect(told).toContain('⬜ **Ready to propose**');
    expect(told).toContain('❌ it is a draft. Propose it');
    expect(told).toContain(
      '❌ Needs 2 approvals: anyone with write access except alice. Someone must approve',
    );
    const refused = say('/portico publish', change);
    if (refused.kind !== 'refuse') throw new Error(refused.kind);
    expect(refused.code).toBe('behind-base');
    const lines = refusalText(refused).split('\n');
    expect(lines[0]).toBe('6 requirements are not met:');
    expect(lines).toContain(
      '| ❌ `dora` requested changes | The same person must review again, or someone must dismiss that review. | `dora` |',
    );
    for (const { message, hint, who } of refused.reasons ?? []) {
      expect(told).toContain(`❌ ${message}. ${hint}${who === '' ? '\n' : ` Who can: ${who}.`}`);
    }
  });

  test('no merge button is named while an approval is missing', () => {
    const approvals = {
      counted: [],
      notCounted: [],
      changesRequested: [],
      required: 1,
      needed: 1,
      authors: [],
      unknownAuthors: [],
    };
    const told = reply({ packages: [], approvals });
    expect(told).toMatch(/\*\*Next:\*\* Needs 1 approval: anyone with write access\. Someone must approve/);
    expect(reply({ packages: [] })).toMatch(/\*\*Next:\*\* it changes no package, .*press the merge button/);
  });

  test('what has a line of its own is not said again as a check that fails', () => {
    const red = { state: 'red', digest: DIGEST } as const;
    const failing = [{ name: 'portico/conflicts', title: '1 open conflict' }];
    const alone = say('/portico publish', { openConflicts: 1, checks: { ...red, failing } });
    expect(alone.kind === 'refuse' && alone.reasons?.map(({ message }) => message)).toEqual([
      'one merge conflict is not settled',
    ]);
    const both = [...failing, { name: 'portico/render', title: 'it fails' }];
    expect(say('/portico publish', { openConflicts: 1, checks: { ...red, failing: both } })).toMatchObject({
      message: 'One merge conflict is not settled; checks fail: `portico/render` (it fails).',
    });
    expect(outcome('/portico publish', { checks: { ...red, failing } })).toBe('checks-red');
  });

  test('in an issue: what is asked to be retired, and who decides', () => {
    const place = { kind: 'issue', number: 9, state: 'open', locked: false } as const;
    const asked = { package: 'web', revision: 'v3', tag: 'abc', login: 'carol', comment: 5 };
    expect(reply({ place, retirements: [asked] })).toContain(
      'Retirement of **`web@v3`**, requested by `carol`',
    );
    expect(reply({ place, retirements: [asked] })).toMatch(
      /Who can: the role write or higher, not `carol`\.$/,
    );
    // Elsewhere in an issue it shows what waits in the repository.
    expect(outcome('/portico explain', { place })).toBe('show-work');
  });

  test('one thing that is missing is a sentence; a code owner who is missing is named beside the number', () => {
    const one = say('/portico publish', { place: pull({ draft: true }) });
    expect(one.kind === 'refuse' && refusalText(one)).toBe(
      'It is a draft. Propose it with `/portico propose` or "Ready for review". Who can: the role write or higher, or the author.',
    );
    const approvals = {
      counted: [],
      notCounted: [],
      changesRequested: [],
      required: 1,
      needed: 1,
      authors: [],
      unknownAuthors: [],
      ownersMissing: [{ path: 'web/Kptfile', owners: ['@zoe', '@acme/web'] }],
    };
    const owned = say('/portico publish', { approvals });
    expect(owned.kind === 'refuse' && refusalText(owned)).toContain(
      '| ❌ no code owner of `web/Kptfile` has approved this content | A code owner must approve, with a review or `/portico approve`. | `@zoe` or `@acme/web` |',
    );
  });

  test.each([
    [
      'held back',
      { place: pull({ heldBack: 'blocked' }) },
      '❌ the forge says that rules of `main` are not satisfied',
    ],
    ['behind', { place: pull({ heldBack: 'behind' }) }, 'Press "Update branch".'],
    ['merged', { place: pull({ merged: true, state: 'closed' as const }) }, 'It is merged'],
    ['closed', { place: pull({ state: 'closed' as const }) }, 'It was closed without merging'],
    [
      'a deletion makes no revision',
      {
        config: config({ versioning: 'semver' }),
        packages: [{ path: 'web', state: 'deletion-proposed' as const }],
      },
      '**Next:** `/portico publish` (',
    ],
    ['semver', { config: config({ versioning: 'semver' }) }, 'publish major|minor|patch'],
    [
      'deletion',
      { packages: [{ path: 'web', state: 'deletion-proposed' as const }], usedBy: ['`acme/shop/web`'] },
      '❌ other packages depend on what it removes: `acme/shop/web`',
    ],
    ['a reader may ask', { caller: caller({ role: 'read' }) }, '**Proposal**'],
  ])('%s', (_name, change, text) => expect(reply(change)).toContain(text));
});
