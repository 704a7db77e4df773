import { describe, expect, test } from 'vitest';

import type { CommandState } from '../../src/command/command-state.ts';
import { caller, config, DIGEST, HEAD, OTHER, outcome, pull, say } from './command-state.ts';

type Change = Partial<CommandState>;
const refusal = (body: string, change: Change = {}) => {
  const answer = say(body, change);
  if (answer.kind !== 'refuse') throw new Error(`not refused: ${JSON.stringify(answer)}`);
  return answer;
};
const green = { state: 'green', failing: [], digest: DIGEST } as const;
const approvals = (change: Partial<CommandState['approvals']>) => ({
  approvals: {
    counted: [],
    notCounted: [],
    changesRequested: [],
    required: 1,
    needed: 1,
    authors: [],
    unknownAuthors: [],
    digest: DIGEST,
    ...change,
  },
});

describe('publish', () => {
  test('merges exactly what was checked and approved', () => {
    expect(say('/portico publish')).toEqual({
      kind: 'do',
      steps: [{ do: 'merge', sha: HEAD, digest: DIGEST }],
    });
  });

  test('right after the opening it says what to wait for', () => {
    expect(
      say('/portico propose', { place: pull({ draft: true }), checks: { state: 'absent', failing: [] } }),
    ).toMatchObject({
      message: 'Portico has not checked it yet.',
      hint: expect.stringContaining('Repeat the command when the check `portico` is green'),
    });
  });

  test.each<[string, string, Change, string]>([
    ['a draft', '/portico publish', { place: pull({ draft: true }) }, 'not-proposed'],
    ['into another branch', '/portico publish', { place: pull({ baseRef: 'release' }) }, 'other-base'],
    ['checks fail', '/portico publish', { checks: { ...green, state: 'red' } }, 'checks-red'],
    ['checks run', '/portico publish', { checks: { ...green, state: 'pending' } }, 'checks-pending'],
    ['no checks', '/portico publish', { checks: { state: 'absent', failing: [] } }, 'checks-absent'],
    [
      'green checks of other content',
      '/portico publish',
      { checks: { ...green, digest: 'sha256:0' } },
      'checks-pending',
    ],
    [
      'green checks of nobody knows what',
      '/portico publish',
      { checks: { state: 'green', failing: [] } },
      'checks-pending',
    ],
    ['no approval', '/portico publish', approvals({}), 'approvals-missing'],
    [
      'one approval of two',
      '/portico publish',
      approvals({
        required: 2,
        needed: 2,
        authors: [],
        unknownAuthors: [],
        counted: [{ login: 'carol', how: 'comment' }],
      }),
      'approvals-missing',
    ],
    [
      '27 approvals counted for other content',
      '/portico publish',
      approvals({ counted: [{ login: 'carol', how: 'review' }], digest: 'sha256:0' }),
      'approvals-missing',
    ],
    [
      'changes requested',
      '/portico publish',
      approvals({ counted: [{ login: 'carol', how: 'review' }], changesRequested: ['dave'] }),
      'changes-requested',
    ],
    ['conflicts open', '/portico publish', { openConflicts: 2 }, 'conflicts-open'],
    ['no package', '/portico publish', { packages: [] }, 'no-package'],
    [
      'no approval needed',
      '/portico publish',
      approvals({ required: 0, needed: 0, authors: [], unknownAuthors: [] }),
      'merge',
    ],
    ['named commit', '/portico publish @1a2b3c4', {}, 'merge'],
    ['named commit in capitals', '/portico publish @1A2B3C4D', {}, 'merge'],
    ['25 another commit named', '/portico publish @fffffff', {}, 'other-commit'],
    ['minor where revisions are counted', '/portico publish minor', {}, 'bump-unused'],
    [
      'SemVer without a part',
      '/portico publish',
      { config: config({ versioning: 'semver' }) },
      'bump-missing',
    ],
    [
      'SemVer, minor',
      '/portico publish minor @1a2b3c4',
      { config: config({ versioning: 'semver' }) },
      'merge',
    ],
    [
      'SemVer, nonsense',
      '/portico publish huge',
      { config: config({ versioning: 'semver' }) },
      'unexpected-argument',
    ],
    ['24 an option', '/portico publish --force', {}, 'unknown-option'],
    ['24 a substitution', '/portico publish $(id)', {}, 'unexpected-argument'],
    [
      'in an issue',
      '/portico publish',
      { place: { kind: 'issue', number: 3, state: 'open', locked: false } },
      'wrong-place',
    ],
  ])('%s', (_name, body, change, want) => expect(outcome(body, change)).toBe(want));

  test('carries the part that goes up', () => {
    expect(say('/portico publish minor', { config: config({ versioning: 'semver' }) })).toMatchObject({
      steps: [{ do: 'merge', bump: 'minor' }],
    });
  });

  test('a deletion needs no part', () => {
    const packages = [{ path: 'web', state: 'deletion-proposed' as const }];
    expect(outcome('/portico publish', { config: config({ versioning: 'semver' }), packages })).toBe('merge');
  });

  test('names everything that is missing', () => {
    const { message } = refusal('/portico publish', {
      openConflicts: 1,
      checks: { state: 'red', failing: [{ name: 'guardrail/schema', title: '2 errors' }], digest: DIGEST },
      ...approvals({ notCounted: [{ login: 'alice', reason: 'self-approval' }] }),
    });
    expect(message).toContain('One merge conflict');
    expect(message).toContain('`guardrail/schema` (2 errors)');
    expect(message).toContain('Needs 1 approval: anyone with write access');
    expect(message).toContain('`alice` (an author of the content cannot approve it)');
  });
});

