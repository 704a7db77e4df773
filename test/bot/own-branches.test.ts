import { expect, test } from 'vitest';

import { createOwnBranches } from '../../src/bot/own-branches.ts';
import type { PushResult, RefUpdate } from '../../src/reconcile/git-port.ts';

const REF = 'refs/heads/portico/update/web/1';
const OK: PushResult = { ok: true };
const MOVED: PushResult = { ok: false, rejected: [{ ref: REF, reason: 'stale', message: 'stale info' }] };

const push = (_updates: readonly RefUpdate[]): Promise<PushResult> => Promise.resolve(OK);

interface Pushed {
  readonly expect: string | null;
  readonly to: string | null;
  readonly answer?: PushResult;
}

/** Whether the branch was moved alone to each of these commits, after the pushes and the forge's answers. */
async function movedAlone(pushes: readonly Pushed[], heads: readonly string[]): Promise<boolean[]> {
  const branches = createOwnBranches();
  const git = (answer: PushResult): ReturnType<typeof branches.wrap> =>
    branches.wrap(1, { push: () => Promise.resolve(answer) });
  for (const { to, expect: expected, answer = OK } of pushes) {
    await git(answer).push([{ ref: REF, to, expect: expected }]);
  }
  return heads.map((head) => git(OK).movedOnlyByUs(REF, head));
}

test('a branch that was begun here, and each step of it', async () => {
  const pushes = [
    { expect: null, to: 'a' },
    { expect: 'a', to: 'b' },
  ];
  expect(await movedAlone(pushes, ['a', 'b'])).toEqual([false, true]);
});

test('one that was there, that somebody moved in between, or that is gone', async () => {
  expect(await movedAlone([{ expect: 'theirs', to: 'a' }], ['a'])).toEqual([false]);
  const between = [
    { expect: null, to: 'a' },
    { expect: 'theirs', to: 'b' },
    { expect: 'b', to: 'c' },
  ];
  expect(await movedAlone(between, ['a', 'b', 'c'])).toEqual([false, false, false]);
  const gone = [
    { expect: null, to: 'a' },
    { expect: 'a', to: null },
  ];
  expect(await movedAlone(gone, ['a'])).toEqual([false]);
});

test('what the forge refused happened nowhere', async () => {
  expect(await movedAlone([{ expect: null, to: 'a', answer: MOVED }], ['a'])).toEqual([false]);
});

test('another repository and another branch tell nothing of this one', async () => {
  const branches = createOwnBranches();
  await branches.wrap(1, { push }).push([{ ref: REF, to: 'a', expect: null }]);
  expect(branches.wrap(2, { push }).movedOnlyByUs(REF, 'a')).toBe(false);
  expect(branches.wrap(1, { push }).movedOnlyByUs(`${REF}0`, 'a')).toBe(false);
});
