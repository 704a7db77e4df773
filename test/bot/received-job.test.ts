import { expect, test } from 'vitest';

import { readJob } from '../../src/bot/received-job.ts';
import { JOB_KINDS, type Job } from '../../src/reconcile/job.ts';
import {
  branchJob,
  commentJob,
  commitJob,
  dashboardEditedJob,
  dashboardJob,
  downstreamJob,
  fixJob,
  longerJob,
  mergeGroupJob,
  noticeJob,
  organizationBoardJob,
  overdueJob,
  pollJob,
  proposalJob,
  publicationJob,
  readerCommentJob,
  recheckJob,
  registryJob,
  repositoryJob,
  repositorySweepJob,
  organizationRightsJob,
  restorationJob,
  rightsJob,
  rolloutJob,
  strangerJob,
  sweepJob,
  updateBranchJob,
  updateChecksJob,
  updatesJob,
  variantGoneJob,
  variantJob,
} from '../../src/reconcile/jobs.ts';
import { repositoryDirectory } from '../../src/revision/package-path.ts';
import { readStored, storedText } from '../../src/webhook/routed-event.ts';

const repository = { installationId: 7, id: 3, owner: 'acme', name: 'web' };
const origin = { at: 1_790_000_000_000, trace: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
const form = {
  author: 'alice',
  authorId: 5,
  authorIsBot: false,
  body: '/portico help',
  createdAt: '2026-01-01T00:00:00Z',
};
const asked = { to: 'v3', askedIn: 9, askedBy: 'alice', askedById: 5 };
const group = { headSha: 'a', headRef: 'refs/heads/q', baseSha: 'b', baseRef: 'refs/heads/main' };
const notice = {
  id: 'one',
  type: 'rollout.stopped' as const,
  at: '2026-01-01T00:00:00.000Z',
  rollout: 'web',
  repository: 'acme/fleet',
  package: 'acme/up:web',
  revision: 'v4',
  message: 'It is stopped.',
};
const sha = { repository, sha: 'a', branch: null };
const stranger = { repository, number: 4, author: 'mallory' };

/** What the first versions stored, beside when and in which trace it was asked for; and what is read of it where that is more. */
const STORED: [kind: string, data: object, more?: object][] = [
  ['sweep', {}],
  ['sweep-repository', { repository }],
  ['branch', { repository, ref: 'refs/heads/main' }],
  ['repository', { repository }],
  ['publication', { repository }],
  ['registry', { repository }],
  ['proposal', { repository, number: 4, again: {} }],
  ['proposal', { repository, number: 4, again: { check: 'portico/render' } }],
  ['long-proposal', { repository, number: 4 }],
  ['stranger-proposal', { ...stranger, waits: true }],
  ['long-stranger-proposal', stranger],
  ['overdue', { repository, number: 4 }],
  ['commit', { ...sha, again: {} }, { wish: 'checks' }],
  ['commit', { ...sha, pressed: { check: 'portico/render', by: 'alice', byId: 5 } }, { wish: 'fix' }],
  ['fix', { repository, number: 4, check: 'portico/render', headSha: 'a', by: 'alice', byId: 5 }],
  ['merge-group', { repository, ...group }],
  ['comment', { repository, number: 4, source: { kind: 'comment', id: 8 }, aside: true, headSeen: 'a' }],
  ['comment', { repository, number: 4, source: { kind: 'form', id: -4 }, form }],
  ['reader-comment', { repository, number: 4, source: { kind: 'comment', id: 8 }, author: 'rita' }],
  ['variant', { repository, package: 'web' }, { about: 'package' }],
  ['variant', { repository, package: 'web', ...asked }, { about: 'package' }],
  ['variant', { repository, package: 'web', ...asked, askedFrom: repository }, { about: 'package' }],
  ['variant', { repository, package: 'web', gone: 'uid' }, { about: 'package' }],
  ['variant', { repository, packages: ['a', 'b'], ahead: 4, turn: 1 }, { about: 'packages' }],
  ['variant', { repository, branch: 'portico/update/web/0123456789' }, { about: 'branch' }],
  ['update-checks', { repository, branch: 'portico/update/web/0123456789' }],
  ['restoration', { repository }],
  ['restoration', { repository, commit: 'a' }],
  ['rollout', { repository, since: 5 }],
  ['poll', { address: 'https://example.org/a/b' }],
  ['notice', { notice }],
  ['dashboard', { repository }],
  ['dashboard', { repository, organization: true }],
  ['dashboard', { repository, edited: { number: 4, login: 'alice', id: 5, isBot: false } }],
  ['downstream', { repository, directory: 'web' }],
  ['rights', { repository }],
  ['organization-rights', { installationId: 7 }],
];

test.each(STORED)('a %s that an earlier version stored is read whole: %j', (kind, stored, more = {}) => {
  const data = JSON.parse(JSON.stringify({ ...stored, ...origin }));
  const job = readJob({ kind, key: 'k', data, attempt: 2 });
  const { at: _at, ...read } = job.data as { readonly at?: number };
  expect({ ...job, data: read }).toEqual({
    kind,
    key: 'k',
    data: { ...stored, ...more },
    origin,
    attempt: 2,
  });
});

test('every kind is in that table', () => {
  expect([...new Set(STORED.map(([kind]) => kind))].toSorted()).toEqual(JOB_KINDS.toSorted());
});

test('what is stored now is read as it was', () => {
  const proposal = proposalJob(repository, 4);
  const jobs: readonly Job[] = [
    sweepJob(),
    repositorySweepJob(repository, 5),
    branchJob(repository, 'refs/heads/main'),
    repositoryJob(repository),
    publicationJob(repository),
    registryJob(repository),
    proposal,
    recheckJob(repository, 4, { check: 'portico' }),
    strangerJob(proposal, 'mallory'),
    longerJob(proposal),
    longerJob({ ...proposal, kind: 'stranger-proposal' }),
    overdueJob(repository, 4, 60),
    commitJob(repository, sha, { wish: 'checks', again: {} }),
    commitJob(repository, sha, { wish: 'fix', pressed: { check: 'portico', by: 'alice', byId: undefined } }),
    fixJob(repository, { number: 4, check: 'portico', headSha: 'a', by: 'alice', byId: undefined }),
    mergeGroupJob(repository, group),
    commentJob(repository, 4, { kind: 'opening', id: -4 }, { form: { ...form, authorId: undefined } }),
    readerCommentJob(commentJob(repository, 4, { kind: 'comment', id: 8 }, { author: 'rita' }), 5),
    variantJob(repository, 'web', asked),
    variantGoneJob(repository, 'web', 'uid'),
    updatesJob(repository, ['a', 'b']),
    updateBranchJob(repository, 'portico/update/web/0123456789'),
    updateChecksJob(repository, 'portico/update/web/0123456789'),
    restorationJob(repository),
    restorationJob(repository, 'a'),
    rolloutJob(repository, 5, 6),
    pollJob('https://example.org/a/b'),
    noticeJob(notice),
    dashboardJob(repository),
    organizationBoardJob(repository),
    dashboardEditedJob(repository, { number: 4, login: 'alice', isBot: false }),
    downstreamJob({ repository, directory: repositoryDirectory('web') }),
    rightsJob(repository, 60),
    organizationRightsJob(7),
  ];
  expect(new Set(jobs.map(({ kind }) => kind))).toEqual(new Set(JOB_KINDS));
  const atTheDoor = { id: 'one', event: 'any', body: storedText(jobs) };
  expect(readStored(atTheDoor, 1)).toEqual({ id: 'one', name: 'any', jobs });
  for (const { kind, key, data } of jobs) {
    const stored = JSON.parse(JSON.stringify(data));
    expect(readJob({ kind, key, data: stored, attempt: 1 })).toEqual({
      kind,
      key,
      data: stored,
      origin: {},
      attempt: 1,
    });
  }
});

test.each([
  ['proposal', { repository }, /number/],
  ['variant', { repository }, /branch/],
  ['variant', null, /object/],
  ['constructor', { repository }, /nothing is known of jobs of kind constructor/],
])('a %s with %j is left to a newer version, and says what is missing', (kind, data, message) => {
  const read = (): unknown => readJob({ kind, key: 'k', data, attempt: 1 });
  expect(read).toThrow(
    expect.objectContaining({
      code: 'JOB_UNREADABLE',
      blame: 'forge',
      message: expect.stringMatching(message),
    }),
  );
});