describe('propose', () => {
  const draft = { place: pull({ draft: true }) };
  test.each<[string, Change, string]>([
    ['a draft', draft, 'mark-ready'],
    ['a proposal', {}, 'already-proposed'],
    ['checks fail', { ...draft, checks: { ...green, state: 'red' } }, 'checks-red'],
    ['checks run', { ...draft, checks: { ...green, state: 'pending' } }, 'checks-pending'],
    ['content not computed', { place: draft.place, checks: green, digest: 'sha256:0' }, 'checks-pending'],
    ['conflicts', { ...draft, openConflicts: 1 }, 'conflicts-open'],
    ['another base', { place: pull({ draft: true, baseRef: 'x' }) }, 'other-base'],
    [
      'by the author without rights',
      { ...draft, caller: caller({ role: 'read', isAuthor: true }) },
      'mark-ready',
    ],
  ])('%s', (_name, change, want) => expect(outcome('/portico propose', change)).toBe(want));

  test('the refusal says why', () => {
    const checks = {
      state: 'red',
      failing: [{ name: 'portico/render', title: 'set-labels failed' }],
      digest: DIGEST,
    } as const;
    expect(refusal('/portico propose', { ...draft, checks }).message).toContain(
      '`portico/render` (set-labels failed)',
    );
  });
});

describe('reject', () => {
  test('makes a draft again, with the reason', () => {
    expect(say('/portico reject "too big"')).toMatchObject({ steps: [{ why: 'too big' }, {}] });
    expect(say("/portico reject don't use @org/team's quota")).toEqual({
      kind: 'do',
      steps: [
        { do: 'record-rejection', login: 'bob', why: "don't use @org/team's quota", head: HEAD },
        { do: 'convert-to-draft' },
      ],
    });
  });
  test.each<[string, string, Change, string]>([
    ['without reason', '/portico reject', {}, 'no-reason'],
    ['a draft', '/portico reject no', { place: pull({ draft: true }) }, 'not-proposed'],
    [
      'after a push',
      '/portico reject no',
      { place: pull({ headSeenAtComment: OTHER }) },
      'record-rejection convert-to-draft',
    ],
  ])('%s', (_name, body, change, want) => expect(outcome(body, change)).toBe(want));
});

