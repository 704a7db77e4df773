import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, expect, test } from 'vitest';

import { createDeliveries } from '../../src/bot/deliveries.ts';
import { createCatalog } from '../../src/catalog/catalog.ts';
import { createInbox } from '../../src/intake/inbox.ts';
import { openSpool } from '../../src/intake/spool.ts';
import type { Job } from '../../src/reconcile/job.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { NO_TRACES } from '../../src/telemetry/tracing.ts';
import { openDoor, type DoorHostOptions } from '../../src/webhook/door-host.ts';
import { routeEvent } from '../../src/webhook/route.ts';
import { storedText } from '../../src/webhook/routed-event.ts';
import { placeEmbedded } from '../queue/engines.ts';

const SECRET = 'the secret of this test';
const root = mkdtempSync(join(tmpdir(), 'portico-door-'));
afterAll(() => rmSync(root, { recursive: true }));

const from = {
  installation: { id: 7 },
  repository: {
    id: 1,
    name: 'packages',
    full_name: 'acme/packages',
    owner: { login: 'acme' },
    default_branch: 'main',
  },
};
const push = (ref: string): string => JSON.stringify({ ...from, ref });

const { jobs: jobsOfPush } = routeEvent('push', JSON.parse(push('refs/heads/main')), 1);

/** Posts a push from another process and waits for the answer without letting this thread do anything else. */
function postWhileStandingStill(port: number, id: string, body = push('refs/heads/main')): string {
  const headers = {
    'content-type': 'application/json',
    'x-github-event': 'push',
    'x-github-delivery': id,
    'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
  };
  const url = `http://127.0.0.1:${port}/api/github/webhooks`;
  const script = `fetch(${JSON.stringify(url)}, { method: 'POST', headers: ${JSON.stringify(headers)}, body: ${JSON.stringify(body)} }).then((answer) => console.log(answer.status))`;
  return execFileSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout: 60_000 }).trim();
}

test('webhooks are taken while the server stands still, and told when it goes on', async () => {
  const heard: unknown[] = [];
  const lines: string[] = [];
  const spool = openSpool(join(root, 'spool'));
  const options: DoorHostOptions = {
    settings: {
      appId: 1,
      secrets: [SECRET],
      host: '127.0.0.1',
      port: 0,
      databaseUrl: undefined,
      spool: join(root, 'spool'),
    },
    onStored: (delivery) => heard.push(delivery),
    onOutcome: (event, outcome) => heard.push(`${event} ${outcome}`),
    page: (path) => (path === '/healthz' ? Promise.resolve([200, 'fine', 'text/plain']) : undefined),
    log: createLog({ level: 'trace', stream: { write: (line) => void lines.push(line) } }),
  };
  await using door = await openDoor(options);

  expect(postWhileStandingStill(door.port, 'one')).toBe('202');
  const [file = ''] = spool.names();
  expect(spool.read(file)).toEqual({ id: 'one', event: 'push', body: storedText(jobsOfPush) });
  expect(heard).toEqual([]);
  await door.flushed();
  expect(heard).toEqual([{ what: 'stored', id: 'one', file }, 'push stored']);
  expect(lines.join('')).toContain('"delivery":"one"');

  // What nobody wants to know is acknowledged, and nothing is kept of it.
  expect(postWhileStandingStill(door.port, 'ours', push('refs/heads/portico/update/web'))).toBe('202');
  await door.flushed();
  expect(heard.at(-1)).toBe('push passed');
  expect(spool.names()).toEqual([file]);

  // What cannot be read is counted and logged, with the field and without what is in it.
  expect(postWhileStandingStill(door.port, 'odd', JSON.stringify({ ...from, ref: ['a secret'] }))).toBe(
    '202',
  );
  await door.flushed();
  expect(heard.at(-1)).toBe('push unreadable');
  expect(spool.names()).toEqual([file]);
  const [told = '{}'] = lines.filter((line) => line.includes('"delivery":"odd"'));
  expect(JSON.parse(told)).toMatchObject({
    level: 'warn',
    event: 'push',
    repository: 'acme/packages',
    reason: 'ref: invalid_type',
    msg: 'webhook: cannot be read',
  });
  expect(lines.join('')).not.toContain('a secret');

  // A disk that takes nothing: the sender is told to come again, and the log says why.
  rmSync(join(root, 'spool'), { recursive: true });
  expect(postWhileStandingStill(door.port, 'two')).toBe('503');
  await door.flushed();
  expect(heard.at(-1)).toBe('push failed');
  expect(lines.join('')).toContain('"code":"ENOENT"');

  const at = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${door.port}${path}`);
  expect(await (await at('/healthz')).text()).toBe('fine');
  expect((await at('/metrics')).status).toBe(404);
  expect((await at('/elsewhere')).status).toBe(404);
  await expect(openDoor({ ...options, settings: { ...options.settings, port: door.port } })).rejects.toThrow(
    expect.objectContaining({ code: 'PORT_IN_USE' }),
  );
});

test('what lay in files when the process died goes through the inbox, each delivery once', async () => {
  const directory = join(root, 'left');
  const left = openSpool(directory);
  const ours = push('refs/heads/portico/update/web');
  // The first as earlier versions stored it.
  left.put({ id: 'a', event: 'push', body: push('refs/heads/main') });
  for (const id of ['b', 'a', 'b']) left.put({ id, event: 'push', body: storedText(jobsOfPush) });
  left.put({ id: 'c', event: 'push', body: ours });
  await using place = await placeEmbedded();
  await using database = await place.open();
  const inbox = createInbox(database);
  const [queued, moved]: [Job[], string[]] = [[], []];
  const log = createLog({ level: 'silent' });
  const deliveries = createDeliveries({
    environment: { appId: 1 },
    events: {
      ports: {
        catalog: createCatalog(),
        open: () => Promise.reject(new Error('a push needs nothing of its repository')),
        enqueue: async (jobs) => void queued.push(...[jobs].flat()),
        log,
      },
      metrics: createMetrics(),
    },
    inbox,
    spool: openSpool(directory),
    log,
    tracing: NO_TRACES,
    onMoved: (event, outcome) => void moved.push(`${event} ${outcome}`),
    onStuck: () => {},
    stopping: () => false,
  });
  await deliveries.takeAll();
  // Of `a` and of `b`, once each.
  expect(queued).toEqual([...jobsOfPush, ...jobsOfPush]);
  expect(moved.toSorted()).toEqual(['push known', 'push known', 'push passed', 'push stored', 'push stored']);
  expect(left.names()).toEqual([]);
  expect(await database.query('SELECT id, state FROM portico.delivery ORDER BY id')).toEqual([
    { id: 'a', state: 'completed' },
    { id: 'b', state: 'completed' },
  ]);
});

/** Settings of a door that keeps files in a folder of this test. */
const doorWith = (more: Partial<DoorHostOptions['settings']>): DoorHostOptions => ({
  settings: {
    appId: 1,
    secrets: [SECRET],
    host: '127.0.0.1',
    port: 0,
    databaseUrl: undefined,
    spool: join(root, 'few'),
    ...more,
  },
  onStored: () => {},
  onOutcome: () => {},
  page: async () => [200, 'here', 'text/plain'],
  log: createLog({ level: 'silent' }),
});

async function connectFrom(localAddress: string, port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const closed = (socket: Socket): boolean => socket.destroyed || socket.readyState !== 'open';

test('no more connections are held than there is room for: the longest silent one gives way', async () => {
  await using door = await openDoor(doorWith({ mostConnections: 2 }));
  const first = await connectFrom('127.0.0.1', door.port);
  const second = await connectFrom('127.0.0.1', door.port);
  const gone = once(first, 'close');
  const third = await connectFrom('127.0.0.1', door.port);
  await gone;
  for (const socket of [second, third]) {
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(await text(socket)).toContain('here');
  }
  expect(await (await fetch(`http://127.0.0.1:${door.port}/healthz`)).text()).toBe('here');
});

