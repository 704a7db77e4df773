import { describe, expect, test } from 'vitest';

import { holdsCredentials, scrubSecrets } from '../../src/text/secrets.ts';

describe('secrets are taken out', () => {
  const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----';
  test.each([
    ['a token', 'token ghs_abcDEF123456 end', 'ghs_'],
    ['a stateless token', 'ghs_12345_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.c2ln-x', 'eyJ'],
    ['a personal token', 'github_pat_11ABC_def', 'github_pat_'],
    ['basic', `Authorization: Basic ${Buffer.from('x-access-token:ghs_x').toString('base64')}`, 'eC1hY2Nlc3'],
    [
      'base64 alone',
      `=${Buffer.from('x-access-token:ghs_abcdefgh').toString('base64')}`,
      'eC1hY2Nlc3MtdG9rZW46Z2',
    ],
    ['a bearer', 'authorization: bearer abcdefghijklmnopqrstuvwx', 'abcdefghij'],
    ['a URL', 'https://x-access-token:topsecret@forge.test/a/b.git', 'topsecret'],
    ['a key', `before ${pem} after`, 'MIIE'],
    ['half a key', pem.slice(0, 40), 'MIIE'],
  ])('%s', (_, text, secret) => {
    expect(text).toContain(secret);
    expect(scrubSecrets(text)).not.toContain(secret);
  });

  test('and nothing else', () => {
    const text =
      'push of refs/tags/app/v3 (0123456789abcdef0123456789abcdef01234567) to https://forge.test/a/b.git failed';
    expect(scrubSecrets(text)).toBe(text);
    expect(scrubSecrets(`before ${pem} after`)).toBe('before *** after');
  });
});

describe('credentials in an address of a repository', () => {
  test.each([
    'https://user:token@host/acme/x.git/web@v1',
    'https://token@host/acme/x.git',
    'https://user:@host/x.git',
    'HTTPS://user%3Atoken@host/x.git',
    'https:\\\\user:token@host/x.git',
    'https:/user:token@host/x.git',
    'ht\ntps://user:token@host/x.git',
    ' https://user:p@ss@host/x.git',
    'ssh://git:password@host/x.git',
    'ssh://git%3apassword@host/x.git',
    'git+ssh://git:password@host/x.git',
    'git:password@host:acme/x.git',
    'https://host/x.git?access_token=abc',
    'https://host/x.git?a=b&private_token=abc',
    'https://host/ghp_0123456789abcdef/x.git',
  ])('%j holds some', (address) => expect(holdsCredentials(address)).toBe(true));

  test.each([
    'https://host/acme/x.git/web@v1',
    'https://github.com/acme/x/web@web/v1',
    'ssh://git@github.com/acme/x.git',
    'git@github.com:acme/x.git',
    'acme/blueprints:web@v1',
    'web@v1',
    'file:///srv/a@b/x.git',
    '/srv/a@b/x.git',
    'C:/work/x.git@v1',
    'https://host/x.git?ref=main',
  ])('%j holds none', (address) => expect(holdsCredentials(address)).toBe(false));

  test('are taken out of what is told', () => {
    const said = "fatal: unable to access 'https://user:p@ss@host/x.git/?access_token=abc&a=b': 403";
    expect(scrubSecrets(said)).toBe(
      "fatal: unable to access 'https://***@host/x.git/?access_token=***&a=b': 403",
    );
    expect(scrubSecrets('ssh://git@host/x.git and ssh://git:pw@host/x.git')).toBe(
      'ssh://git@host/x.git and ssh://***@host/x.git',
    );
  });
});
