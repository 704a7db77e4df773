import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { createCredentials } from '../../src/fetching/credentials.ts';
import { createRegistry } from '../../src/fetching/oci-registry.ts';
import { READ_HERE } from '../../src/fetching/read-here.ts';
import { tar } from '../archive/archives.ts';
import { startMemoryRegistry, type MemoryRegistry } from '../oci/memory-registry.ts';
import { CHART, IMAGE, putLayer } from '../oci/put-layer.ts';
import { sourceHost, syncTexts } from '../sources/syncing.ts';
import { tgz } from './content-server.ts';

let registry: MemoryRegistry;

beforeAll(async () => {
  registry = await startMemoryRegistry();
});
afterAll(() => registry[Symbol.asyncDispose]());

test('images and charts of a registry are pinned by digest, and a tag that moves moves nothing', async () => {
  const host = () => sourceHost([registry.host]);
  const bundle = putLayer(registry, 'acme/bundle:v1', tgz({ 'manifests/a.yaml': 'a: 1\n' }), IMAGE);
  const chart = putLayer(registry, 'charts/redis:7.1.0', tgz({ 'redis/Chart.yaml': 'v: 7.1.0\n' }), CHART);
  putLayer(registry, 'charts/redis:8.0.0', tgz({ 'redis/Chart.yaml': 'v: 8.0.0\n' }), CHART);
  putLayer(registry, 'charts/redis:latest', tgz({ 'redis/Chart.yaml': 'v: ?\n' }), CHART);
  const written = {
    'portico-sources.yaml': `apiVersion: config.portico.dev/v1alpha1
kind: Sources
sources:
- { id: bundle, oci: { ref: "oci://${registry.host}/acme/bundle:v1" }, newRoot: manifests }
- { id: chart, helm: { repository: "oci://${registry.host}/charts", chart: redis, version: ">=7, <8" } }
`,
  };
  const made = await syncTexts(written, host());
  expect(made.sources.map(({ resolved, version }) => [resolved, version])).toEqual([
    [`${registry.host}/acme/bundle@${bundle}`, 'v1'],
    [`${registry.host}/charts/redis@${chart}`, '7.1.0'],
  ]);
  expect(made.texts).toMatchObject({ 'bundle/a.yaml': 'a: 1\n', 'chart/Chart.yaml': 'v: 7.1.0\n' });

  const moved = putLayer(registry, 'acme/bundle:v1', tgz({ 'manifests/a.yaml': 'a: 2\n' }), IMAGE);
  const shared = host();
  const held = await syncTexts(made.texts, shared, { locked: true });
  expect(held).toMatchObject({ differences: [], texts: made.texts });
  const polled = registry.asked.map(({ path }) => path).filter((path) => !path.includes('sha256:'));
  expect(polled).toEqual([
    '/v2/acme/bundle/manifests/v1',
    '/v2/charts/redis/tags/list',
    '/v2/charts/redis/manifests/7.1.0',
  ]);
  const updated = await syncTexts(made.texts, shared, { update: ['bundle'] });
  expect(updated.sources[0]).toMatchObject({
    resolved: `${registry.host}/acme/bundle@${moved}`,
    was: `${registry.host}/acme/bundle@${bundle}`,
  });
  expect(updated.texts['bundle/a.yaml']).toBe('a: 2\n');

  // A lock that names another repository than the document is none for it.
  const lock = made.texts['portico-sources.lock.yaml']?.replace('/acme/bundle@', '/evil/bundle@') ?? '';
  const forged = { ...made.texts, 'portico-sources.lock.yaml': lock };
  await expect(syncTexts(forged, host(), { locked: true })).rejects.toMatchObject({ code: 'SOURCES_LOCK' });
});

