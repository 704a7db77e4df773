import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { createUrlGate } from '../../src/bot/url-gate.ts';
import { parseInsideHosts } from '../../src/network/inside-host.ts';
import { createOutsideFetch } from '../../src/network/outside-fetch.ts';

let asked = 0;
const server = createServer((request, response) => {
  asked += 1;
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const headers = { location: 'https://example.org/' };
  response
    .writeHead(Number(searchParams.get('status') ?? '200'), headers)
    .end(searchParams.get('body') ?? '');
});
let host = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => void server.close());

const ask = (query: Record<string, string>, hosts = [host]): ReturnType<ReturnType<typeof createUrlGate>> =>
  createUrlGate(hosts, createOutsideFetch({ inside: parseInsideHosts(`http://${host}`) }))(
    `http://${host}/?${new URLSearchParams(query).toString()}`,
    'Acme',
  );

const samples = (...values: string[]): string =>
  JSON.stringify({
    status: 'success',
    data: { resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1, value] })) },
  });
const scalar = (value: string): string =>
  JSON.stringify({ status: 'success', data: { resultType: 'scalar', result: [1, value] } });

test.each([
  ['200 and nothing', {}, true],
  ['words', { body: 'fine' }, false],
  ['the page of a login', { body: '<!doctype html><title>Sign in</title>' }, false],
  ['JSON that is no object', { body: 'false' }, false],
  ['JSON of something else', { body: '{"healthy":false}' }, false],
  ['an error of Prometheus without data', { body: '{"status":"error","errorType":"timeout"}' }, false],
  [
    'a histogram among others',
    {
      body: '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"1"]},{"metric":{},"histogram":[1,{}]}]}}',
    },
    false,
  ],
  ['JSON that says so', { body: '{"holds":true}' }, true],
  ['JSON that denies it', { body: '{"holds":false}' }, false],
  ['JSON that says anything else', { body: '{"holds":"yes"}' }, false],
  ['a sample of 1', { body: samples('1') }, true],
  ['a sample of 0 among others', { body: samples('1', '0') }, false],
  ['a sample that is no number', { body: samples('NaN') }, false],
  ['no sample', { body: samples() }, false],
  ['a scalar', { body: scalar('1') }, true],
  ['a scalar of 0', { body: scalar('0') }, false],
  ['a query that failed', { body: '{"status":"error","data":null}' }, false],
  ['500', { status: '500' }, false],
  ['a redirect', { status: '302' }, false],
])('%s: %s', async (_what, query, holds) => {
  expect((await ask(query)).holds).toBe(holds);
});

test('only hosts that the operator lists are asked, and the guard of the network holds', async () => {
  const before = asked;
  expect(await ask({}, [])).toEqual({ holds: false, why: expect.stringContaining('GATE_HOSTS') });
  expect(await ask({}, [`rival/${host}`])).toEqual({
    holds: false,
    why: expect.stringContaining('GATE_HOSTS'),
  });
  expect(await ask({}, [`acme/${host}`])).toEqual({ holds: true });
  expect(asked).toBe(before + 1);
  const guarded = createUrlGate([host], createOutsideFetch());
  expect(await guarded(`http://${host}/`, 'acme')).toEqual({
    holds: false,
    why: expect.stringContaining('ADDRESS_REFUSED'),
  });
  expect(asked).toBe(before + 1);
});
