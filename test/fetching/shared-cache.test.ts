import { expect, test } from 'vitest';

import { PorticoError } from '../../src/error.ts';
import { createCredentials } from '../../src/fetching/credentials.ts';
import { createSourceFetch, createSourceResolve } from '../../src/fetching/fetch-source.ts';
import { createSourceCache } from '../../src/fetching/source-cache.ts';
import type { FetchedSource, SourcePlace } from '../../src/sources/source.ts';
import { sourceHost } from '../sources/syncing.ts';
import { contentServer, sha256, tgz } from './content-server.ts';

const signal = new AbortController().signal;

function sourceAt(place: SourcePlace, credentials?: string): FetchedSource {
  return {
    id: 'chart',
    destination: 'chart',
    place,
    include: [],
    exclude: [],
    newRoot: '',
    keepLegal: true,
    unwrap: false,
    entryDigest: '',
    placeDigest: '',
    ...(credentials !== undefined && { credentials }),
  };
}

/** An index whose only chart is another for each who may read it. */
function indexFor(secret: string): Buffer {
  const digest = sha256(tgz({ 'shop/secret': secret }));
  return Buffer.from(
    `apiVersion: v1\nentries:\n  shop:\n  - version: 1.0.0\n    digest: ${digest}\n    urls: [shop.tgz]\n`,
  );
}

test('what one organisation was given by its credential is answered to no other', async () => {
  await using server = await contentServer();
  server.intercept = (request, response) => {
    const [, user] = /^Basic (.*)$/.exec(request.headers.authorization ?? '') ?? [];
    const secret = Buffer.from(user ?? '', 'base64').toString('utf8');
    if (secret === '') response.writeHead(401).end();
    else response.end(request.url === '/index.yaml' ? indexFor(secret) : tgz({ 'shop/secret': secret }));
    return true;
  };
  const cache = createSourceCache();
  const listed = ['one', 'two'].map(
    (name) =>
      `- { name: charts, hosts: ["${server.host}"], organizations: [${name}], username: ${name}, password: ${name} }`,
  );
  const file = { name: 'credentials.yaml', bytes: Buffer.from(`credentials:\n${listed.join('\n')}\n`) };
  const host = (organization: string) =>
    sourceHost([server.host], {
      cache,
      credentialFor: createCredentials({ file, env: {}, readText: () => '', organization, listedOnly: true }),
    });
  const places: readonly SourcePlace[] = [
    { kind: 'http', url: `${server.url}/shop.tgz` },
    { kind: 'helm', repository: server.url, chart: 'shop', version: '1.x' },
  ];
  for (const place of places) {
    for (const name of ['one', 'two']) {
      const { files } = await createSourceFetch(host(name))(sourceAt(place, 'charts'), undefined, signal);
      expect(Buffer.from(files.get('shop/secret')!.bytes).toString()).toBe(`${name}:${name}`);
    }
    const pinned = await createSourceResolve(host('one'))(sourceAt(place, 'charts'), signal);
    await expect(
      createSourceFetch(host('three'))(sourceAt(place, 'charts'), pinned, signal),
    ).rejects.toMatchObject({ code: 'SOURCE_CREDENTIALS' });
    await expect(createSourceResolve(host('three'))(sourceAt(place, 'charts'), signal)).rejects.toMatchObject(
      {
        code: 'SOURCE_CREDENTIALS',
      },
    );
    await expect(createSourceFetch(host('three'))(sourceAt(place), pinned, signal)).rejects.toMatchObject({
      code: 'SOURCE_REFUSED',
    });
  }
});

test('200 packages of one chart ask for its index and its archive once, and with an ETag the next time', async () => {
  await using server = await contentServer();
  const chart = tgz({ 'shop/Chart.yaml': 'name: shop\n' });
  server.files.set('/shop.tgz', chart);
  server.files.set(
    '/index.yaml',
    Buffer.from(
      `apiVersion: v1\nentries:\n  shop:\n  - version: 1.0.0\n    digest: ${sha256(chart)}\n    urls: [shop.tgz]\n`,
    ),
  );
  let now = 0;
  const host = sourceHost([server.host], { cache: createSourceCache({ now: () => now }) });
  const source = sourceAt({ kind: 'helm', repository: server.url, chart: 'shop', version: '1.x' });
  const many = Array.from({ length: 200 }, () => source);
  const pins = await Promise.all(many.map((one) => createSourceResolve(host)(one, signal)));
  expect(new Set(pins.map(({ resolved }) => resolved))).toEqual(
    new Set([`${server.url}/shop.tgz@sha256:${sha256(chart)}`]),
  );
  expect(server.requests).toEqual(['GET /index.yaml 200']);
  await Promise.all(many.map((one) => createSourceFetch(host)(one, pins[0], signal)));
  expect(server.requests).toEqual(['GET /index.yaml 200', 'GET /shop.tgz 200']);
  now = 16 * 60_000;
  await Promise.all(many.map((one) => createSourceResolve(host)(one, signal)));
  expect(server.requests.slice(2)).toEqual(['GET /index.yaml 304']);
});

test('a failure that passes is forgotten sooner than one that somebody has to mend', async () => {
  let now = 0;
  const cache = createSourceCache({ now: () => now });
  let asked = 0;
  const learn = (blame: 'forge' | 'user', takes: number): Promise<string> =>
    cache.learn<string>(
      blame,
      async () => {
        asked += 1;
        now += takes;
        throw new PorticoError('SOURCE_UNREACHABLE', 'not now', { blame });
      },
      signal,
    );
  const failing = async (...request: Parameters<typeof learn>): Promise<number> => {
    await expect(learn(...request)).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
    return asked;
  };
  expect(await failing('forge', 0)).toBe(1);
  now += 4_999;
  expect(await failing('forge', 0)).toBe(1);
  now += 1;
  expect(await failing('forge', 30_000)).toBe(2);
  now += 29_999;
  expect(await failing('forge', 0)).toBe(2);
  now += 1;
  expect(await failing('forge', 0)).toBe(3);
  expect(await failing('user', 0)).toBe(4);
  now += 59_999;
  expect(await failing('user', 0)).toBe(4);
});
