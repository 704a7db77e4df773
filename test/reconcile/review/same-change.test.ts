/** The same change, approved once: what decides, without a forge. The story is in test/reconcile/command/fleet-approval.test.ts. */
import { expect, test } from 'vitest';

import { approvalState, isEnough } from '../../../src/command/approval-state.ts';
import { defaultRepositoryConfig } from '../../../src/config/parse-repository-config.ts';
import type { RepositoryConfig } from '../../../src/config/repository-config.ts';
import type { RepositoryFacts } from '../../../src/reconcile/forge/repository.ts';
import { doBothAgree, withoutKnown } from '../../../src/reconcile/review/same-change.ts';

const CONFIG = defaultRepositoryConfig();
const COUNT = {
  counted: [],
  notCounted: [],
  changesRequested: [],
  required: 2,
  needed: 2,
  authors: [],
  unknownAuthors: [],
};
const CAROL = { login: 'carol', id: 5, where: 'acme/canary#7' };

test('accepted approvals are counted and named with where they were given', () => {
  expect(isEnough({ ...COUNT, accepted: [CAROL] })).toBe(false);
  expect(approvalState(CONFIG, { ...COUNT, accepted: [CAROL] }).sentence).toBe(
    'Needs 1 more approval (given by carol in acme/canary#7): anyone with write access.',
  );
  const both = { ...COUNT, accepted: [CAROL], counted: [{ login: 'bob', how: 'review' as const }] };
  expect(approvalState(CONFIG, both)).toMatchObject({
    kind: 'given',
    sentence:
      'Approved for this content, or for the same change elsewhere, by bob and carol in acme/canary#7.',
  });
});

test.each([
  ['an author', { authors: [{ login: 'Carol', because: 'pushed' as const }] }],
  ['an author whose login has changed', { authors: [{ login: 'old', id: 5, because: 'asked' as const }] }],
  ['somebody who approved here', { counted: [{ login: 'carol', how: 'review' as const }] }],
  [
    'somebody whose approval here does not count',
    { notCounted: [{ login: 'carol', reason: 'dismissed' as const }] },
  ],
])('%s is not accepted from elsewhere', (_who, known) => {
  expect(withoutKnown([CAROL], { ...COUNT, ...known })).toEqual([]);
});

test('somebody else is', () => {
  expect(withoutKnown([CAROL], { ...COUNT, authors: [{ login: 'bob', because: 'pushed' }] })).toEqual([
    CAROL,
  ]);
});

interface Side {
  readonly facts: RepositoryFacts;
  readonly config: RepositoryConfig;
}

function side(
  name: string,
  approvals: RepositoryConfig['publish']['approvals'],
  {
    owner = 'acme',
    visibility = 'internal',
  }: { owner?: string; visibility?: RepositoryFacts['visibility'] } = {},
): Side {
  const facts: RepositoryFacts = {
    id: name === 'edge' ? 1 : 2,
    owner,
    name,
    fullName: `${owner}/${name}`,
    visibility,
    defaultBranch: 'main',
    archived: false,
    htmlUrl: '',
    cloneUrl: '',
  };
  return {
    facts,
    config: { ...CONFIG, publish: { ...CONFIG.publish, ...(approvals && { approvals }) } },
  };
}

const FROM = { from: ['acme/canary'], to: [] };
const TO = { from: [], to: ['acme/*'] };

test.each<[string, Side, Side, boolean]>([
  ['both name each other', side('edge', FROM), side('canary', TO), true],
  ['the other does not', side('edge', FROM), side('canary', undefined), false],
  [
    'the other names somebody else',
    side('edge', FROM),
    side('canary', { from: [], to: ['acme/prod'] }),
    false,
  ],
  ['this one does not', side('edge', undefined), side('canary', TO), false],
  ['this one names another', side('edge', { from: ['acme/up'], to: [] }), side('canary', TO), false],
  [
    'another account has a repository of that name',
    side('edge', { from: ['evil/canary', 'acme/canary'], to: [] }),
    side('canary', { from: [], to: ['acme/edge'] }, { owner: 'evil' }),
    false,
  ],
  [
    'readers of the update may not know the other',
    side('edge', FROM),
    side('canary', TO, { visibility: 'private' }),
    false,
  ],
])('an approval elsewhere counts only where both agree: %s', (_what, here, there, expected) => {
  expect(doBothAgree(here, there)).toBe(expected);
});
