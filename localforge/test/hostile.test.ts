import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { testForge } from './forge-fixture.ts';
import type { TestForge } from './forge-fixture.ts';

let box: TestForge;
beforeAll(async () => {
  box = await testForge();
  await box.as('alice-token').rest.repos.createOrUpdateFileContents({
    owner: 'acme',
    repo: 'open',
    path: 'a.yaml',
    message: 'A',
    content: '',
  });
});
afterAll(() => box[Symbol.asyncDispose]());

const WORDS = [
  '-x',
  '--all',
  '--output=/tmp/x',
  '%00',
  'a%0Ab',
  '..%2F..%2Fetc%2Fpasswd',
  '%2e%2e',
  'main@%7B1%7D',
  'HEAD~1',
  'HEAD%5E%7Btree%7D',
  ':/A',
  '%5Emain',
  '*',
  '%FF',
  '%E0%A4%A',
  '%F0%9F%92%A9',
  '0',
  '9'.repeat(30),
  'f'.repeat(40),
  'x'.repeat(4000),
];

const GETS = [
  'git/ref/heads/W',
  'git/refs/W',
  'git/matching-refs/W',
  'git/trees/W?recursive=1',
  'git/blobs/W',
  'git/commits/W',
  'git/tags/W',
  'contents/W',
  'contents/a.yaml?ref=W',
  'commits/W',
  'commits?sha=W',
  'commits?path=W',
  'commits?since=W',
  'commits?author=W',
  'commits?per_page=W&page=W',
  'compare/W...main',
  'compare/main..W',
  'branches/W',
  'branches/W/protection',
  'rules/branches/W',
  'collaborators/W/permission',
  'hooks/W/deliveries?cursor=W',
  'rulesets/W',
];

describe('whatever is asked', () => {
  test.each(GETS)('GET %s has an answer that is no server error', async (template) => {
    for (const word of WORDS) {
      const answer = await fetch(`${box.forge.apiUrl}/repos/acme/open/${template.replaceAll('W', word)}`, {
        headers: { authorization: 'Bearer alice-token' },
      });
      await answer.arrayBuffer();
      expect(`${word.slice(0, 40)} ${answer.status}`).not.toMatch(/ 5\d\d$/);
    }
  });

  test.each([
    ['POST', 'git/refs', { ref: 'refs/heads/\nx', sha: '--all' }],
    ['POST', 'git/refs', { ref: 'refs/heads/x', sha: 'main' }],
    ['POST', 'git/trees', { tree: [{ path: '/etc', mode: '100644', content: '' }] }],
    ['POST', 'git/trees', { tree: [{ path: 'a', mode: '777777', content: '' }] }],
    ['POST', 'git/trees', { base_tree: '-x', tree: [] }],
    ['POST', 'git/commits', { message: 'x', tree: 'HEAD' }],
    ['POST', 'git/commits', { message: 1, tree: [] }],
    ['POST', 'git/tags', { tag: 'a\nb', message: '', object: 'f'.repeat(40), type: 'commit' }],
    ['POST', 'git/blobs', { content: '***', encoding: 'base64' }],
    ['PUT', 'contents/b.yaml', { message: 'x', content: '***' }],
    ['PUT', 'contents/b.yaml', { message: 'x', content: '', branch: '-x' }],
    ['PATCH', '', { default_branch: '../x' }],
    ['PATCH', '', { name: '../x' }],
    ['PUT', 'topics', { names: ['A B'] }],
    ['POST', 'hooks', { config: { url: 'file:///etc/passwd' } }],
    ['POST', 'rulesets', { name: '', enforcement: 'x' }],
    ['PUT', 'branches/main/protection', { required_status_checks: 1 }],
    ['POST', 'branches/main/rename', { new_name: '..' }],
    ['PUT', 'topics', []],
    ['PUT', 'topics', 'x'],
  ])('%s %s refuses %j', async (method, path, body) => {
    const request = { method, headers: { authorization: 'Bearer alice-token' }, body: JSON.stringify(body) };
    const answer = await fetch(
      `${box.forge.apiUrl}/repos/acme/open${path === '' ? '' : '/'}${path}`,
      request,
    );
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(((await answer.json()) as { message: string }).message).not.toBe('');
  });

  test.each([
    'POST /acme/open.git/git-receive-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice-token\r\nContent-Length: 8\r\n\r\nnonsense',
    'POST /acme/open.git/git-receive-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice-token\r\nContent-Length: 0\r\n\r\n',
    'POST /acme/open.git/git-upload-pack HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd',
    'POST /acme/open.git/git-receive-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer alice-token\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd',
    'GET /%2e%2e/%2e%2e/info/refs HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /acme/open.git/info/refs?service=git-evil-pack HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /%E0%A4%A/x/info/refs HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET //x HTTP/1.1\r\nHost: [\r\n\r\n',
    'GET // HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n',
  ])('a broken request leaves the forge alive: %j', async (bytes) => {
    const socket = connect(Number(new URL(box.forge.url).port), '127.0.0.1');
    socket.write(bytes.replace('Host:', 'Connection: close\r\nHost:'));
    const chunks: Buffer[] = [];
    for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 [234]\d\d/);
    expect((await box.as().rest.repos.get({ owner: 'acme', repo: 'open' })).status).toBe(200);
  });
});

