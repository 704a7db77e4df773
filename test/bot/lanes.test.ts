import { expect, test } from 'vitest';

import { withShares } from '../../src/bot/lanes.ts';
import { LONG_STRANGER, STRANGER } from '../../src/reconcile/jobs.ts';

test('what comes from a fork has the processes of strangers, and others once somebody who may asks for it', async () => {
  const shares: unknown[] = [];
  const handlers = { [STRANGER]: async () => {}, [LONG_STRANGER]: async () => {} };
  const within = withShares(handlers, async (share) => void shares.push(share.class));
  for (const kind of [STRANGER, LONG_STRANGER]) {
    for (const data of [{}, { again: {} }]) {
      await within[kind]?.({ kind, key: '', data, attempt: 1 }, new AbortController().signal);
    }
  }
  expect(shares).toEqual(['strangers', 'asked-strangers', 'long-strangers', 'asked-strangers']);
});
