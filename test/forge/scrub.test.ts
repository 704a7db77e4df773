import { describe, expect, test } from 'vitest';

import { scrubSecrets } from '../../src/forge/scrub.ts';

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
