import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, test } from 'vitest';

import { answerPage, createHealth, isPage, pathOf, type HealthOptions } from '../../src/intake/health.ts';

async function ask(path: string, options: Partial<HealthOptions> = {}, method = 'GET') {
  using health = createHealth({
    ping: async () => {},
    stopping: () => false,
    troubles: () => [],
    ...options,
  });
  const server = createServer((request, response) => {
    if (isPage(pathOf(request))) void answerPage(request, response, health.page);
    else response.writeHead(404).end('not mine');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method });
  const text = await answer.text();
  server.close();
  server.closeAllConnections();
  return { status: answer.status, text, type: answer.headers.get('content-type') };
}

test('alive, ready, and not when stopping or without a database', async () => {
  expect(await ask('/healthz')).toMatchObject({
    status: 200,
    text: expect.stringMatching(/"lagMilliseconds":\d+,"version":"\d+\.\d+\.\d+/),
  });
  expect(await ask('/readyz?from=probe')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  expect(await ask('/readyz', { stopping: () => true })).toMatchObject({
    status: 503,
    text: '{"status":"unavailable","reason":"stopping"}',
  });
  // With a full disk it goes on as far as it can: replicas that share the disk would all be taken out of service.
  expect(await ask('/readyz', { troubles: () => ['ENOSPC'] })).toMatchObject({
    status: 200,
    text: '{"status":"degraded","troubles":["ENOSPC"]}',
  });
  const broken = { ping: () => Promise.reject(new Error('password hunter22')) };
  expect(await ask('/readyz', broken)).toMatchObject({
    status: 503,
    text: '{"status":"unavailable","reason":"database"}',
  });
  expect(await ask('/readyz', { ping: () => new Promise(() => {}) })).toMatchObject({ status: 503 });
});

test('metrics only where there is a registry; only GET and HEAD; other paths are left alone', async () => {
  const registry = { contentType: 'text/plain; version=0.0.4', metrics: async () => 'portico_up 1\n' };
  expect(await ask('/metrics', { registry })).toEqual({
    status: 200,
    text: 'portico_up 1\n',
    type: registry.contentType,
  });
  expect(await ask('/metrics')).toMatchObject({ status: 404, text: 'not found' });
  expect(
    await ask('/metrics', { registry: { ...registry, metrics: () => Promise.reject(new Error('x')) } }),
  ).toMatchObject({
    status: 500,
    text: 'failed',
  });
  expect(await ask('/healthz', {}, 'HEAD')).toMatchObject({ status: 200, text: '' });
  expect(await ask('/healthz', {}, 'POST')).toMatchObject({ status: 405 });
  expect(await ask('/')).toMatchObject({ status: 404, text: 'not mine' });
});