test.each([
  ['evil.example.com.evil.org', 421],
  ['evil.org:4280', 421],
  ['evil.org.', 421],
  ['forge.test', 200],
  ['localhost:4280', 200],
  ['host.docker.internal', 200],
  ['[::1]:4280', 200],
])('a public name that leads to this machine opens neither the API nor git: %s', async (host, status) => {
  const { port } = new URL(box.forge.url);
  const asked = async (path: string): Promise<number | undefined> => {
    const headers = { host, authorization: 'Bearer alice-token' };
    const sent = get({ port, host: '127.0.0.1', path, headers });
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  for (const path of ['/api/v3/user', '/user', '/acme/open.git/info/refs?service=git-upload-pack']) {
    expect({ path, status: await asked(path) }).toEqual({ path, status });
  }
});

/** The status of a request by Alice's token. */
async function sent(path: string, headers: Record<string, string>, body?: object): Promise<number> {
  const answer = await fetch(`${box.forge.url}${path}`, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: 'Bearer alice-token', ...headers },
  });
  await answer.body?.cancel();
  return answer.status;
}

describe('a page of another site', () => {
  const ISSUES = '/api/v3/repos/acme/open/issues';
  const issue = { title: 'Forged' };

  test.each([
    { origin: 'https://evil.example.org' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' },
  ] as Record<string, string>[])('cannot use the API, pages or git by %j (114)', async (headers) => {
    const text = { 'content-type': 'text/plain', ...headers };
    expect(await sent(ISSUES, text, issue)).toBe(403);
    expect(await sent('/repos/acme/open/issues', text, issue)).toBe(403);
    expect(await sent('/api/graphql', text, issue)).toBe(403);
    expect(await sent('/acme/open/issues', text, issue)).toBe(403);
    expect(await sent('/acme/open.git/git-receive-pack', text, issue)).toBe(403);
    expect(await sent('/acme/open.git/info/refs?service=git-upload-pack', headers)).toBe(403);
    const { data } = await box.as().rest.issues.listForRepo({ owner: 'acme', repo: 'open' });
    expect(data.map(({ title }) => title)).not.toContain('Forged');
  });

  test('can link to the forge, and programs without a browser can use the API', async () => {
    const { port } = new URL(box.forge.url);
    // fetch sends a mode of its own.
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', accept: 'text/html' };
    const link = get({ port, host: '127.0.0.1', path: '/acme/open', headers });
    const [page] = (await once(link, 'response')) as [IncomingMessage];
    page.resume();
    expect(page.statusCode).toBe(200);
    expect(await sent(ISSUES, {}, issue)).toBe(201);
    expect(await sent(ISSUES, { 'sec-fetch-site': 'same-origin', origin: box.forge.url }, issue)).toBe(201);
  });
});
