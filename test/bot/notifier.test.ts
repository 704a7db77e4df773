import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { createNotifier } from '../../src/bot/notifier.ts';
import { parseInsideHosts } from '../../src/network/inside-host.ts';
import { createOutsideFetch } from '../../src/network/outside-fetch.ts';
import type { Notice } from '../../src/reconcile/job.ts';

interface Heard {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const heard: Heard[] = [];
let answer: { readonly status: number; readonly retryAfter?: string } = { status: 200 };
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    heard.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
    response.writeHead(
      answer.status,
      answer.retryAfter === undefined ? {} : { 'retry-after': answer.retryAfter },
    );
    response.end('words that nobody reads');
  });
});
let url = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});

afterAll(() => void server.close());

beforeEach(() => {
  heard.length = 0;
  answer = { status: 200 };
});

const NOTICE: Notice = {
  id: 'one',
  type: 'rollout.stopped',
  at: '2026-01-01T00:00:00.000Z',
  rollout: 'web',
  repository: 'acme/fleet',
  package: 'acme/up:web',
  revision: 'v4',
  message: 'The rollout web is stopped: <status> & more.',
};

const notifier = (format: 'json' | 'slack', secret?: string): ReturnType<typeof createNotifier> =>
  createNotifier(
    { url, secret, format },
    createOutsideFetch({ inside: parseInsideHosts(`http://${new URL(url).host}`) }),
  );

test('a notice is signed over the bytes that are sent, and has an id by which it is known again', async () => {
  await notifier('json', 'secret')(NOTICE);
  const [{ headers, body } = { headers: {}, body: '' }] = heard;
  expect(JSON.parse(body)).toEqual(NOTICE);
  expect(headers['x-portico-delivery']).toBe('one');
  const digest = createHmac('sha256', 'secret').update(body).digest('hex');
  expect(headers['x-portico-signature-256']).toBe(`sha256=${digest}`);
});

test('for Slack it is a text in which nothing is markup', async () => {
  await notifier('slack')(NOTICE);
  expect(JSON.parse(heard[0]!.body)).toEqual({
    text: 'The rollout web is stopped: &lt;status&gt; &amp; more.',
  });
  expect(heard[0]!.headers['x-portico-signature-256']).toBeUndefined();
});

test.each([
  [500, undefined, { code: 'NOTICE_FAILED', blame: 'forge' }],
  [429, '7', { code: 'NOTICE_FAILED', blame: 'forge', retryAfter: 7 }],
  [429, '99999999', { code: 'NOTICE_FAILED', retryAfter: 3_600 }],
  [404, undefined, { code: 'NOTICE_REFUSED', blame: 'user' }],
  [302, undefined, { code: 'NOTICE_REFUSED', blame: 'user' }],
])(
  'an answer %s is told apart: what may come to something later is tried again',
  async (status, retryAfter, error) => {
    answer = { status, ...(retryAfter !== undefined && { retryAfter }) };
    await expect(notifier('json')(NOTICE)).rejects.toMatchObject(error);
    expect(heard).toHaveLength(1);
  },
);

test('an address inside is refused unless the operator lists it', async () => {
  const guarded = createNotifier({ url, secret: undefined, format: 'json' }, createOutsideFetch());
  await expect(guarded(NOTICE)).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' });
  expect(heard).toEqual([]);
});
