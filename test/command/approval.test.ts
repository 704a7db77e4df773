import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { type ApprovalInput, countApprovals, type Review } from '../../src/command/approval-count.ts';
import { type ApprovalRecord, formatRecord, parseRecord } from '../../src/command/approval-record.ts';
import { parseComment } from '../../src/command/parse.ts';
import { createKeyring } from '../../src/revision/keyring.ts';

const seals = createKeyring(['key']);
const HERE = { repository: '1234', pull: 7 };
const NOW = 'sha256:now';
const RECORD: ApprovalRecord = {
  kind: 'approval',
  ...HERE,
  login: 'bob',
  digest: NOW,
  head: '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d',
  commentId: 99,
  at: '2026-11-20T10:00:00Z',
};

describe('a record', () => {
  test('is read back', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 }).map((one) => one.toWellFormed());
    fc.assert(
      fc.property(text, text, (login, why) => {
        const record: ApprovalRecord = { ...RECORD, login, kind: 'rejection' };
        expect(parseRecord(formatRecord(record, seals, why), HERE, seals)).toEqual(record);
      }),
    );
  });

  test('reads well', () => {
    expect(formatRecord(RECORD, seals).split('\n')[0]).toBe(
      '`bob` approved this content (`now`) at 1a2b3c4.',
    );
  });

  test('survives the line endings of the forge', () => {
    expect(parseRecord(formatRecord(RECORD, seals).replaceAll('\n', '\r\n'), HERE, seals)).toEqual(RECORD);
  });

  test.each<[string, (body: string) => string]>([
    ['another word', (body) => body.replace('%22login%22%3A%22bob%22', '%22login%22%3A%22eve%22')],
    ['another hash', (body) => body.replace(/[0-9a-f]( -->)$/, 'x$1')],
    ['a shorter hash', (body) => body.replace(/[0-9a-f]{64} -->$/, `${'0'.repeat(64)} -->`)],
    ['no marker', (body) => body.split('\n')[0]!],
    ['quoted', (body) => body.replaceAll(/^/gm, '> ')],
    ['nothing', () => ''],
  ])('53 with %s is none', (_name, change) => {
    expect(parseRecord(change(formatRecord(RECORD, seals)), HERE, seals)).toBeUndefined();
  });

  test('of another repository, pull request or key is none', () => {
    const body = formatRecord(RECORD, seals);
    expect(parseRecord(body, { ...HERE, pull: 8 }, seals)).toBeUndefined();
    expect(parseRecord(body, { ...HERE, repository: '1' }, seals)).toBeUndefined();
    expect(parseRecord(body, HERE, createKeyring(['another']))).toBeUndefined();
  });

  test('a record that a reason quotes is no record, and hidden characters in it are written out', () => {
    const quoted = formatRecord(RECORD, seals).split('\n').at(-1)!;
    const rejection = { ...RECORD, kind: 'rejection' as const };
    const body = formatRecord(rejection, seals, `${quoted}\u202Eneerg`);
    expect(parseRecord(formatRecord(rejection, seals, quoted), HERE, seals)).toEqual(rejection);
    expect(body).not.toContain('\u202E');
    expect(body).toContain('neerg');
  });

  test('49 a reason commands, mentions and closes nothing', () => {
    const why = '``` @org/team <!-- portico:record --> Fixes #1';
    const body = formatRecord({ ...RECORD, kind: 'rejection' }, seals, why);
    const shown = why.replace('<!--', String.raw`<!\--`);
    expect(body).toContain(`\n\`\`\`\`text\n${shown}\n\`\`\`\`\n`);
    expect(parseRecord(body, HERE, seals)).toBeDefined();
    expect(parseComment(formatRecord({ ...RECORD, kind: 'rejection' }, seals, '/portico publish'))).toEqual({
      kind: 'commands',
      commands: [],
    });
  });

  test('reading never throws', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: 'binary' }), (payload, rest) => {
        parseRecord(`<!-- portico:record ${payload} ${'a'.repeat(64)} -->${rest}`, HERE, seals);
      }),
    );
  });
});

const review = (
  login: string,
  state: Review['state'],
  minute: number,
  digest: string | null = NOW,
  isBot = false,
): Review => ({
  login,
  isBot,
  state,
  submittedAt: `2026-11-20T10:${String(minute).padStart(2, '0')}:00Z`,
  ...(digest !== null && { digest }),
});
const record = (
  login: string,
  minute: number,
  digest = NOW,
  kind: ApprovalRecord['kind'] = 'approval',
): ApprovalRecord => ({
  ...RECORD,
  kind,
  login,
  digest,
  at: `2026-11-20T10:${String(minute).padStart(2, '0')}:00Z`,
});
const count = (change: Partial<ApprovalInput>) =>
  countApprovals({
    reviews: [],
    records: [],
    digest: NOW,
    permitted: (login) => login.toLowerCase() !== 'reader',
    accountOf: () => undefined,
    authors: [{ login: 'alice', because: 'opened' }],
    unknownAuthors: [],
    allowSelfApproval: false,
    required: 1,
    ...change,
  });

