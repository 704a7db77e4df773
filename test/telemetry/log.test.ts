import { generateKeyPairSync } from 'node:crypto';

import { afterEach, describe, expect, test, vi } from 'vitest';

import { PorticoError } from '../../src/error.ts';
import { createLog, createScrubber, logWith, type LogOptions } from '../../src/telemetry/log.ts';
import { VERSION } from '../../src/version.ts';

function logged(write: (log: ReturnType<typeof createLog>) => void, options: LogOptions = {}): string[] {
  const lines: string[] = [];
  write(createLog({ level: 'trace', ...options, stream: { write: (line) => void lines.push(line) } }));
  return lines;
}

const PEM = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey;
const TOKEN = 'ghs_0123456789abcdefGHIJKLmnopqrstuvwxyz';

const lost = (): PorticoError => new PorticoError('DATABASE_UNREACHABLE', 'no answer', { blame: 'forge' });

describe('the log', () => {
  test('a line is one JSON document with the fields of the children', () => {
    const [line] = logged((log) =>
      log.child({ delivery: 'd', pull: 7 }).child({ sha: 'abc' }).info({ key: 'k' }, 'done'),
    );
    expect(JSON.parse(line!)).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      version: VERSION,
      delivery: 'd',
      pull: 7,
      sha: 'abc',
      key: 'k',
      msg: 'done',
    });
  });

  test('every line of a piece of work names what it is about, and no field twice', async () => {
    const lines: string[] = [];
    const log = createLog({ stream: { write: (line) => void lines.push(line) } });
    await logWith({ delivery: 'd', repository: 'acme/base' }, async () => {
      await Promise.resolve();
      logWith({ key: 'k' }, () => log.info({ repository: 'acme/edge', pull: 7 }, 'updated'));
      log.info({}, 'done');
    });
    log.info({}, 'other work');
    const [updated, done, other] = lines.map((line) => JSON.parse(line) as object);
    expect(updated).toMatchObject({ delivery: 'd', repository: 'acme/edge', key: 'k', pull: 7 });
    expect(lines[0]!.match(/"repository"/g)).toHaveLength(1);
    expect(done).toMatchObject({ delivery: 'd', repository: 'acme/base', version: VERSION });
    expect(other).not.toHaveProperty('delivery');
  });

  test('of an error there is what helps, and no request or response that hangs on it', () => {
    const cause = Object.assign(new Error('Bad credentials'), {
      status: 401,
      request: { headers: { authorization: `token ${TOKEN}` }, body: 'the payload' },
      response: { data: 'the payload' },
    });
    const err = new PorticoError('FORGE_AUTH', 'refused', {
      hint: 'Look at the key.',
      blame: 'forge',
      retryAfter: 5,
      cause,
    });
    const [line] = logged((log) => log.error({ err }, 'failed'));
    expect(JSON.parse(line!).err).toEqual({
      type: 'PorticoError',
      message: 'refused',
      code: 'FORGE_AUTH',
      hint: 'Look at the key.',
      blame: 'forge',
      retryAfter: 5,
      stack: expect.stringContaining('log.test.ts'),
      cause: { type: 'Error', message: 'Bad credentials', status: 401, stack: expect.any(String) },
    });
    expect(line).not.toMatch(/payload|ghs_/);
  });

  test.each([
    ['a copy of an error', { message: 'terminated', code: '57P01' }, 'terminated'],
    ['an object without a message', { reason: { code: 7 } }, '{ reason: { code: 7 } }'],
    ['null', null, 'null'],
  ])('%s in place of an error says what it holds', (_what, err, message) => {
    const [line] = logged((log) => log.error({ err }, 'failed'));
    expect(JSON.parse(line!).err.message).toBe(message);
  });

  test.each([
    ['a token', TOKEN, TOKEN],
    ['a short token', 'remote: ghs_inst11 refused', 'ghs_'],
    ['a fine-grained token', 'github_pat_11AAAAAAA0abcdefghij_klmnop', 'github_pat_'],
    ['a token in an address', 'https://x-access-token:s3cretpass@github.com/a/b.git', 's3cretpass'],
    [
      'a header',
      `Authorization: Basic ${Buffer.from('x-access-token:abcdefghijkl').toString('base64')}`,
      'eC1hY2Nlc3',
    ],
    ['a bearer', 'authorization: bearer abcdefghijklmnopqrstuvwxyz', 'abcdefghijklmnop'],
    ['a JWT', 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOjc3LCJpYXQiOjF9.c2lnbmF0dXJlLXNpZ25hdHVyZQ', 'eyJpc3'],
    ['a private key', PEM, PEM.split('\n')[3]],
    ['half a private key', PEM.slice(0, 600), PEM.split('\n')[3]],
    ['the webhook secret', 'compared with hook"secret\\1', 'hook'],
    [
      'its base64',
      Buffer.from('hook"secret\\1').toString('base64'),
      Buffer.from('hook"secret').toString('base64').slice(0, 12),
    ],
    ...[0, 1, 2, 3].map((pad): [string, string, string] => {
      const text = Buffer.from('u'.repeat(pad) + TOKEN).toString('base64');
      return [`the base64 of a token, ${pad} in`, text, text.slice(4, 16)];
    }),
  ])('%s is in no line, wherever it was put', (_what, text, secret) => {
    const lines = logged(
      (log) => {
        log.info(text);
        log.info({ deep: { list: [text] } }, 'field');
        log.error({ err: new Error(text, { cause: new Error(text) }) }, 'error');
        log.child({ text }).warn('child');
      },
      { secrets: ['hook"secret\\1', 'tiny'] },
    );
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      expect(line).not.toContain(secret);
      expect(line).toContain('***');
      expect(() => JSON.parse(line)).not.toThrow();
    }
  });

  describe('repeated warnings and errors', () => {
    afterEach(() => void vi.useRealTimers());
    test('a lost database costs one line a minute, with the number of lines left out', () => {
      vi.useFakeTimers();
      const lines: string[] = [];
      const log = createLog({ stream: { write: (line) => void lines.push(line) } });
      for (let second = 0; second < 90; second += 1) {
        for (const lane of ['variants', 'index'])
          log.error({ err: lost(), lane }, 'queue: could not look for jobs');
        log.warn({ err: lost() }, 'queue: a heartbeat failed');
        vi.advanceTimersByTime(1_000);
      }
      vi.advanceTimersByTime(300_000);
      expect(lines.map((line) => (JSON.parse(line) as { repeated?: number }).repeated)).toEqual([
        undefined,
        179,
        90,
      ]);
      log.error({ err: lost() }, 'lost again');
      expect(JSON.parse(lines.at(-1)!)).toMatchObject({ msg: 'lost again' });
    });

    test('lines that say something else are all written, and so is what is no warning', () => {
      const lines = logged((log) => {
        for (const key of ['a', 'b', 'a'])
          log.error({ err: new Error('no'), key, attempt: Math.random() }, 'queue: a job failed for good');
        log.error({ err: new Error('other'), key: 'a' }, 'queue: a job failed for good');
        for (const _ of [1, 2]) log.info({}, 'webhook');
      });
      expect(lines).toHaveLength(5);
    });
  });

  test('what is no secret stays', () => {
    const text =
      'pushed 3b5d5c3712955042212316173ccf37be800a6f2e to https://github.com/acme/base.git@main: token expired';
    expect(createScrubber()(text)).toBe(text);
  });

  test('for people: what others wrote makes no line of its own, and moves no cursor', () => {
    const evil = 'web\n00:00:00 INFO all is well\u001b[2J\u009b1A\r';
    const [line, failed] = logged(
      (log) => {
        log.info({ repository: evil }, evil);
        log.error({ err: new PorticoError('CONFIG_INVALID', evil, { blame: 'user', hint: evil }) }, 'failed');
      },
      { format: 'text' },
    );
    expect(line!.trimEnd()).not.toContain('\n');
    expect(failed!.split('\n').filter((one) => /^\d\d:\d\d:\d\d INFO/.test(one))).toEqual([]);
    for (const text of [line!, failed!]) expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });

  test('for people: one line of text, with the stack and the hint below', () => {
    const err = new PorticoError('CONFIG_INVALID', 'went wrong', { blame: 'user', hint: 'Do this.' });
    const [plain, failed] = logged(
      (log) => {
        log.info({ repository: 'acme/base', pull: 3 }, `fetched with ${TOKEN}`);
        log.error({ err }, 'failed');
      },
      { format: 'text' },
    );
    expect(plain).toMatch(/^\d\d:\d\d:\d\d INFO {2}fetched with \*\*\* repository=acme\/base pull=3\n$/);
    expect(failed).toMatch(/ERROR failed\n {2}PorticoError: went wrong\n[\s\S]*\n {2}Do this\.\n$/);
  });
});
