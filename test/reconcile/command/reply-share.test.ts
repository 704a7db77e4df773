import { expect, test } from 'vitest';

import type { ErrorCode } from '../../../src/error-code.ts';
import { PorticoError } from '../../../src/error.ts';
import { createReplyShare, REPLIES_AN_HOUR } from '../../../src/reconcile/command/reply-share.ts';
import type { RepositoryAccess } from '../../../src/reconcile/ports.ts';

const ref = { id: 1, owner: 'acme', name: 'shop', installationId: 1 };
const accessOf = (permission: () => Promise<string>): Pick<RepositoryAccess, 'forge' | 'ref'> => ({
  ref,
  forge: { permission } as Partial<RepositoryAccess['forge']> as RepositoryAccess['forge'],
});
const failing = (code: ErrorCode): Pick<RepositoryAccess, 'forge' | 'ref'> =>
  accessOf(() => Promise.reject(new PorticoError(code, 'no answer', { blame: 'user' })));

test('replies are counted for each person, for an hour, and not at all for those who may write', async () => {
  let minutes = 0;
  const share = createReplyShare({ now: () => new Date(minutes * 60_000) });
  const asked: string[] = [];
  const roles = accessOf(() => Promise.resolve(asked.at(-1) === 'bob' ? 'write' : 'read'));
  const take = (login: string): Promise<boolean> => {
    asked.push(login);
    return share.take(roles, login);
  };
  for (let count = 0; count < REPLIES_AN_HOUR; count += 1) {
    expect(await take('rita')).toBe(true);
    expect(await take('bob')).toBe(true);
    minutes += 1;
  }
  expect(await take('Rita')).toBe(false);
  expect(await take('bob')).toBe(true);
  expect(await take('rick')).toBe(true);
  minutes = 61;
  expect(await take('rita')).toBe(true);
});

test('where the forge does not say who somebody is, that is nobody who may write; a limit is waited for', async () => {
  const share = createReplyShare({ now: () => new Date(0) });
  for (let count = 0; count < REPLIES_AN_HOUR; count += 1)
    await share.take(failing('FORGE_UNAVAILABLE'), 'rita');
  expect(await share.take(failing('FORGE_UNAVAILABLE'), 'rita')).toBe(false);
  await expect(share.take(failing('RATE_LIMITED'), 'rita')).rejects.toThrow('no answer');
});
