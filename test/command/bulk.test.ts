import { describe, expect, test } from 'vitest';

import { isMeant } from '../../src/command/bulk-request.ts';
import { outcome, pull, say } from './command-state.ts';

const issue = { kind: 'issue', number: 9, state: 'open', locked: false } as const;

test.each([
  ['update --match=apps/**', 'plan-bulk'],
  ['update --match=apps/** --to=v3 --upstream=acme/blueprints --dry-run', 'plan-bulk'],
  ['rollback --match=web --to v7', 'plan-bulk'],
  ['approve --match team=web,tier!=test', 'plan-bulk'],
  ["close --match='*'", 'plan-bulk'],
  ['', 'bad-argument'],
  ['publish --match=*', 'plan-bulk'],
  ['publish --match=* --bump=minor', 'plan-bulk'],
  ['publish --match=* --bump=big', 'bad-argument'],
  ['approve --match=* --bump=minor', 'bad-argument'],
  ['approve --revision=apps/shop@v8', 'plan-bulk'],
  ['approve --revision=apps/shop@8 --match=acme/edge-*', 'plan-bulk'],
  ['approve --revision=apps/shop', 'bad-argument'],
  ['approve --revision=../x@v1', 'bad-argument'],
  ['publish --rollout=web --wave=canary', 'plan-bulk'],
  ['publish --rollout=Web', 'bad-argument'],
  ['publish --rollout=web --wave=../x', 'bad-argument'],
  ['publish --wave=canary', 'bad-argument'],
  ['publish --variants --wave=canary', 'bad-argument'],
  ['approve --variants', 'plan-bulk'],
  ['approve --variants --rollout=web', 'bad-argument'],
  ['close --variants', 'bad-argument'],
  ['update --rollout=web', 'bad-argument'],
  ['update', 'bad-argument'],
  ['update --match=a --to=main', 'bad-argument'],
  ['rollback --match=a', 'bad-argument'],
  ['rollback --match=a --to=latest', 'bad-argument'],
  ['approve --match=a --to=v3', 'bad-argument'],
  ['close --match=a --upstream=b', 'bad-argument'],
  ['close --match={a,b}', 'bad-argument'],
  ['close --match=a=b=c', 'bad-argument'],
])('bulk %s: %s', (rest, expected) => {
  expect(outcome(`/portico bulk ${rest}`, { place: issue })).toBe(expected);
});

test('neither is said in a pull request', () => {
  expect(outcome('/portico bulk close --match=a', { place: pull() })).toBe('wrong-place');
  expect(outcome('/portico confirm', { place: pull() })).toBe('wrong-place');
  expect(say('/portico confirm', { place: issue })).toMatchObject({
    steps: [{ do: 'run-bulk', login: 'bob' }],
  });
});

function requested(line: string): unknown {
  const answer = say(`/portico bulk ${line}`, { place: issue });
  return answer.kind === 'do' ? answer.steps : answer;
}

test('a fleet is what its option says, in all repositories unless some are named', () => {
  expect(requested('approve --revision=apps/shop@8')).toEqual([
    {
      do: 'plan-bulk',
      dryRun: false,
      request: {
        action: 'approve',
        match: '**',
        fleet: { of: 'revision', package: 'apps/shop', revision: 'v8' },
      },
    },
  ]);
  expect(requested('publish --rollout=web --wave=canary --match=acme/edge-* --bump=patch')).toMatchObject([
    { request: { match: 'acme/edge-*', bump: 'patch', fleet: { of: 'rollout', wave: 'canary' } } },
  ]);
});

test.each([
  ['', undefined],
  ['3F2a91c0b7de', '3f2a91c0b7de'],
])('confirm %s', (word, plan) => {
  expect(say(`/portico confirm ${word}`, { place: issue })).toMatchObject({
    steps: [{ do: 'run-bulk', login: 'bob', ...(plan !== undefined && { plan }) }],
  });
});

test.each(['3f2a91c', 'latest', '3f2a91c0b7dex'])('%s is no digest of a plan', (word) => {
  expect(outcome(`/portico confirm ${word}`, { place: issue })).toBe('bad-argument');
});

test('without --match it is asked which packages are meant', () => {
  expect(say('/portico bulk update', { place: issue })).toMatchObject({
    code: 'bad-argument',
    message: 'The packages or proposals are missing.',
  });
});

describe('which are meant', () => {
  const web = { path: 'apps/web', labels: { team: 'web', empty: '', constructor: 'x' } };
  test.each([
    ['apps/*', true],
    ['**', true],
    ['web', false],
    ['team=web', true],
    ['team==web,empty=', true],
    ['team!=web', false],
    ['other!=web', true],
    ['team=web,other=x', false],
    ['toString=x', false],
  ])('%s: %s', (match, expected) => expect(isMeant({ match }, web)).toBe(expected));
});