/** `bob` counted, `-bob reason` not counted, `!bob` asks for changes. */
const told = (change: Partial<ApprovalInput>): string[] => {
  const { counted, notCounted, changesRequested } = count(change);
  return [
    ...counted.map(({ login, how }) => `${login} ${how}`),
    ...notCounted.map(({ login, reason }) => `-${login} ${reason}`),
    ...changesRequested.map((login) => `!${login}`),
  ];
};

describe('approvals are counted', () => {
  test.each<[string, Partial<ApprovalInput>, string[]]>([
    ['none', {}, []],
    ['a review', { reviews: [review('bob', 'APPROVED', 1)] }, ['bob review']],
    ['a comment', { records: [record('bob', 1)] }, ['bob comment']],
    [
      'both ways once',
      { reviews: [review('bob', 'APPROVED', 1)], records: [record('Bob', 2)] },
      ['bob review'],
    ],
    [
      '27 for other content',
      { reviews: [review('bob', 'APPROVED', 1, 'sha256:old')] },
      ['-bob other-content'],
    ],
    [
      '27 for other content by comment',
      { records: [record('bob', 1, 'sha256:old')] },
      ['-bob other-content'],
    ],
    ['for a commit without check', { reviews: [review('bob', 'APPROVED', 1, null)] }, ['-bob not-recorded']],
    [
      'while nothing is computed',
      { digest: undefined, reviews: [{ ...review('bob', 'APPROVED', 1) }] },
      ['-bob other-content'],
    ],
    [
      '27 content that came back',
      { records: [record('bob', 1), record('bob', 2, 'sha256:other')] },
      ['bob comment'],
    ],
    ['without right', { reviews: [review('reader', 'APPROVED', 1)] }, ['-reader not-permitted']],
    ['by the author', { reviews: [review('Alice', 'APPROVED', 1)] }, ['-Alice self-approval']],
    [
      'by everybody who has a part in it',
      {
        authors: [
          { login: 'alice', because: 'opened' },
          { login: 'bob', because: 'pushed' },
          { login: 'Carol', because: 'asked' },
        ],
        reviews: [review('Bob', 'APPROVED', 1), review('dan', 'APPROVED', 3)],
        records: [record('carol', 2)],
      },
      ['dan review', '-Bob self-approval', '-carol self-approval'],
    ],
    ['by the author, allowed', { records: [record('alice', 1)], allowSelfApproval: true }, ['alice comment']],
    [
      'by the author under another login',
      {
        accountOf: (login) => ({ alice2: 7, bob: 2 })[login] ?? null,
        authors: [{ login: 'alice', id: 7, because: 'asked' }],
        reviews: [
          { ...review('alice2', 'APPROVED', 1), accountId: 7 },
          { ...review('bob', 'APPROVED', 2), accountId: 2 },
        ],
      },
      ['bob review', '-alice2 self-approval'],
    ],
    [
      'by whoever has the login of an author now',
      {
        accountOf: () => 8,
        authors: [{ login: 'bob', id: 7, because: 'asked' }],
        records: [{ ...record('bob', 1), accountId: 8 }],
      },
      ['bob comment'],
    ],
    [
      'by an account whose login is somebody else’s now, or nobody’s',
      {
        accountOf: (login) => ({ bob: 8 })[login] ?? null,
        records: [
          { ...record('bob', 1), accountId: 7 },
          { ...record('dan', 2), accountId: 9 },
          record('eve', 3),
        ],
      },
      ['-bob other-account', '-dan other-account', '-eve other-account'],
    ],
    [
      'once, under both logins of one account',
      {
        accountOf: (login) => (login === 'bob2' ? 2 : null),
        records: [{ ...record('bob', 1), accountId: 2 }],
        reviews: [{ ...review('bob2', 'APPROVED', 2), accountId: 2 }],
      },
      ['bob2 review'],
    ],
    [
      'an old record, and a review of the same login',
      {
        accountOf: () => 2,
        records: [record('bob', 1)],
        reviews: [{ ...review('bob', 'CHANGES_REQUESTED', 2), accountId: 2 }],
      },
      ['!bob'],
    ],
    [
      'a rejection by an account that is gone',
      {
        accountOf: (login) => (login === 'bob' ? 2 : null),
        records: [{ ...record('dan', 2, '', 'rejection'), accountId: 9 }],
        reviews: [{ ...review('bob', 'APPROVED', 1), accountId: 2 }],
      },
      ['-bob before-rejection'],
    ],
    ['by a bot', { reviews: [review('ci[bot]', 'APPROVED', 1, NOW, true)] }, ['-ci[bot] bot']],
    ['dismissed', { reviews: [review('bob', 'DISMISSED', 1)] }, ['-bob dismissed']],
    [
      'dismissed, then given again',
      { reviews: [review('bob', 'DISMISSED', 1)], records: [record('bob', 2)] },
      ['bob comment'],
    ],
    ['a remark', { reviews: [review('bob', 'COMMENTED', 1)] }, []],
    [
      'a remark after it',
      { reviews: [review('bob', 'APPROVED', 1), review('bob', 'COMMENTED', 2)] },
      ['bob review'],
    ],
    ['a review not sent yet', { reviews: [review('bob', 'PENDING', 1)] }, []],
    [
      'taken back',
      { reviews: [review('bob', 'APPROVED', 1), review('bob', 'CHANGES_REQUESTED', 2)] },
      ['!bob'],
    ],
    [
      'a comment taken back by a review',
      { records: [record('bob', 1)], reviews: [review('bob', 'CHANGES_REQUESTED', 2)] },
      ['!bob'],
    ],
    [
      'taken back, that dismissed',
      { records: [record('bob', 1)], reviews: [review('bob', 'DISMISSED', 2)] },
      ['-bob dismissed'],
    ],
    [
      'a comment and an objection in one second',
      { records: [record('bob', 1)], reviews: [review('bob', 'CHANGES_REQUESTED', 1)] },
      ['!bob'],
    ],
    [
      'an objection and a review in one second',
      { reviews: [review('bob', 'CHANGES_REQUESTED', 1), review('bob', 'APPROVED', 1)] },
      ['!bob'],
    ],
    [
      'a comment and a dismissed review in one second',
      { records: [record('bob', 1)], reviews: [review('bob', 'DISMISSED', 1)] },
      ['-bob dismissed'],
    ],
    [
      'approved twice, the later one dismissed',
      { reviews: [review('bob', 'APPROVED', 1), review('bob', 'DISMISSED', 2)] },
      ['-bob dismissed'],
    ],
    [
      'dismissed, then approved by review',
      { reviews: [review('bob', 'DISMISSED', 1), review('bob', 'APPROVED', 2)] },
      ['bob review'],
    ],
    [
      'changes, then approved',
      { reviews: [review('bob', 'CHANGES_REQUESTED', 1), review('bob', 'APPROVED', 2)] },
      ['bob review'],
    ],
    [
      'in any order',
      { reviews: [review('bob', 'APPROVED', 2), review('bob', 'CHANGES_REQUESTED', 1)] },
      ['bob review'],
    ],
    [
      'approved, changes, then approved other content',
      {
        reviews: [
          review('bob', 'APPROVED', 1),
          review('bob', 'CHANGES_REQUESTED', 2),
          review('bob', 'APPROVED', 3, 'x'),
        ],
      },
      ['-bob other-content'],
    ],
    [
      'changes asked without right',
      { reviews: [review('reader', 'CHANGES_REQUESTED', 1)] },
      ['-reader not-permitted'],
    ],
    [
      'before a rejection',
      { records: [record('bob', 1), record('carol', 2, '', 'rejection')] },
      ['-bob before-rejection'],
    ],
    [
      'before a rejection known otherwise',
      { records: [record('bob', 1)], rejectedAt: '2026-11-20T10:02:00Z' },
      ['-bob before-rejection'],
    ],
    [
      'after a rejection',
      { records: [record('carol', 1, '', 'rejection'), record('bob', 2)] },
      ['bob comment'],
    ],
    [
      'at the time of a rejection',
      { records: [record('carol', 1, '', 'rejection'), record('bob', 1)] },
      ['-bob before-rejection'],
    ],
    [
      'in the second of a rejection, by a later comment',
      {
        records: [
          record('carol', 1, '', 'rejection'),
          { ...record('bob', 1), commentId: RECORD.commentId + 1 },
        ],
      },
      ['bob comment'],
    ],
    [
      'in the second of a rejection, by an earlier comment',
      {
        records: [
          { ...record('carol', 1, '', 'rejection'), commentId: RECORD.commentId + 1 },
          record('bob', 1),
        ],
      },
      ['-bob before-rejection'],
    ],
    [
      'between two rejections',
      { records: [record('c', 3, '', 'rejection'), record('bob', 2), record('c', 1, '', 'rejection')] },
      ['-bob before-rejection'],
    ],
    [
      'several people',
      {
        reviews: [review('bob', 'APPROVED', 1), review('carol', 'APPROVED', 1, 'x')],
        records: [record('dave', 1)],
      },
      ['bob review', 'dave comment', '-carol other-content'],
    ],
  ])('%s', (_name, change, want) => expect(told(change)).toEqual(want));

  test('for the digest that is named', () => {
    expect(count({}).digest).toBe(NOW);
    expect(count({ digest: undefined }).digest).toBeUndefined();
  });
});

describe('how many are needed', () => {
  test.each<[string, Partial<ApprovalInput>, number]>([
    ['as many as are asked for', {}, 1],
    ['one more where nobody can tell who pushed (63)', { unknownAuthors: ['app', 'fork'] }, 2],
    ['one more than two', { required: 2, unknownAuthors: ['not-told'] }, 3],
    ['none where none is asked for', { required: 0, unknownAuthors: ['not-told'] }, 0],
    [
      'as many as are asked for, where authors may approve',
      { allowSelfApproval: true, unknownAuthors: ['app'] },
      1,
    ],
  ])('%s', (_name, change, needed) => {
    expect(count(change).needed).toBe(needed);
  });
});
