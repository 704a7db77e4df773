import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { createDoor, WEBHOOK_PATH, type DoorOptions } from '../../src/intake/door.ts';
import { createInbox, type Inbox } from '../../src/intake/inbox.ts';
import type { Database } from '../../src/queue/database.ts';
import { placeEmbedded, type Place } from '../queue/engines.ts';

const SECRET = 'the secret of this test';
const MEBIBYTE = 1024 * 1024;

let place: Place;
let database: Database;
let inbox: Inbox;
let server: Server | undefined;
let stored: string[] = [];
let lines: string[] = [];
let outcomes: string[] = [];

beforeAll(async () => {
  place = await placeEmbedded();
  database = await place.open();
  inbox = createInbox(database);
});
afterAll(async () => {
  await database.close();
  await place[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await database.query('DELETE FROM portico.delivery');
  [stored, lines, outcomes] = [[], [], []];
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Opens a door on a free port and returns the address of the hook. */
async function open(options: Partial<DoorOptions> = {}): Promise<string> {
  const door = createDoor({
    secrets: [SECRET],
    inbox,
    onStored: async ({ id }) => void stored.push(id),
    log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
    metrics: { delivery: (event, outcome) => void outcomes.push(`${event} ${outcome}`) },
    ...options,
  });
  server = createServer(door);
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${WEBHOOK_PATH}`;
}

function sign(body: string | Buffer, secret = SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

function headersFor(body: string | Buffer, more: Record<string, string> = {}): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': sign(body),
    ...more,
  };
}

function post(url: string, body: string | Buffer, headers = headersFor(body)): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
}

async function rows(): Promise<number> {
  const [row] = await database.query<{ n: number }>('SELECT count(*)::int AS n FROM portico.delivery');
  return row!.n;
}

const BODY = JSON.stringify({ ref: 'refs/heads/main', text: 'ü \u0000 \ud800' });

describe('the door', () => {
  test('a signed delivery is stored, then queued, then acknowledged', async () => {
    const url = await open();
    const headers = headersFor(BODY, { 'content-type': 'application/json; charset=utf-8' });
    const answer = await post(url, BODY, headers);
    expect([answer.status, await answer.json()]).toEqual([202, { status: 'accepted' }]);
    const id = headers['x-github-delivery']!;
    expect(stored).toEqual([id]);
    expect(await inbox.claim(id)).toEqual({ id, event: 'push', attempt: 1, body: BODY });
    expect(outcomes).toEqual(['push stored']);
  });

  test.each([[[]], [['']], [['development']], [[SECRET, 'development']]])(
    '1 and 2: no door without a secret or with the default one: %j',
    (secrets) => {
      const options = { inbox, log: pino({ level: 'silent' }), onStored: async () => {} };
      expect(() => createDoor({ ...options, secrets })).toThrow(/webhook secret/);
    },
  );

  test('3 a wrong, missing, SHA-1 or malformed signature: 401, no row, nothing of the body in the log', async () => {
    const url = await open();
    const sha1 = `sha1=${createHmac('sha1', SECRET).update(BODY).digest('hex')}`;
    const signatures = [
      sign(BODY, 'another'),
      '',
      sha1,
      sign(BODY).toUpperCase(),
      `${sign(BODY)}00`,
      'sha256=',
      'sha256=zz',
    ];
    for (const signature of signatures) {
      const headers = headersFor(BODY, { 'x-hub-signature-256': signature, 'x-hub-signature': sha1 });
      expect((await post(url, BODY, headers)).status, signature).toBe(401);
    }
    const { 'x-hub-signature-256': _none, ...unsigned } = headersFor(BODY);
    expect((await post(url, 'not json: hunter22', unsigned)).status).toBe(401);
    expect(await rows()).toBe(0);
    expect(stored).toEqual([]);
    expect(lines.join('')).not.toMatch(/refs\/heads|hunter22/);
    expect(new Set(outcomes)).toEqual(new Set(['none signature']));
  });

  test('4 a body of 25 MiB and one byte is refused before it is buffered, by its length and while it streams', async () => {
    const url = await open();
    const big = Buffer.alloc(25 * MEBIBYTE + 1, 0x20);
    expect((await post(url, big, headersFor('x'))).status).toBe(413);
    expect((await stream(url, headersFor('x'), 25 * MEBIBYTE + 1)).status).toBe(413);
    expect(await rows()).toBe(0);
    expect(outcomes).toEqual(['none too-large', 'none too-large']);
  });

  test('4 a body of exactly 25 MiB passes', async () => {
    const url = await open();
    const body = Buffer.alloc(25 * MEBIBYTE, 0x20);
    body.write('{', 0);
    body.write('}', body.length - 1);
    expect((await post(url, body)).status).toBe(202);
  });

  test('5 a signature over other bytes: 401', async () => {
    const url = await open();
    for (const altered of [BODY.replace('main', 'mein'), `${BODY} `, BODY.slice(0, -1)]) {
      expect((await post(url, altered, headersFor(BODY))).status).toBe(401);
    }
  });

  test('6 the previous secret counts while it is configured, and not after', async () => {
    const headers = () => headersFor(BODY, { 'x-hub-signature-256': sign(BODY, 'the previous') });
    const during = await open({ secrets: [SECRET, 'the previous'] });
    expect((await post(during, BODY, headers())).status).toBe(202);
    expect((await post(during, BODY)).status).toBe(202);
    const after = await open({ secrets: [SECRET] });
    expect((await post(after, BODY, headers())).status).toBe(401);
  });

  test('7 the same delivery twice is run once', async () => {
    const url = await open();
    const headers = headersFor(BODY);
    const id = headers['x-github-delivery']!;
    expect((await post(url, BODY, headers)).status).toBe(202);
    expect(await inbox.claim(id)).toBeDefined();
    const again = await post(url, BODY, headers);
    expect([again.status, await again.json()]).toEqual([202, { status: 'already accepted' }]);
    await inbox.complete(id);
    expect((await post(url, BODY, headers)).status).toBe(202);
    expect(stored).toEqual([id]);
    expect(await inbox.claim(id)).toBeUndefined();
    expect(await rows()).toBe(1);
  });

  test('8 a redelivery after a failed run runs again', async () => {
    const url = await open();
    const headers = headersFor(BODY);
    const id = headers['x-github-delivery']!;
    await post(url, BODY, headers);
    await inbox.claim(id);
    await inbox.fail(id, 'FORGE_DOWN');
    expect(await inbox.claim(id)).toBeUndefined();
    expect((await post(url, BODY, headers)).status).toBe(202);
    expect(stored).toEqual([id, id]);
    expect(await inbox.claim(id)).toMatchObject({ attempt: 2 });
  });

  test('8 a delivery whose job could not be queued is refused, and its redelivery queues it', async () => {
    let broken = true;
    const url = await open({
      onStored: async ({ id }) => {
        if (broken) throw new Error('no queue');
        stored.push(id);
      },
    });
    const headers = headersFor(BODY);
    expect((await post(url, BODY, headers)).status).toBe(503);
    broken = false;
    expect((await post(url, BODY, headers)).status).toBe(202);
    expect(stored).toEqual([headers['x-github-delivery']]);
  });

  test('9 the text of an error is never in the answer', async () => {
    const url = await open({
      inbox: {
        store: async () => {
          throw new Error('password hunter22 at /srv/x');
        },
      },
    });
    const answer = await post(url, BODY);
    expect([answer.status, await answer.text()]).toEqual([503, '{"error":"try again later"}']);
    expect(lines.join('')).toContain('hunter22');
  });

  test('10 a body that comes too slowly: 408, and the connection is closed', async () => {
    const url = await open({ limits: { bodyMilliseconds: 50 } });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const heads = Object.entries(headersFor('x')).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `POST ${WEBHOOK_PATH} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n${heads.join('')}\r\n1\r\n{\r\n`,
    );
    const dribble = setInterval(() => socket.write('1\r\n \r\n'), 10);
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', () => {});
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(dribble);
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close/i);
    expect(await rows()).toBe(0);
  });

  test('11 an unknown event and action are taken', async () => {
    const url = await open();
    const body = JSON.stringify({ action: 'never_seen' });
    expect((await post(url, body, headersFor(body, { 'x-github-event': 'brand_new' }))).status).toBe(202);
  });

  test('12 a form, plain text or no type at all: 415', async () => {
    const url = await open();
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'application/jsonx',
      'multipart/form-data',
    ]) {
      expect((await post(url, BODY, headersFor(BODY, { 'content-type': type }))).status, type).toBe(415);
    }
    expect(await rows()).toBe(0);
  });

  test('signed but malformed: 400', async () => {
    const url = await open();
    for (const body of ['{', '', '[]', '"x"', 'null', '['.repeat(200_000)]) {
      expect((await post(url, body)).status, body.slice(0, 9)).toBe(400);
    }
    const wrong = [
      { 'x-github-event': '' },
      { 'x-github-event': 'a b' },
      { 'x-github-delivery': '' },
      { 'x-github-delivery': '../x' },
    ];
    for (const headers of wrong) {
      expect((await post(url, BODY, headersFor(BODY, headers as Record<string, string>))).status).toBe(400);
    }
    expect(await rows()).toBe(0);
  });

  test('other methods and paths', async () => {
    const url = await open();
    expect((await fetch(url)).status).toBe(405);
    expect((await post(url.replace('/webhooks', '/other'), BODY)).status).toBe(404);
    expect((await post(`${url}?x=1`, BODY)).status).toBe(202);
  });

  test('past the memory that all share, a body is put off, and the memory is given back', async () => {
    const url = await open({ limits: { maxBufferedBytes: MEBIBYTE } });
    const big = JSON.stringify({ big: 'x'.repeat(2 * MEBIBYTE) });
    expect((await post(url, big)).status).toBe(503);
    for (let index = 0; index < 5; index += 1) expect((await post(url, BODY)).status).toBe(202);
    for (let index = 0; index < 3; index += 1) {
      expect((await post(url, JSON.stringify('x'.repeat(MEBIBYTE / 2)))).status).toBe(400);
    }
  });
});

/** Sends random bytes in chunks without saying how many, as slowly as the server takes them. */
function stream(
  url: string,
  headers: Record<string, string>,
  size: number,
): Promise<{ status: number | undefined }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode });
    });
    request.on('error', reject);
    const chunk = randomBytes(65_536);
    let left = size;
    const more = (): void => {
      while (left > 0) {
        const part = chunk.subarray(0, Math.min(left, chunk.length));
        left -= part.length;
        if (!request.write(part)) return void request.once('drain', more);
      }
      request.end();
    };
    more();
  });
}