test('a setter gets an image by its digest; the registry must have that, and no file of it is taken', async () => {
  const host = () => sourceHost([registry.host]);
  const image = `${registry.host}/acme/catalog`;
  const first = putLayer(registry, 'acme/catalog:latest', tgz({ 'configs/a.yaml': 'a: 1\n' }), IMAGE);
  const { texts } = await syncTexts(
    {
      'portico-sources.yaml': `apiVersion: config.portico.dev/v1alpha1
kind: Sources
sources:
- { id: images, oci: { ref: "oci://${image}:latest", setter: catalog } }
`,
    },
    host(),
  );
  const setters = `apiVersion: v1
kind: ConfigMap
metadata:
  name: catalog
  annotations:
    config.kubernetes.io/local-config: "true"
data:
  catalog: "${image}@${first}"
`;
  expect(texts['images/setters.yaml']).toBe(setters);
  const second = putLayer(registry, 'acme/catalog:latest', tgz({ 'configs/a.yaml': 'a: 2\n' }), IMAGE);
  expect((await syncTexts(texts, host(), { locked: true })).differences).toEqual([]);
  const updated = await syncTexts(texts, host(), { update: ['images'] });
  expect(updated.texts['images/setters.yaml']).toBe(setters.replace(first, second));
  const lock = texts['portico-sources.lock.yaml']!.replace(first, `sha256:${'0'.repeat(64)}`);
  const forged = { ...texts, 'portico-sources.lock.yaml': lock };
  await expect(syncTexts(forged, host(), { locked: true })).rejects.toMatchObject({
    code: 'SOURCE_NOT_FOUND',
  });
});

test('a directory of an image is taken, whatever else the image holds', async () => {
  const layer = gzipSync(
    tar(
      { name: 'bin', type: '2' },
      { name: 'LICENSE', body: 'free' },
      { name: 'a/b/x.yaml', body: 'x: 1\n' },
    ),
  );
  putLayer(registry, 'acme/large:v1', layer, IMAGE);
  const source = (more: string) => ({
    'portico-sources.yaml': `apiVersion: config.portico.dev/v1alpha1
kind: Sources
sources:
- { id: part, oci: { ref: "oci://${registry.host}/acme/large:v1" }${more} }
`,
  });
  const host = sourceHost([registry.host]);
  const { texts } = await syncTexts(source(', newRoot: a/b'), host);
  expect(Object.entries(texts).filter(([path]) => path.startsWith('part/'))).toEqual([
    ['part/LICENSE', 'free'],
    ['part/x.yaml', 'x: 1\n'],
  ]);
  // What was read of it for one is not the whole of it for another.
  await expect(syncTexts(source(''), host)).rejects.toMatchObject({ code: 'ARCHIVE_ENTRY' });
  await expect(syncTexts(source(', newRoot: a/c'), host)).rejects.toMatchObject({ code: 'SOURCE_EMPTY' });
});

test.each([
  [['registry.example', 'tokens.example'], true],
  [['registry.example'], false],
])('a credential for %j is told to the place of tokens: %s', async (hosts, isTold) => {
  const told: (string | undefined)[] = [];
  const asked = createRegistry({
    inside: [],
    reader: READ_HERE,
    fetch: (url, { headers = {} } = {}) => {
      if (url.host === 'tokens.example') {
        told.push(headers['authorization']);
        return Promise.resolve(new Response('{"token":"t"}'));
      }
      const isKnown = headers['authorization'] === 'Bearer t';
      const answer = isKnown
        ? { status: 200, headers: { 'docker-content-digest': `sha256:${'a'.repeat(64)}` } }
        : { status: 401, headers: { 'www-authenticate': 'Bearer realm="https://tokens.example/t"' } };
      return Promise.resolve(new Response(null, answer));
    },
  });
  const file = `credentials: [{ name: robot, hosts: ${JSON.stringify(hosts)}, username: u, password: p }]`;
  const credentialFor = createCredentials({
    file: { name: 'credentials.yaml', bytes: Buffer.from(file) },
    env: {},
    readText: () => '',
  });
  const credential = credentialFor('robot', new URL('https://registry.example/'));
  const asker = { name: 'robot', credentialFor, credential };
  const digest = asked.digestOf('registry.example/a:v1', asker, new AbortController().signal);
  if (isTold) await expect(digest).resolves.toBe(`sha256:${'a'.repeat(64)}`);
  else
    await expect(digest).rejects.toMatchObject({
      code: 'REGISTRY_AUTH',
      hint: expect.stringContaining('under hosts of the credential'),
    });
  expect(told).toEqual(isTold ? [`Basic ${Buffer.from('u:p').toString('base64')}`] : []);
});
