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
  ['publish --match=*', 'bad-argument'],
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
