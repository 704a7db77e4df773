import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { expect, test } from 'vitest';

import { openRelay, requestOf } from '../../src/intake/relay.ts';
import { createVerifier } from '../../src/intake/signature.ts';
import { eventually } from '../e2e/eventually.ts';

const SECRET = 'a long random text';
const BODY = '{"action":"opened","number":7,"title":"größer & \\n"}';
const signed = {
  'x-github-event': 'pull_request',
  'x-github-delivery': 'one',
  'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(BODY).digest('hex')}`,
  host: 'smee.io',
};
const eventOf = (content: object): string => `id: 1\ndata: ${JSON.stringify(content)}`;

test('a delivery keeps its signature, and nothing else of its headers', () => {
  const request = requestOf(eventOf({ ...signed, body: JSON.parse(BODY), query: {}, timestamp: 1 }))!;
  expect(Object.keys(request.headers).toSorted()).toEqual([
    'content-type',
    'x-github-delivery',
    'x-github-event',
    'x-hub-signature-256',
  ]);
  const check = createVerifier([SECRET])(request.headers['x-hub-signature-256'])!;
  check.update(Buffer.from(request.body));
  expect(check.fits()).toBe(true);
});

test.each([
  'event: ready\ndata: {}',
  'event: ping\ndata: {}',
  'data: {',
  'data: null',
  ':',
  '',
  eventOf({ body: {} }),
])('%j is no delivery', (event) => expect(requestOf(event)).toBeUndefined());

test('a header cannot hold another one', () => {
  const event = eventOf({ ...signed, 'x-github-delivery': 'one\r\nx-evil: 1', body: {} });
  expect(requestOf(event)?.headers).not.toHaveProperty('x-github-delivery');
});

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server & AsyncDisposable> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function urlOf(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
}

test('what the relay sends comes to the door, also after the connection was lost', async () => {
  const came: string[] = [];
  await using door = await serve((request, response) => {
    came.push(`${request.url} ${String(request.headers['x-github-delivery'])}`);
    request.resume().on('end', () => response.writeHead(202).end());
  });
  let connections = 0;
  await using relay = await serve((_request, response) => {
    connections += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const text = `event: ready\ndata: {}\n\n${eventOf({ ...signed, 'x-github-delivery': `of-${connections}`, body: {} })}\n\n`;
    // In two pieces, and the first connection ends.
    response.write(text.slice(0, 40));
    setImmediate(() => (connections === 1 ? response.end(text.slice(40)) : response.write(text.slice(40))));
  });
  const log = { info: () => {}, warn: () => {} };
  await using _listening = openRelay({ url: urlOf(relay), door: urlOf(door), log, pauseMs: 1 });
  await eventually('both deliveries', async () => came.length >= 2, 20);
  expect(came.slice(0, 2)).toEqual(['/api/github/webhooks of-1', '/api/github/webhooks of-2']);
  relay.closeAllConnections();
});
