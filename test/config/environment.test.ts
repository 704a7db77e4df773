import { generateKeyPairSync } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { readEnvironment, readLocalSettings } from '../../src/config/environment.ts';
import { sealSecrets, secretsOf } from '../../src/config/secrets.ts';
import type { PorticoError } from '../../src/error.ts';

const makeKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
const PEM = makeKey();
const OTHER = makeKey();
const files = {
  read(path: string): string {
    if (path === '/run/secrets/key.pem') return PEM;
    if (path === '/run/secrets/seal-keys') return `${'n'.repeat(32)}\n${'o'.repeat(40)}\n`;
    if (path === '/run/secrets/empty') return '\n';
    throw new Error(`ENOENT ${path}`);
  },
};
const good = { APP_ID: '77', PRIVATE_KEY: PEM, WEBHOOK_SECRET: 'a long random text' };

function refusal(env: Record<string, string | undefined>): PorticoError {
  try {
    readEnvironment(env, files);
  } catch (error) {
    return error as PorticoError;
  }
  throw new Error('was accepted');
}

describe('the environment', () => {
  test('what is not set has a default', () => {
    expect(readEnvironment(good, files)).toEqual({
      appId: 77,
      privateKey: PEM,
      sealKeys: [],
      previousPrivateKeys: [],
      webhookSecrets: ['a long random text'],
      apiUrl: 'https://api.github.com',
      gitUrl: 'https://github.com',
      port: 3000,
      host: '0.0.0.0',
      trustedProxies: [],
      databaseUrl: undefined,
      dataDirectory: './data',
      logLevel: 'info',
      logFormat: 'auto',
      contentPerMinute: 80,
      contentPerHour: 500,
      pointsPerMinute: 900,
      settleSeconds: 60,
      sweepMinutes: 15,
      outsideMegabytes: 500,
      gateHosts: [],
      metrics: true,
      api: true,
      retryMs: 500,
    });
  });

  test.each([
    ['a GitHub Enterprise Server', 'github.acme.example', 10_000_000],
    ['a tenant with data residency', 'acme.ghe.com', 900],
    ['github.com', 'github.com', 900],
  ])('the default number of points of %s follows its own limits', (_what, GHE_HOST, points) => {
    expect(readEnvironment({ ...good, GHE_HOST }, files).pointsPerMinute).toBe(points);
    expect(readEnvironment({ ...good, GHE_HOST, POINTS_PER_MINUTE: '500' }, files).pointsPerMinute).toBe(500);
  });

  test('what no line of the log may hold: also the password of the database, as written and as meant', () => {
    const DATABASE_URL = 'postgres://portico:p%40ss%2Fword@db/portico?password=an%20other';
    expect(secretsOf(readEnvironment({ ...good, DATABASE_URL }, files))).toEqual([
      'a long random text',
      PEM,
      'p%40ss%2Fword',
      'an other',
      'p@ss/word',
    ]);
  });

  test('keys of seals, newest first, and private keys that the App had before', () => {
    const [newer, older] = ['n'.repeat(32), 'o'.repeat(40)];
    const env = {
      ...good,
      SEAL_KEYS: ` ${newer},\n${older}\n`,
      PRIVATE_KEY_PREVIOUS: btoa(`${OTHER}${PEM}`),
    };
    const read = readEnvironment(env, files);
    expect(sealSecrets(read)).toEqual([newer, older, PEM, OTHER, PEM]);
    expect(secretsOf(read)).toEqual(expect.arrayContaining([newer, older, OTHER]));
    const paths = {
      ...good,
      SEAL_KEYS_PATH: '/run/secrets/seal-keys',
      PRIVATE_KEY_PREVIOUS_PATH: '/run/secrets/key.pem',
    };
    expect(sealSecrets(readEnvironment(paths, files))).toEqual([newer, older, PEM, PEM]);
  });

  test.each([
    [
      'a key that could be guessed',
      { SEAL_KEYS: 'short' },
      'SEAL_KEYS holds a key of fewer than 32 characters',
    ],
    ['a file of keys that is not there', { SEAL_KEYS_PATH: '/none' }, 'SEAL_KEYS_PATH names a file'],
    [
      'a file of keys without one',
      { SEAL_KEYS_PATH: '/run/secrets/empty' },
      'SEAL_KEYS_PATH names an empty file',
    ],
    ['a previous key that is none', { PRIVATE_KEY_PREVIOUS: 'none' }, 'PRIVATE_KEY_PREVIOUS does not hold'],
  ])('%s is refused', (_name, wrong, message) => {
    expect(refusal({ ...good, ...wrong }).message).toContain(message);
    expect(refusal({ ...good, ...wrong }).message).not.toContain('short');
  });

  test('GitHub Enterprise, a database, both secrets of a rotation', () => {
    const env = {
      ...good,
      GHE_HOST: 'github.example.com:8443',
      GHE_PROTOCOL: 'http',
      WEBHOOK_SECRET_PREVIOUS: 'the older text',
      DATABASE_URL: 'postgres://u:p@db/portico',
      PORT: '0',
      LOG_LEVEL: '',
      METRICS: 'off',
    };
    expect(readEnvironment(env, files)).toMatchObject({
      webhookSecrets: ['a long random text', 'the older text'],
      apiUrl: 'http://github.example.com:8443/api/v3',
      gitUrl: 'http://github.example.com:8443',
      databaseUrl: 'postgres://u:p@db/portico',
      port: 0,
      logLevel: 'info',
      metrics: false,
    });
  });

  test.each([
    ['SUB.ghe.com', 'https://api.sub.ghe.com', 'https://sub.ghe.com'],
    ['api.sub.ghe.com', 'https://api.sub.ghe.com', 'https://sub.ghe.com'],
    ['github.com', 'https://api.github.com', 'https://github.com'],
    ['ghe.com.example.org', 'https://ghe.com.example.org/api/v3', 'https://ghe.com.example.org'],
  ])('%s has its API at %s', (host, apiUrl, gitUrl) => {
    expect(readEnvironment({ ...good, GHE_HOST: host }, files)).toMatchObject({ apiUrl, gitUrl });
  });

  test('who commits', () => {
    const committer = { name: 'A. Machine', email: 'm@example.com' };
    expect(readEnvironment({ ...good, COMMITTER: 'A. Machine <m@example.com>' }, files)).toMatchObject({
      committer,
    });
    expect(refusal({ ...good, COMMITTER: 'm@example.com' }).message).toContain('COMMITTER must be');
  });

  test.each([
    ['as it is', { PRIVATE_KEY: PEM }],
    ['on one line', { PRIVATE_KEY: PEM.replaceAll('\n', '\\n') }],
    ['in base64', { PRIVATE_KEY: Buffer.from(PEM).toString('base64') }],
    ['with Windows line ends', { PRIVATE_KEY: PEM.replaceAll('\n', '\r\n') }],
    ['in a file', { PRIVATE_KEY: '', PRIVATE_KEY_PATH: '/run/secrets/key.pem' }],
  ])('a private key %s', (_how, key) => {
    expect(readEnvironment({ ...good, ...key }, files).privateKey).toBe(PEM);
  });

  test('everything that is wrong is named at once, and no value is shown', () => {
    const error = refusal({
      PRIVATE_KEY: 'hunter22',
      PORT: '70000',
      GHE_HOST: 'x/../y',
      DATABASE_URL: 'mysql://hunter22',
    });
    expect(error).toMatchObject({ code: 'CONFIG_ENVIRONMENT', blame: 'user' });
    const names = ['APP_ID', 'WEBHOOK_SECRET', 'PRIVATE_KEY', 'PORT', 'GHE_HOST', 'DATABASE_URL'];
    for (const name of names) {
      expect(error.message).toContain(`\n${name} `);
      expect(error.hint).toContain(name);
    }
    expect(`${error.message} ${error.hint}`).not.toContain('hunter22');
  });

  test.each([[undefined], ['']])('1 no start without a secret (%j)', (WEBHOOK_SECRET) => {
    expect(refusal({ ...good, WEBHOOK_SECRET }).hint).toContain('WEBHOOK_SECRET');
  });

  test.each([['WEBHOOK_SECRET'], ['WEBHOOK_SECRET_PREVIOUS']])(
    '2 no start with the default secret in %s',
    (name) => {
      for (const value of ['development', ' development\n']) {
        expect(refusal({ ...good, [name]: value }).message).toContain('publicly known');
      }
    },
  );

  test.each([
    [{ PRIVATE_KEY: '' }, 'PRIVATE_KEY is missing'],
    [{ PRIVATE_KEY: '', PRIVATE_KEY_PATH: '/nowhere' }, 'PRIVATE_KEY_PATH names a file'],
    [{ PRIVATE_KEY: PEM.slice(0, 200) }, 'PRIVATE_KEY does not hold'],
    [{ PRIVATE_KEY: 'not base64 at all §' }, 'PRIVATE_KEY does not hold'],
  ])('a missing or broken key: %#', (key, message) => {
    expect(refusal({ ...good, ...key }).message).toContain(message);
  });
});

test('beside a local forge, only what means the same there is obeyed', () => {
  const env = { SWEEP_MINUTES: '2', SOURCE_MINUTES: '1', INSIDE_HOSTS: '127.0.0.1:5000' };
  const held = readLocalSettings({ ...env, PORTICO_CREDENTIALS: '/run/secrets/key.pem' }, files);
  expect(held).toMatchObject({ sweepMinutes: 2, sourceMinutes: 1, insideHosts: '127.0.0.1:5000' });
  expect(held.credentialsFile?.name).toBe('/run/secrets/key.pem');
  expect(readLocalSettings({ DATABASE_URL: 'wrong', PORT: 'wrong' }, files)).not.toHaveProperty('port');
  expect(() => readLocalSettings({ SWEEP_MINUTES: 'soon' }, files)).toThrow('SWEEP_MINUTES');
});