describe('approve', () => {
  test('is bound to the content', () => {
    expect(say('/portico approve')).toEqual({
      kind: 'do',
      steps: [{ do: 'record-approval', login: 'bob', digest: DIGEST, head: HEAD }],
    });
  });
  test.each<[string, Change, string]>([
    ['own proposal', { caller: caller({ isAuthor: true }) }, 'self-approval'],
    [
      'own proposal where that is allowed',
      {
        caller: caller({ isAuthor: true }),
        config: config({ publish: { ...config().publish, allowSelfApproval: true } }),
      },
      'record-approval',
    ],
    ['a draft', { place: pull({ draft: true }) }, 'not-proposed'],
    ['nothing checked', { checks: { state: 'absent', failing: [] } }, 'not-checked'],
    ['checks of other content', { checks: { ...green, digest: 'sha256:0' } }, 'not-checked'],
    ['checks run', { checks: { ...green, state: 'pending' } }, 'not-checked'],
    [
      'checks fail: the approval stands, publishing waits',
      { checks: { ...green, state: 'red' } },
      'record-approval',
    ],
    [
      'given before: what shows it follows',
      approvals({ counted: [{ login: 'Bob', how: 'review' }] }),
      'render',
    ],
    [
      'given before for other content',
      approvals({ counted: [{ login: 'bob', how: 'review' }], digest: 'sha256:0' }),
      'record-approval',
    ],
    ['25 after a push', { place: pull({ headSeenAtComment: OTHER }) }, 'head-moved'],
  ])('%s', (_name, change, want) => expect(outcome('/portico approve', change)).toBe(want));
});

describe('update', () => {
  const web = {
    package: 'web',
    upstream: 'acme/blueprints/web',
    current: 'v1',
    available: ['v1', 'v2', 'v3'],
  };
  const api = { package: 'apps/api', upstream: 'acme/blueprints/api', available: ['v1'] };
  const sources = { upstream: 'the sources', available: [], bySources: true } as const;
  const shop = { ...sources, package: 'shop', sources: ['chart'] };
  const two = { ...sources, package: 'two', sources: ['chart', 'crds'] };
  const unread = { ...sources, package: 'shop' };
  const issue = { kind: 'issue', number: 3, state: 'open', locked: false } as const;
  test.each<[string, CommandState['updates'], string]>([
    ['/portico update', [web], 'web v3'],
    ['/portico update latest', [web], 'web v3'],
    ['/portico update v2', [web], 'web v2'],
    ['/portico update 2', [web], 'web v2'],
    ['/portico update web', [web, api], 'web v3'],
    ['/portico update web@v2', [web, api], 'web v2'],
    ['/portico update web v2', [web, api], 'web v2'],
    ['/portico update apps/api latest', [web, api], 'apps/api v1'],
    ['/portico update', [web, api], 'which-package'],
    ['/portico update', [], 'no-upstream'],
    ['/portico update db@v1', [web], 'no-upstream'],
    ['/portico update v9', [web], 'no-such-revision'],
    ['/portico update stable', [web], 'bad-argument'],
    ['/portico update web stable', [web], 'no-such-revision'],
    ['/portico update v1', [web], 'up-to-date'],
    ['/portico update v1', [{ ...web, current: 'v2' }], 'older-revision'],
    ['/portico update v1', [{ ...web, current: 'v2', isRolledBack: true }], 'web v1'],
    ['/portico update', [{ ...web, current: 'main' }], 'web v3'],
    ['/portico update', [{ ...web, available: [] }], 'no-such-revision'],
    ['/portico update', [{ ...web, available: ['v1', 'v2.0.0-rc.1'], current: 'v0.9' }], 'web v1'],
    ['/portico update --upload-pack=x', [web], 'unknown-option'],
    ['/portico update $(id)', [web], 'bad-argument'],
    ['/portico update 1.4.0', [shop], 'shop 1.4.0'],
    ['/portico update chart@1.4.0', [shop], 'shop chart@1.4.0'],
    ['/portico update', [two], 'two latest'],
    ['/portico update 1.4.0', [two], 'which-source'],
    ['/portico update two 1.4.0', [two, shop], 'which-source'],
    ['/portico update crds@1.4.0', [two], 'two crds@1.4.0'],
    ['/portico update crds@1.4.0', [two, shop, web], 'two crds@1.4.0'],
    ['/portico update chart@1.4.0', [two, shop], 'which-package'],
    ['/portico update two chart@1.4.0', [two, shop], 'two chart@1.4.0'],
    ['/portico update 1.4.0', [two, shop], 'which-package'],
    ['/portico update two other@1.4.0', [two, shop], 'no-such-source'],
    ['/portico update other@1.4.0', [two], 'no-such-source'],
    ['/portico update other@1.4.0', [two, shop], 'no-upstream'],
    ['/portico update two other@1.4.0', [{ ...two, sources: [] }], 'no-such-source'],
    ['/portico update web@1.4.0', [web, shop], 'no-such-revision'],
    ['/portico update chart@1.4.0', [unread], 'shop chart@1.4.0'],
  ])('%s', (body, updates, want) => {
    const answer = say(body, { updates, place: issue });
    const step = answer.kind === 'do' ? answer.steps[0] : undefined;
    const got =
      step?.do === 'request-update' ? `${step.package} ${step.to}` : answer.kind === 'do' ? '' : answer.code;
    expect(got).toBe(want);
  });

  test.each([
    ['v1', 'v1', '`web` is already at upstream v1.'],
    ['v1', 'v2', '`web` is at upstream v2, which is newer than upstream v1.'],
  ])('a refusal of %s at %s says that the numbers are those of the upstream', (to, current, message) => {
    const answer = say(`/portico update web@${to}`, { updates: [{ ...web, current }], place: issue });
    expect(answer).toMatchObject({ kind: 'refuse', message });
  });
});

