import { expect, test } from 'vitest';

import { parseWhySubject, whyLines, type Why, type WhyJob } from '../../src/command/why.ts';

const NONE: Why = { about: 'acme/web', jobs: [], packages: [], leftOut: 0 };
const job: WhyJob = {
  kind: 'comment',
  key: 'comment:1#2',
  repository: 'acme/web',
  number: 2,
  state: 'ready',
  at: 'T',
  attempt: 1,
};
const lines = (why: Partial<Why>): readonly string[] => whyLines({ ...NONE, ...why }, (name) => `<${name}>`);

test.each([
  ['7B6F2F90-9b3e-11f0-8de9-0242ac120002', { delivery: '7b6f2f90-9b3e-11f0-8de9-0242ac120002' }],
  ['acme/web', { repository: 'acme/web' }],
  ['acme/web#12', { repository: 'acme/web', number: 12 }],
  ['acme/web:apps/a', { repository: 'acme/web', package: 'apps/a' }],
  ['acme', undefined],
  ['acme/web#0', undefined],
  ['acme/web#1:a', undefined],
  ['acme/web:', undefined],
  ['', undefined],
])('a subject is read: %s', (text, expected) => {
  expect(parseWhySubject(text)).toEqual(expected);
});

test.each([
  [{}, 'has waited for a free worker since T'],
  [{ state: 'running' }, 'runs since T'],
  [{ state: 'waiting', attempt: 3, code: 'RATE_LIMITED' }, 'waits until T, attempt 3, after <RATE_LIMITED>'],
  [
    { state: 'given-up', attempt: 15, code: 'FORGE_UNAVAILABLE' },
    'failed at T with <FORGE_UNAVAILABLE> after 15 attempts; the log of the server has key <comment:1#2>',
  ],
  [{ state: 'done' }, 'was done at T'],
  [{ state: 'done', reason: 'answered' }, 'had nothing to do at T: the comment was answered before'],
  [{ state: 'unqueued' }, 'is not queued yet'],
] as const)('a job is told with its state and time: %o', (more, words) => {
  expect(lines({ jobs: [{ ...job, ...more }] })).toEqual([`Job <comment> of <acme/web#2> ${words}.`]);
});

test('a webhook whose jobs could not be queued says with what, and how to repeat it', () => {
  const delivery = {
    event: 'push',
    state: 'failed',
    receivedAt: 'T',
    attempt: 10,
    code: 'DATABASE_UNREACHABLE',
  };
  expect(lines({ about: 'id', delivery })).toEqual([
    'Webhook <id> (<push>, T) was received, but its jobs could not be queued: <DATABASE_UNREACHABLE> after 10 attempts. Redeliver it on GitHub to retry.',
  ]);
});

test('where nothing waits, it says so; a pull request names each need with who can meet it', () => {
  expect(lines({})).toEqual(['No job is queued or failed, and no update waits.']);
  const needs = [{ code: 'approvals-missing', message: '0 of 1 approvals', hint: 'Approve it.', who: 'bob' }];
  expect(lines({ pull: { number: 3, state: 'open', needs } })).toEqual([
    '#3 is open and waits:',
    '0 of 1 approvals. Approve it. Who can: bob.',
  ]);
});
