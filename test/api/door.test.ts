import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, expect, test } from 'vitest';

import type { ApiRequest } from '../../src/api/message.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { openDoor, type DoorHostOptions } from '../../src/webhook/door-host.ts';

const root = mkdtempSync(join(tmpdir(), 'portico-api-door-'));
afterAll(() => rmSync(root, { recursive: true }));

const options = (name: string): DoorHostOptions => ({
  settings: {
    appId: 1,
    secrets: ['the secret of this test'],
    host: '127.0.0.1',
    port: 0,
    databaseUrl: undefined,
    spool: join(root, name),
  },
  onStored: () => {},
  onOutcome: () => {},
  page: () => undefined,
  log: createLog({ level: 'silent', format: 'json' }),
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** As any program would, not as `fetch`, which refuses bodies of GET. */
function ask(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body = '' }: { method?: string; headers?: object; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request({ port, path, method, headers: { ...headers } }, (response) => {
      text(response).then(
        (read) => resolve({ status: response.statusCode, headers: response.headers, body: read }),
        reject,
      );
    });
    asking.on('error', reject).end(body);
  });
}

test('requests to the API pass the door with what it needs of them, and answers come back whole', async () => {
  const seen: ApiRequest[] = [];
  await using door = await openDoor({
    ...options('on'),
    api: async (asked) => {
      seen.push(asked);
      return { status: 200, headers: { etag: 'W/"1"', 'content-type': 'application/json' }, body: '{"é":1}' };
    },
  });
  const headers = { authorization: 'Bearer x', 'if-none-match': 'W/"0"' };
  const answer = await ask(door.port, '/api/v1/packages?limit=1', { headers });
  expect(answer).toMatchObject({
    status: 200,
    headers: { etag: 'W/"1"', 'x-content-type-options': 'nosniff' },
    body: '{"é":1}',
  });
  expect(seen).toEqual([
    {
      method: 'GET',
      url: '/api/v1/packages?limit=1',
      authorization: 'Bearer x',
      known: 'W/"0"',
      sender: '127.0.0.1',
    },
  ]);
  expect(await ask(door.port, '/api/v1/packages', { method: 'HEAD' })).toMatchObject({
    status: 200,
    body: '',
  });
  // Of a body nothing is read, and the connection is not used again.
  const huge = await ask(door.port, '/api/v1/packages', {
    headers: { 'content-length': 7 },
    body: 'x=1&y=2',
  });
  expect(huge).toMatchObject({ status: 200, headers: { connection: 'close' } });
});

test('a server without an API says so, and a sender that asks too often waits', async () => {
  await using door = await openDoor(options('off'));
  expect(await ask(door.port, '/api/v1/packages')).toMatchObject({
    status: 404,
    body: expect.stringContaining('API=on'),
  });
  const answers = await Promise.all(Array.from({ length: 700 }, () => ask(door.port, '/api/v1/packages')));
  const late = answers.filter(({ status }) => status === 429);
  expect(late.length).toBeGreaterThan(50);
  expect(late[0]?.headers).toHaveProperty('retry-after');
});