describe('18, 16, 17 who may', () => {
  test.each<[string, Change, string]>([
    ['15 a bot is not answered', { caller: caller({ isBot: true }) }, 'bot'],
    ['16 read-only', { caller: caller({ role: 'read' }) }, 'not-permitted'],
    ['18 no collaborator any more', { caller: caller({ role: 'none' }) }, 'not-permitted'],
    ['17 the forge did not answer', { caller: caller({ role: undefined }) }, 'permission-unknown'],
    [
      'a role of the organisation that nobody knows',
      { caller: caller({ role: 'release-manager' }) },
      'not-permitted',
    ],
    ['a role in other letters', { caller: caller({ role: 'Admin' }) }, 'not-permitted'],
    ['triage', { caller: caller({ role: 'triage' }) }, 'not-permitted'],
    ['admin', { caller: caller({ role: 'admin' }) }, 'merge'],
    ['the author is not enough', { caller: caller({ role: 'read', isAuthor: true }) }, 'not-permitted'],
  ])('%s', (_name, change, want) => expect(outcome('/portico publish', change)).toBe(want));

  test('a refusal names the role that is needed', () => {
    expect(refusal('/portico publish', { caller: caller({ role: 'read' }) }).message).toBe(
      '`/portico publish` is for the role write or higher, and your role is read.',
    );
  });
});

describe('23 closed, locked, merged', () => {
  const verbs = ['render', 'propose', 'reject why', 'approve', 'publish', 'update'];
  test.each(verbs)('%s', (verb) => {
    expect(outcome(`/portico ${verb}`, { place: pull({ state: 'closed' }) })).toBe('closed');
    expect(outcome(`/portico ${verb}`, { place: pull({ locked: true }) })).toBe('locked');
    expect(outcome(`/portico ${verb}`, { place: pull({ state: 'closed', merged: true }) })).toBe('merged');
  });
  test('help answers everywhere', () =>
    expect(outcome('/portico help', { place: pull({ state: 'closed', locked: true }) })).toBe('reply'));
  test('a closed issue', () => {
    const place = { kind: 'issue', number: 3, state: 'closed', locked: false } as const;
    expect(outcome('/portico update', { place })).toBe('closed');
  });
});

const at = (headPushedAt: string | undefined, headSeenAtComment: string | undefined) => {
  const { headPushedAt: _pushed, headSeenAtComment: _seen, ...rest } = pull();
  return {
    place: {
      ...rest,
      ...(headPushedAt && { headPushedAt }),
      ...(headSeenAtComment && { headSeenAtComment }),
    },
  };
};

