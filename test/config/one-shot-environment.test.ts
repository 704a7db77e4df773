import { generateKeyPairSync } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { readOneShotEnvironment } from '../../src/config/one-shot-environment.ts';
import { secretsOf, sealSecrets } from '../../src/config/secrets.ts';

const PEM = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
}).privateKey;
const files = { read: (): string => '' };
const SEALS = 's'.repeat(64);
const ofRunner = {
  GITHUB_API_URL: 'https://ghe.example.com/api/v3/',
  GITHUB_SERVER_URL: 'https://ghe.example.com',
  GITHUB_REPOSITORY: 'acme/web',
  GITHUB_TOKEN: 'ghs_secret',
};

const faultOf = (env: Readonly<Record<string, string>>): string => {
  try {
    readOneShotEnvironment(env, files);
    return 'none';
  } catch (error) {
    return `${(error as Error).message} ${(error as { hint?: string }).hint}`;
  }
};

describe('the App', () => {
  test('speaks where its id is set, needs no webhook secret, and is where the runner says', () => {
    const read = readOneShotEnvironment({ ...ofRunner, APP_ID: '7', PRIVATE_KEY: PEM }, files);
    expect(read).toMatchObject({
      appId: 7,
      privateKey: PEM,
      webhookSecrets: [],
      apiUrl: 'https://ghe.example.com/api/v3',
      gitUrl: 'https://ghe.example.com',
    });
    expect(read.workflow).toBeUndefined();
  });

  test('is where GHE_HOST says, if that is set', () => {
    const env = { ...ofRunner, APP_ID: '7', PRIVATE_KEY: PEM, GHE_HOST: 'other.example.com' };
    expect(readOneShotEnvironment(env, files).gitUrl).toBe('https://other.example.com');
  });

  test('without its key is refused, though a token is there', () => {
    expect(faultOf({ ...ofRunner, APP_ID: '7', SEAL_KEYS: SEALS })).toContain('PRIVATE_KEY is missing');
  });
});

describe('the token of a workflow', () => {
  test('speaks for its repository, with keys of its own', () => {
    const read = readOneShotEnvironment({ ...ofRunner, SEAL_KEYS: SEALS }, files);
    expect(read.workflow).toEqual({ token: 'ghs_secret', repository: 'acme/web' });
    expect(read.appId).toBe(15_368);
    expect(sealSecrets(read)).toEqual([SEALS]);
    expect(secretsOf(read)).toContain('ghs_secret');
  });

  test('without keys is refused: records of others would pass for ours', () => {
    expect(faultOf(ofRunner)).toMatch(/SEAL_KEYS is missing[^]*openssl rand -hex 32/);
  });

  test.each([
    ['nothing at all', {}, 'APP_ID is missing, and so is GITHUB_TOKEN'],
    ['no repository', { GITHUB_TOKEN: 'x', SEAL_KEYS: SEALS }, 'GITHUB_REPOSITORY'],
    [
      'a repository that is none',
      { ...ofRunner, GITHUB_REPOSITORY: 'a/b/c' },
      'GITHUB_REPOSITORY must be owner/name',
    ],
    [
      'an address that is none',
      { ...ofRunner, GITHUB_API_URL: 'ftp://x' },
      'GITHUB_API_URL must be the http',
    ],
  ])('%s is told, without any value', (_, env, fault) => {
    const told = faultOf(env);
    expect(told).toContain(fault);
    expect(told).not.toContain('ghs_secret');
  });
});
