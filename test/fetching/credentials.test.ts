import { expect, test } from 'vitest';

import { createCredentials } from '../../src/fetching/credentials.ts';
import { download } from '../../src/fetching/download.ts';
import { authorizationFor } from '../../src/fetching/host.ts';
import { sourceHost } from '../sources/syncing.ts';
import { contentServer } from './content-server.ts';

const credentialFor = createCredentials({
  file: {
    name: 'credentials.yaml',
    bytes: Buffer.from(
      'credentials: [{ name: robot, hosts: [git.example.com/platform/web, Other.example.com:8443/], password: p }]',
    ),
  },
  env: {},
  readText: () => '',
});

test.each([
  'https://git.example.com/platform/web',
  'https://git.example.com/platform/web.git',
  'https://git.example.com/platform/web/info/refs?service=git-upload-pack',
  'https://git.example.com:8443/platform/web/deep/er.git',
  'https://other.example.com:8443/anything',
])('a credential is for what is below the host and path that it lists: %s', (url) => {
  expect(credentialFor('robot', new URL(url))).toEqual({ username: 'x-access-token', password: 'p' });
});

test.each([
  'https://git.example.com/',
  'https://git.example.com/platform',
  'https://git.example.com/platform/website',
  'https://git.example.com/platform/web.gitx',
  'https://git.example.com/Platform/web',
  'https://git.example.com/platform/web/../secret.git',
  'https://git.example.com/platform/web/%2e%2e/secret.git',
  'https://git.example.com/platform/web/..%2fsecret.git',
  'https://git.example.com/platform/web/%252e%252e/secret.git',
  'https://git.example.com//platform/web',
  'https://git.example.com/platform/web/..;/secret.git',
  'https://git.example.com/platform/web/..;a=b/secret.git',
  'https://git.example.com.evil.example/platform/web',
  'https://other.example.com/anything',
])('and for nothing else: %s', (url) => {
  expect(() => credentialFor('robot', new URL(url))).toThrow(
    expect.objectContaining({ code: 'SOURCE_CREDENTIALS' }),
  );
});

test('a redirect within its host takes a credential to no path that is not listed', async () => {
  await using server = await contentServer();
  const sent: Record<string, string | undefined> = {};
  server.intercept = ({ url = '', headers }, response) => {
    sent[url] = headers.authorization;
    const to = { '/acme/a': '/acme/b', '/acme/b': '/others/c', '/others/c': '/acme/d' }[url];
    if (to === undefined) response.end('content');
    else response.writeHead(302, { location: to }).end();
    return true;
  };
  const text = `credentials: [{ name: robot, hosts: ["${server.host}/acme"], username: u, password: p }]`;
  const host = sourceHost([server.host], {
    credentialFor: createCredentials({
      file: { name: 'credentials.yaml', bytes: Buffer.from(text) },
      env: {},
      readText: () => '',
    }),
  });
  const url = new URL(`${server.url}/acme/a`);
  await download(url, {
    fetch: host.fetch,
    authorization: authorizationFor(host, 'robot', url),
    mostBytes: 100,
    signal: new AbortController().signal,
  });
  const basic = `Basic ${Buffer.from('u:p').toString('base64')}`;
  expect(sent).toEqual({
    '/acme/a': basic,
    '/acme/b': basic,
    '/others/c': undefined,
    '/acme/d': undefined,
  });
});