describe('25 what moved since the comment', () => {
  const moved = pull({ headSeenAtComment: OTHER });
  test('is refused with both commits', () => {
    const { code, message } = refusal('/portico publish', { place: moved });
    expect(code).toBe('head-moved');
    expect(message).toContain('`fffffff`');
    expect(message).toContain('`1a2b3c4`');
  });
  test.each<[string, string, Change, string]>([
    ['pushed between the comment and its webhook', '', at('2026-11-20T10:06:00Z', HEAD), 'older-than-push'],
    ['pushed in the same second', '', at('2026-11-20T10:05:00Z', HEAD), 'merge'],
    ['pushed a thousandth later', '', at('2026-11-20T10:05:00.001Z', HEAD), 'older-than-push'],
    ['a time that cannot be read', '', at('yesterday', HEAD), 'older-than-push'],
    ['webhook lost, pushed before', '', at('2026-11-20T10:00:00Z', undefined), 'merge'],
    ['webhook lost, pushed after', '', at('2026-11-20T11:00:00Z', undefined), 'older-than-push'],
    ['nothing known', '', at(undefined, undefined), 'head-unknown'],
    ['nothing known, seven digits can be forged', ' @1a2b3c4', at(undefined, undefined), 'head-unknown'],
    ['nothing known, whole commit named', ` @${HEAD}`, at(undefined, undefined), 'merge'],
    ['moved, though the new head is named', ' @1a2b3c4', { place: moved }, 'head-moved'],
  ])('%s', (_name, suffix, change, want) => expect(outcome(`/portico publish${suffix}`, change)).toBe(want));

  test.each([
    ['publish', '2026-11-20T10:04:59Z', 'merge'],
    ['publish', '2026-11-20T10:05:00Z', 'older-than-push'],
    ['publish', '2026-11-20T10:06:00Z', 'older-than-push'],
    // Of content that Portico had not checked, no approval counts.
    ['approve', '2026-11-20T10:04:59Z', 'older-than-push'],
  ])('Portico saw it late, %s, and the forge recorded the push at %s: %s', (verb, headReceivedAt, want) => {
    const { place } = at('2026-11-20T10:30:00Z', HEAD);
    const person = verb === 'approve' ? { caller: caller({ isAuthor: false }) } : {};
    expect(outcome(`/portico ${verb}`, { place: { ...place, headReceivedAt }, ...person })).toBe(want);
  });

  test.each([
    ['2026-11-20T10:04:59Z', 'merge'],
    ['2026-11-20T10:05:00Z', 'base-changed'],
    ['2026-11-20T10:06:00Z', 'base-changed'],
    ['yesterday', 'base-changed'],
  ])('the base branch was changed at %s: %s', (baseChangedAt, want) => {
    for (const suffix of ['', ` @${HEAD}`])
      expect(outcome(`/portico publish${suffix}`, { place: pull({ baseChangedAt }) })).toBe(want);
  });

  test('render takes the head as it is', () =>
    expect(outcome('/portico render', { place: moved })).toBe('render'));
});

describe('words that are no commands', () => {
  test.each([
    ['/portico publsh', 'Did you mean `/portico publish`?'],
    ['/portico PUBLIHS', 'Did you mean `/portico publish`?'],
    ['/portico aprove', 'Did you mean `/portico approve`?'],
    ['/portico deploy', 'You may use `help`, `explain`, `render`'],
  ])('%s', (body, hint) => {
    expect(refusal(body)).toMatchObject({
      code: 'unknown-command',
      hint: expect.stringContaining(hint) as string,
    });
  });
  test('only what the caller may use is suggested', () => {
    const { hint } = refusal('/portico publsh', { caller: caller({ role: 'read' }) });
    expect(hint).toBe('You may use `help`, `explain`, `diff`, `plan`.');
  });
  test('what cannot be seen', () => expect(outcome('/portico pub\u200Blish')).toBe('unseen-character'));
  test('a refused argument comes with the usage', () => {
    expect(refusal('/portico render now').hint).toBe('Remove it. Usage: `/portico render`.');
  });
});

test('every refusal says what and what to do', () => {
  for (const body of ['publish', 'approve', 'propose', 'x', 'update', 'reject', 'publish -x']) {
    const { message, hint } = refusal(`/portico ${body}`, {
      caller: caller({ isAuthor: true }),
      openConflicts: 1,
    });
    expect(message).toMatch(/^[A-Z`0-9].*\.$/);
    expect(hint).toMatch(/[.?]$/);
  }
});