const heads = (body: string, signature: string): string =>
  [
    'POST /api/github/webhooks HTTP/1.1',
    'host: x',
    'content-type: application/json',
    'x-github-event: push',
    'x-github-delivery: other',
    `x-hub-signature-256: sha256=${signature}`,
    `content-length: ${body.length}`,
    '',
    '',
  ].join('\r\n');

test.each([
  ['another address', '127.0.0.2', '127.0.0.1'],
  ['the same address, as behind a proxy', '127.0.0.1', '127.0.0.1'],
])(
  'four bodies of 25 MiB whose last byte is held back keep no signed delivery out, from %s (75)',
  async (_name, from, to) => {
    await using door = await openDoor(doorWith({}));
    const big = 'x'.repeat(25 * 1024 * 1024);
    const held: Socket[] = [];
    for (let at = 0; at < 4; at += 1) {
      const socket = await connectFrom(from, door.port);
      held.push(socket);
      socket.write(heads(big, 'a'.repeat(64)));
      await new Promise((resolve) => socket.write(big.slice(1), resolve));
    }
    const body = JSON.stringify({ ...JSON.parse(push('refs/heads/main')), text: 'y'.repeat(1_000_000) });
    const socket = await connectFrom(to, door.port);
    socket.write(
      heads(body, createHmac('sha256', SECRET).update(body).digest('hex')).replace(
        'host: x',
        'host: x\r\nconnection: close',
      ),
    );
    socket.write(body);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 202 /);
    for (const one of held) one.destroy();
  },
);

test('silent connections and held requests of others keep no delivery out (75)', async () => {
  await using door = await openDoor(doorWith({ mostConnections: 50 }));
  const others: Socket[] = [];
  for (let at = 0; at < 60; at += 1) others.push(await connectFrom('127.0.0.2', door.port));
  expect(postWhileStandingStill(door.port, 'past-the-silent')).toBe('202');
  for (let at = 0; at < 60; at += 1) {
    const socket = await connectFrom('127.0.0.3', door.port);
    socket.write(`${heads('{}', 'a'.repeat(64))}{`);
    others.push(socket);
  }
  expect(postWhileStandingStill(door.port, 'past-the-held')).toBe('202');
  await expect.poll(() => others.filter((socket) => !closed(socket)).length).toBeLessThanOrEqual(50);
  for (const one of others) one.destroy();
});
