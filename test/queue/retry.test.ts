import { describe, expect, test } from 'vitest';

import { PorticoError } from '../../src/error.ts';
import { gitError } from '../../src/git/git-error.ts';
import { classifyFailure } from '../../src/queue/retry.ts';

const forge = new PorticoError('FORGE_UNAVAILABLE', 'no answer', { blame: 'forge' });

describe('what becomes of a failed job', () => {
  test("the user's fault ends at once", () => {
    const error = new PorticoError('CONFIG_INVALID', 'bad', { blame: 'user' });
    expect(classifyFailure(error, 1, 0)).toEqual({
      what: 'give-up',
      outcome: 'refused',
      code: 'CONFIG_INVALID',
    });
  });

  test("the forge's is repeated, from a second to five minutes apart, spread by half", () => {
    const delays = (random: number) =>
      Array.from({ length: 14 }, (_, index) => {
        const verdict = classifyFailure(forge, index + 1, random);
        return verdict.what === 'retry' && !verdict.hold ? verdict.delayMs : undefined;
      });
    const longest = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300, 300, 300].map(
      (seconds) => seconds * 1000,
    );
    expect(delays(1)).toEqual(longest);
    expect(delays(0)).toEqual(longest.map((delay) => delay / 2));
    expect(classifyFailure(forge, 15, 0)).toEqual({
      what: 'give-up',
      outcome: 'dead',
      code: 'FORGE_UNAVAILABLE',
    });
  });

  test('the time that the forge named is kept exactly', () => {
    const limited = new PorticoError('RATE_LIMITED', 'slow down', { blame: 'forge', retryAfter: 61 });
    expect(classifyFailure(limited, 3, 0.3)).toEqual({
      what: 'retry',
      code: 'RATE_LIMITED',
      delayMs: 61_000,
      hold: true,
    });
  });

  test.each([
    [Object.assign(new Error('write'), { code: 'ENOSPC' }), 'ENOSPC'],
    [Object.assign(new Error('open'), { code: 'EMFILE' }), 'EMFILE'],
    [Object.assign(new Error('could not extend file'), { code: '53100' }), '53100'],
    [new PorticoError('DATABASE_UNREACHABLE', 'no answer', { blame: 'forge' }), 'DATABASE_UNREACHABLE'],
    [
      gitError({
        command: 'fetch',
        exitCode: 128,
        stderr:
          'error: unable to write loose object file: No space left on device\nfatal: unpack-objects failed',
      }),
      'MACHINE_TROUBLE',
    ],
  ])('trouble of the machine is repeated within 20 s for 40 minutes: %s', (error, code) => {
    const delays = Array.from({ length: 129 }, (_, index) => {
      const verdict = classifyFailure(error, index + 1, 1);
      return verdict.what === 'retry' ? verdict.delayMs : Number.NaN;
    });
    expect(Math.max(...delays)).toBe(20_000);
    expect(delays.reduce((sum, delay) => sum + delay)).toBeGreaterThan(2_400_000);
    expect(classifyFailure(error, 130, 1)).toEqual({ what: 'give-up', outcome: 'dead', code });
  });

  test.each([
    [new TypeError('x'), 'TypeError'],
    ['text', 'UNKNOWN'],
    [undefined, 'UNKNOWN'],
  ])('a bug has three runs: %s', (error, code) => {
    expect(classifyFailure(error, 1, 1)).toMatchObject({ what: 'retry', delayMs: 1000, hold: false });
    expect(classifyFailure(error, 2, 1)).toMatchObject({ what: 'retry', delayMs: 2000, hold: false });
    expect(classifyFailure(error, 3, 1)).toEqual({ what: 'give-up', outcome: 'dead', code });
  });
});
