import { describe, expect, test } from 'vitest';

import { parseChallenges } from '../../src/oci/challenge.ts';
import { readCredentialsFile, type CredentialsFile } from '../../src/oci/credentials-file.ts';
import { parseReference, referenceText, registryHost } from '../../src/oci/reference.ts';
import { checkChannel, isRevisionTag } from '../../src/oci/tag-kind.ts';

const DIGEST = `sha256:${'a1'.repeat(32)}`;

describe('references', () => {
  test.each([
    ['ghcr.io/acme/web:v3', 'ghcr.io/acme/web:v3', 'ghcr.io'],
    ['GHCR.io/acme/web', 'ghcr.io/acme/web', 'ghcr.io'],
    ['oci://ghcr.io/acme/web:v3', 'ghcr.io/acme/web:v3', 'ghcr.io'],
    ['oci://registry/web', 'oci://registry/web', 'registry'],
    ['oci://constructor/web', 'oci://constructor/web', 'constructor'],
    ['localhost/web:v3', 'localhost/web:v3', 'localhost'],
    ['localhost:5000/web', 'localhost:5000/web', 'localhost:5000'],
    ['registry:5000/a/b/c:v1', 'registry:5000/a/b/c:v1', 'registry:5000'],
    ['[::1]:5000/web:v1', '[::1]:5000/web:v1', '[::1]:5000'],
    [`ghcr.io/acme/web:v3@${DIGEST}`, `ghcr.io/acme/web:v3@${DIGEST}`, 'ghcr.io'],
    [`ghcr.io/acme/web@sha512:${'0'.repeat(128)}`, `ghcr.io/acme/web@sha512:${'0'.repeat(128)}`, 'ghcr.io'],
    // Docker's rules.
    ['busybox', 'docker.io/library/busybox', 'registry-1.docker.io'],
    ['busybox:1', 'docker.io/library/busybox:1', 'registry-1.docker.io'],
    ['acme/web', 'docker.io/acme/web', 'registry-1.docker.io'],
    ['docker.io/busybox', 'docker.io/library/busybox', 'registry-1.docker.io'],
    ['index.docker.io/acme/web', 'index.docker.io/acme/web', 'registry-1.docker.io'],
    ['ghcr.io/a__b/c-d---e.f_g', 'ghcr.io/a__b/c-d---e.f_g', 'ghcr.io'],
  ])('%s is %s at %s', (text, whole, host) => {
    const reference = parseReference(text);
    expect(referenceText(reference)).toBe(whole);
    expect(registryHost(reference)).toBe(host);
    expect(parseReference(whole)).toEqual(reference);
  });

  test.each([
    [''],
    ['ghcr.io/'],
    ['ghcr.io/Acme/web'],
    ['ghcr.io/acme//web'],
    ['ghcr.io/acme/../web'],
    ['ghcr.io/acme/web:'],
    ['ghcr.io/acme/web:-x'],
    ['ghcr.io/acme/web:a/b'],
    [`ghcr.io/acme/web:${'a'.repeat(129)}`],
    ['ghcr.io/acme/web@latest'],
    ['ghcr.io/acme/web@sha256:12'],
    [`ghcr.io/acme/web@${DIGEST}?a=b`],
    ['ghcr.io:99999/acme/web'],
    ['ghcr.io:x/acme/web'],
    ['user@ghcr.io/acme/web'],
    ['user:secret@ghcr.io/acme/web'],
    ['https://ghcr.io/acme/web'],
    ['oci://web'],
    ['ghcr.io/acme/web:v1\nHost: x'],
    ['gh cr.io/acme/web'],
    [`ghcr.io/${'a/'.repeat(150)}b`],
    ['ghcr.io/acme/we%62'],
  ])('%j is refused', (text) => {
    expect(() => parseReference(text)).toThrow(expect.objectContaining({ code: 'REFERENCE_INVALID' }));
  });

  test('revisions stay, everything else moves', () => {
    for (const tag of ['v1', 'v12', '3', '1.2', 'v1.2.3', '1.2.3-rc.1', '1.2.3_build', 'v1-rendered']) {
      expect(isRevisionTag(tag), tag).toBe(true);
      expect(() => checkChannel(tag)).toThrow(/cannot be the tag of a channel/);
    }
    for (const tag of ['latest', 'stable', 'v', 'vnext', '1.2.3.4', 'release-1', 'v1x']) {
      expect(isRevisionTag(tag), tag).toBe(false);
      expect(checkChannel(tag)).toBe(tag);
    }
    expect(() => checkChannel('a b')).toThrow(/cannot be the tag of a channel/);
  });
});

test('challenges, also several in one header', () => {
  expect(readHeader('Bearer realm="https://a/token",service="a, \\"b\\"" , scope="x:y:pull,push"')).toEqual([
    ['bearer', { realm: 'https://a/token', service: 'a, "b"', scope: 'x:y:pull,push' }],
  ]);
  expect(readHeader('Negotiate, BASIC Realm=plain, Bearer realm="r"')).toEqual([
    ['negotiate', {}],
    ['basic', { realm: 'plain' }],
    ['bearer', { realm: 'r' }],
  ]);
  for (const odd of ['', '=', '"', ', ,', 'Bearer realm="open', '\u00e9'])
    expect(() => readHeader(odd)).not.toThrow();
});

describe('files of credentials', () => {
  test('as Docker and skopeo write them', () => {
    const file = readFile({
      auths: {
        'https://index.docker.io/v1/': { auth: auth('hub:pass:with:colons') },
        'ghcr.io': { username: 'bot', password: 'p' },
        'https://quay.io': { identitytoken: 'it', auth: auth('x:y') },
        '127.0.0.1:5000': { auth: auth(':nobody') },
        'empty.example': {},
      },
      credHelpers: { 'gcr.io': 'gcloud' },
      HttpHeaders: { 'User-Agent': 'Docker' },
    });
    expect(file.credentialFor('docker.io')).toEqual({ username: 'hub', password: 'pass:with:colons' });
    expect(file.credentialFor('index.docker.io')).toEqual(file.credentialFor('docker.io'));
    expect(file.credentialFor('ghcr.io')).toEqual({ username: 'bot', password: 'p' });
    expect(file.credentialFor('quay.io')).toEqual({ identityToken: 'it' });
    for (const none of ['127.0.0.1:5000', 'empty.example', 'example.com', 'io']) {
      expect(file.credentialFor(none)).toBeUndefined();
    }
    expect(file.helperFor('gcr.io')).toBe('gcloud');
    expect(file.helperFor('ghcr.io')).toBeUndefined();
    expect(readFile({ credsStore: 'pass' }).helperFor('ghcr.io')).toBe('pass');
  });

  test('what cannot be read is told without what it holds', () => {
    for (const text of [
      '{"auths": "hunter2"',
      '{"auths":{"ghcr.io":{"auth":["hunter2"]}}}',
      '[]',
      '"hunter2"',
    ]) {
      const read = (): unknown => readCredentialsFile(text, 'config.json');
      expect(read).toThrow(/config\.json/);
      expect(read).not.toThrow(/hunter2/);
    }
  });
});

function readHeader(header: string): unknown {
  return parseChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);
}

function auth(text: string): string {
  return Buffer.from(text).toString('base64');
}

function readFile(content: object): CredentialsFile {
  return readCredentialsFile(JSON.stringify(content), 'config.json');
}
