import { createHmac } from 'node:crypto';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import * as fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createDoor, WEBHOOK_PATH } from '../../src/intake/door.ts';
import { damaged, fuzz, hostileText } from './fuzzing.ts';

/** The door behind a real HTTP server; what passes it is exactly what was signed. */
const SECRET = 'a long random secret';
type Signing = 'good' | 'other secret' | 'other body' | 'sha1' | 'noise' | 'none';
const stored: { id: string; event: string; body: string }[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let server: Server;

beforeAll(async () => {
  const door = createDoor({
    secrets: [SECRET],
    inbox: {
      async store(delivery) {
        stored.push(delivery);
        return 'stored';
      },
    },
    onStored: async () => {},
    limits: { maxBytes: 4_096 },
    log: pino({ level: 'silent' }),
  });
  server = createServer(door).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});

afterAll(() => {
  agent.destroy();
  server.closeAllConnections();
  server.close();
});

const GOOD = [
  '{"action":"opened","repository":{"id":1}}',
  '{}',
  '[]',
  'null',
  '"x"',
  '{"__proto__":{"a":1}}',
];
const header = fc.oneof(fc.string({ unit: 'grapheme-ascii', maxLength: 20 }), hostileText).map((text) =>
  // What Node's client itself refuses to send cannot arrive either.
  text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?'),
);

test('the door', () =>
  fuzz({
    name: 'intake: the door over HTTP',
    weight: 0.6,
    inputs: [
      fc.oneof(damaged(GOOD, ['{', '}', '"', '\\', '\u0000', '\ud800', ',', 'é']), hostileText),
      fc.constantFrom<Signing>('good', 'other secret', 'other body', 'sha1', 'noise', 'none'),
      fc.oneof({ weight: 3, arbitrary: fc.constant('push') }, header),
      fc.oneof({ weight: 3, arbitrary: fc.uuid() }, header),
      header,
      fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', ''),
    ],
    seeds: [['{}', 'good', 'push', '11111111-2222-3333-4444-555555555555', '', 'application/json']],
    async check(body, signing, event, id, noise, type) {
      stored.length = 0;
      const bytes = Buffer.from(body);
      const signature = {
        good: `sha256=${mac(SECRET, bytes)}`,
        'other secret': `sha256=${mac('development', bytes)}`,
        'other body': `sha256=${mac(SECRET, Buffer.concat([bytes, Buffer.from(' ')]))}`,
        sha1: `sha1=${mac(SECRET, bytes).slice(0, 40)}`,
        noise,
        none: '',
      }[signing];
      const { status, text } = await post(bytes, {
        'x-hub-signature-256': signature,
        'x-github-event': event,
        'x-github-delivery': id,
        'content-type': type,
      });
      expect([202, 400, 401, 413, 415]).toContain(status);
      expect(text).toMatch(/^\{"(?:status|error)":"[A-Za-z0-9 /-]+"\}$/);
      expect(stored).toHaveLength(status === 202 ? 1 : 0);
      if (status !== 202) return;
      expect(signing).toBe('good');
      expect(stored[0]).toEqual({ id, event, body: bytes.toString('utf8') });
    },
  }));

function post(body: Buffer, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    const sending = request(
      { port, host: '127.0.0.1', method: 'POST', path: WEBHOOK_PATH, headers, agent },
      (answer) => {
        let text = '';
        answer.on('data', (part: Buffer) => (text += part.toString()));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      },
    );
    sending.on('error', reject);
    sending.end(body);
  });
}

function mac(secret: string, of: Buffer): string {
  return createHmac('sha256', secret).update(of).digest('hex');
}
