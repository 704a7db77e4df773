/** A registry that is slow, broken, hostile or tampered with. */
import type { ServerResponse } from 'node:http';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { parseInsideHost } from '../../src/network/inside-host.ts';
import { createOutsideFetch } from '../../src/network/outside-fetch.ts';
import { artifactOf, type Artifact } from '../../src/oci/artifact.ts';
import type { RegistryCredential } from '../../src/oci/authorization.ts';
import { pullArtifact } from '../../src/oci/pull-artifact.ts';
import { pushArtifact } from '../../src/oci/push-artifact.ts';
import { parseReference, type Reference } from '../../src/oci/reference.ts';
import { createRegistryClient, type RegistryClient } from '../../src/oci/registry-client.ts';
import type { RegistryLimits } from '../../src/oci/registry-limits.ts';
import { sha256, startMemoryRegistry, type MemoryRegistry } from './memory-registry.ts';

const files = new Map([['a.yaml', { mode: '100644' as const, bytes: Buffer.from('a: 1\n'.repeat(9)) }]]);
const QUICK = { pauseMs: 1, longestPauseMs: 2000, requestMs: 5000 };

let registry: MemoryRegistry;
let other: MemoryRegistry;
let reference: Reference;
let artifact: Artifact;

beforeEach(async () => {
  registry = await startMemoryRegistry();
  other = await startMemoryRegistry();
  reference = parseReference(`${registry.host}/acme/web:v1`);
  artifact = await artifactOf(files, { version: 'v1' });
});
afterEach(async () => {
  await registry[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

function clientWith(
  limits: Partial<RegistryLimits> = {},
  credential?: RegistryCredential,
  inside: readonly MemoryRegistry[] = [registry, other],
): RegistryClient {
  return createRegistryClient({
    inside: inside.map(({ url }) => parseInsideHost(url.origin)!),
    limits: { ...QUICK, ...limits },
    ...(credential !== undefined && {
      credentialFor: (name: string) => (name === registry.host ? credential : undefined),
    }),
  });
}

const push = (client: RegistryClient, what = artifact, tag = 'v1') =>
  pushArtifact({ client, reference, artifact: what, tags: { fixed: [tag], moving: ['stable'] } });
const pull = (client: RegistryClient, from = reference) => pullArtifact(client, from);
const failure = async (
  work: Promise<unknown>,
): Promise<{ code: string; message: string; retryAfter?: number }> =>
  work.then(
    () => ({ code: 'none', message: '' }),
    (error: unknown) => error as { code: string; message: string },
  );

describe('registries that cannot answer', () => {
  test('429, 5xx and broken connections are asked again, as late as they say', async () => {
    const faults = [
      [429, { 'retry-after': '1' }],
      [503, { 'retry-after': new Date(0).toUTCString() }],
      [500, {}],
      [0, {}],
    ] as const;
    let times = 0;
    registry.interrupt = ({ method }, response) => {
      const fault = method === 'HEAD' ? faults[times] : undefined;
      if (fault === undefined) return false;
      times += 1;
      if (fault[0] === 0) response.destroy();
      else response.writeHead(fault[0], fault[1]).end();
      return true;
    };
    const started = performance.now();
    expect(await push(clientWith())).toMatchObject({ digest: artifact.digest, uploaded: 2 });
    expect(performance.now() - started).toBeGreaterThan(990);
    expect(times).toBe(4);
  });

  test('only so often, and not for longer than a run should wait', async () => {
    registry.interrupt = (_asked, response) => {
      response
        .writeHead(500)
        .end('{"errors":[{"code":"UNKNOWN","message":"Bearer abcdefghijklmnopqrstuv"}]}');
      return true;
    };
    const gone = await failure(pull(clientWith()));
    expect(gone).toMatchObject({ code: 'REGISTRY_UNAVAILABLE', blame: 'forge' });
    expect(gone.message).toMatch(/answers 500: UNKNOWN Bearer \*\*\*$/);
    expect(registry.asked).toHaveLength(5);

    registry.interrupt = (_asked, response) => {
      response.writeHead(429, { 'retry-after': '3600' }).end();
      return true;
    };
    expect(await failure(pull(clientWith()))).toMatchObject({ code: 'REGISTRY_LIMITED', retryAfter: 3600 });
    expect(registry.asked).toHaveLength(6);
  });

  test('slow and endless bodies end, and whoever stops is not kept waiting', async () => {
    await push(clientWith());
    const layer = artifact.blobs[1]!.descriptor;
    let endless = true;
    registry.interrupt = ({ path }, response) => {
      if (!path.includes('/blobs/')) return false;
      response.writeHead(200);
      if (endless) {
        const write = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(10_000)));
          response.once('drain', write);
        };
        write();
      } else {
        const drip = setInterval(() => response.write('a'), 20);
        response.once('close', () => clearInterval(drip));
      }
      return true;
    };
    expect(await failure(pull(clientWith()))).toMatchObject({ code: 'REGISTRY_LIMIT' });
    endless = false;
    expect(await failure(pull(clientWith({ requestMs: 300 })))).toMatchObject({ code: 'HOST_SLOW' });
    const patient = pullArtifact(clientWith({ requestMs: 300 }), reference, {
      signal: new AbortController().signal,
    });
    expect(await failure(patient)).toMatchObject({ code: 'HOST_SLOW' });
    const stop = new AbortController();
    const stopped = clientWith().blob(reference, layer, stop.signal);
    setTimeout(() => stop.abort(new Error('stopped')), 50);
    await expect(stopped).rejects.toThrow('stopped');
  });
});

describe('content', () => {
  test('that is not what its digest says is refused with both digests, at each level', async () => {
    await push(clientWith());
    const { digest, size } = artifact.blobs[1]!.descriptor;
    const evil = Buffer.alloc(size, 'x');
    registry.blobs.set(digest, evil);
    const blob = await failure(pull(clientWith()));
    expect(blob.code).toBe('REGISTRY_DIGEST');
    expect(blob.message).toContain(`should be ${digest} and is ${sha256(evil)}`);

    const changed = Buffer.from(artifact.manifest.toString().replace('"v1"', '"v2"'));
    registry.interrupt = ({ path, method }, response) => {
      if (!path.includes('/manifests/') || method !== 'GET') return false;
      const type = artifact.mediaType;
      response
        .writeHead(200, { 'content-type': type, 'docker-content-digest': artifact.digest })
        .end(changed);
      return true;
    };
    for (const from of [reference, { ...reference, digest: artifact.digest }]) {
      const manifest = await failure(pull(clientWith(), from));
      expect(manifest.code).toBe('REGISTRY_DIGEST');
      expect(manifest.message).toContain(`should be ${artifact.digest} and is ${sha256(changed)}`);
    }
  });

  test('within limits: bytes, layers, and what the archive rules refuse', async () => {
    await push(clientWith());
    expect(await failure(pull(clientWith({ blobBytes: 10 })))).toMatchObject({ code: 'REGISTRY_LIMIT' });
    expect(await failure(pull(clientWith({ totalBytes: 10 })))).toMatchObject({ code: 'REGISTRY_LIMIT' });

    const manifest = JSON.parse(artifact.manifest.toString());
    const put = (changes: object, type = artifact.mediaType): Reference => {
      const bytes = Buffer.from(JSON.stringify({ ...manifest, ...changes }));
      registry.manifests.set('acme/web:odd', { type, bytes });
      return { ...reference, tag: 'odd' };
    };
    const many = Array.from({ length: 129 }, () => manifest.layers[0]);
    expect(await failure(pull(clientWith(), put({ layers: many })))).toMatchObject({
      code: 'ARTIFACT_UNREADABLE',
    });
    const zstd = [{ ...manifest.layers[0], mediaType: 'application/vnd.oci.image.layer.v1.tar+zstd' }];
    expect(await failure(pull(clientWith(), put({ layers: zstd })))).toMatchObject({
      code: 'ARTIFACT_UNREADABLE',
    });
    // Both at once is one thing for some programs and another for others.
    expect(await failure(pull(clientWith(), put({ manifests: [] })))).toMatchObject({
      code: 'ARTIFACT_UNREADABLE',
    });
    const asIndex = 'application/vnd.oci.image.index.v1+json';
    expect((await failure(pull(clientWith(), put({}, asIndex)))).message).toMatch(
      /the registry declares it as .*index/,
    );

    const notArchive = Buffer.from('no tar at all');
    registry.blobs.set(sha256(notArchive), notArchive);
    const odd = [{ ...manifest.layers[0], digest: sha256(notArchive), size: notArchive.length }];
    expect(await failure(pull(clientWith(), put({ layers: odd })))).toMatchObject({
      code: 'ARCHIVE_CORRUPT',
    });
  });

  test('of an index: the image of the platform, or the only one', async () => {
    await push(clientWith());
    const one = { mediaType: artifact.mediaType, digest: artifact.digest, size: artifact.manifest.length };
    const index = (...manifests: object[]): Reference => {
      const type = 'application/vnd.oci.image.index.v1+json';
      const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: type, manifests }));
      registry.manifests.set('acme/web:index', { type, bytes });
      return { ...reference, tag: 'index' };
    };
    const arm = {
      ...one,
      digest: `sha256:${'0'.repeat(64)}`,
      platform: { os: 'linux', architecture: 'arm64' },
    };
    const amd = { ...one, platform: { os: 'linux', architecture: 'amd64' } };
    expect((await pull(clientWith(), index(arm, amd))).manifestDigest).toBe(artifact.digest);
    expect((await pull(clientWith(), index(one))).manifestDigest).toBe(artifact.digest);
    expect((await failure(pull(clientWith(), index(arm, one)))).message).toMatch(
      /no image for linux on amd64/,
    );
    const itself = [...registry.manifests.entries()].find(([name]) => name === 'acme/web:index')![1];
    registry.manifests.set(`acme/web@${sha256(itself.bytes)}`, itself);
    const nested = index({ ...one, digest: sha256(itself.bytes) });
    expect((await failure(pull(clientWith(), nested))).message).toMatch(/an index of indexes/);
  });
});

describe('who we are', () => {
  const SECRET = 'hunter2-hunter2';
  const credential = { username: 'bot', password: SECRET };
  const basic = `Basic ${Buffer.from(`bot:${SECRET}`).toString('base64')}`;

  test('basic authentication, and what is refused says nothing of the password', async () => {
    registry.interrupt = ({ authorization }, response) => {
      if (authorization === basic) return false;
      response.writeHead(401, { 'www-authenticate': 'Basic realm="here"' }).end(
        JSON.stringify({
          errors: [
            {
              code: 'UNAUTHORIZED',
              message: `who is ${authorization} ${Buffer.from(authorization?.slice(6) ?? '', 'base64').toString()}`,
            },
          ],
        }),
      );
      return true;
    };
    expect(await push(clientWith({}, credential))).toMatchObject({ uploaded: 2 });
    // The first request asked; every other one knew.
    expect(registry.asked.filter(({ authorization }) => authorization === undefined)).toHaveLength(2);
    for (const wrong of [undefined, { username: 'bot', password: `${SECRET}x` }]) {
      const refused = await failure(pull(clientWith({}, wrong)));
      expect(refused.code).toBe('REGISTRY_AUTH');
      const shown = JSON.stringify([refused, refused.message]);
      expect(shown).not.toContain(SECRET);
      expect(shown).not.toContain(Buffer.from(`bot:${SECRET}`).toString('base64').slice(0, 12));
    }
  });

  test('tokens of a realm elsewhere, for what is done and as long as they hold', async () => {
    let given = 0;
    other.interrupt = ({ path, authorization }, response) => {
      const url = new URL(path, other.url);
      if (authorization !== basic) response.writeHead(401).end();
      else {
        given += 1;
        const token = `t${given} ${url.searchParams.getAll('scope').join()}`.replaceAll(' ', '.');
        response.end(JSON.stringify({ access_token: token, expires_in: given === 1 ? 0.001 : 300 }));
      }
      return true;
    };
    registry.interrupt = ({ method, authorization = '' }, response) => {
      const need = method === 'GET' || method === 'HEAD' ? ':pull' : ':pull,push';
      if (authorization.startsWith('Bearer t') && authorization.includes(need)) return false;
      const scope = `repository:acme/web${need}`;
      const challenge = `Bearer realm="${other.url.href}token?a=b",service="the \\"registry\\"",scope="${scope}"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return true;
    };
    expect(await push(clientWith({}, credential))).toMatchObject({ uploaded: 2 });
    expect(given).toBe(3);
    expect(new URL(other.asked[0]!.path, other.url).searchParams.get('service')).toBe('the "registry"');
    expect(registry.asked.some(({ authorization }) => authorization?.startsWith('Basic'))).toBe(false);
    expect(await failure(pull(clientWith()))).toMatchObject({ code: 'REGISTRY_AUTH' });
  });

  test('an identity token is exchanged, and a realm that gives nothing useful is told', async () => {
    let answer = '{"access_token":"fine"}';
    other.interrupt = (_asked, response) => {
      response.end(answer);
      return true;
    };
    registry.interrupt = ({ authorization }, response) => {
      if (authorization === 'Bearer fine') return false;
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${other.url.href}token"` }).end();
      return true;
    };
    expect(await push(clientWith({}, { identityToken: SECRET }))).toMatchObject({ uploaded: 2 });
    expect(other.asked[0]).toMatchObject({ method: 'POST', path: '/token', authorization: undefined });
    for (answer of ['', '{}', '{"token":"with\\nline"}', '[]']) {
      const refused = await failure(pull(clientWith({}, credential)));
      expect(refused).toMatchObject({ code: 'REGISTRY_AUTH' });
      expect(refused.message).toMatch(/gave no token/);
    }
    registry.interrupt = (_asked, response) => {
      response.writeHead(401, { 'www-authenticate': 'Bearer realm="nowhere"' }).end();
      return true;
    };
    expect((await failure(pull(clientWith({}, credential)))).message).toMatch(
      /no address that issues tokens/,
    );
  });

  test('a registry gets no token with the login of another one, nor with more rights than the request needs', async () => {
    const logins: Readonly<Record<string, RegistryCredential>> = {
      [registry.host]: { username: 'here', password: 'for-the-hostile-one' },
      [other.host]: credential,
    };
    // Both are reached, but neither is the other's neighbour.
    const hostile = 'http://registry.attack.test/';
    const client = createRegistryClient({
      limits: QUICK,
      credentialFor: (name) => logins[name === 'registry.attack.test' ? registry.host : name],
      fetch: async (url, { method = 'GET', headers = {} } = {}) => {
        const at = url.host === 'registry.attack.test' ? registry.host : url.host;
        return await fetch(new URL(url.pathname + url.search, `http://${at}/`), { method, headers });
      },
    });
    let realm = `http://${other.host}/token`;
    other.interrupt = (_asked, response) => {
      response.end('{"token":"of-the-victim"}');
      return true;
    };
    registry.interrupt = ({ authorization }, response) => {
      if (authorization !== undefined) return false;
      const scope = 'repository:victim/secrets:pull,push,delete registry:catalog:*';
      const challenge = `Bearer realm="${realm}",service="${other.host}",scope="${scope}"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return true;
    };
    const web = parseReference(`${new URL(hostile).host}/acme/web:v1`);
    expect((await failure(client.manifest(web))).message).toContain(
      `${other.host} issues its tokens, and the credentials for registry.attack.test are not for that host`,
    );
    expect(other.asked).toEqual([]);
    expect(registry.asked.map(({ authorization }) => authorization)).toEqual([undefined]);
    // At a token server that may be asked, its scopes are not requested either.
    realm = 'http://registry.attack.test/token';
    await failure(client.manifest(web));
    const [asked] = registry.asked.filter(({ path }) => path.startsWith('/token'));
    expect(new URL(asked!.path, hostile).searchParams.getAll('scope')).toEqual(['repository:acme/web:pull']);
  });

  test('other hosts hear no credentials, neither by a redirect nor because they ask', async () => {
    await push(clientWith());
    for (const [digest, bytes] of registry.blobs) other.blobs.set(digest, bytes);
    let asks = false;
    registry.interrupt = ({ path, authorization }, response) => {
      if (authorization !== basic) response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      else if (path.includes('/blobs/'))
        response.writeHead(307, { location: `${other.url.href}${path.slice(1)}` }).end();
      else return false;
      return true;
    };
    other.interrupt = (_asked, response) => {
      if (asks) response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      return asks;
    };
    expect((await pull(clientWith({}, credential))).files.size).toBe(1);
    asks = true;
    expect(await failure(pull(clientWith({}, credential)))).toMatchObject({ code: 'REGISTRY_AUTH' });
    expect(other.asked.length).toBe(2);
    expect(other.asked.every(({ authorization }) => authorization === undefined)).toBe(true);
  });

  test('redirects and realms into the own network are not followed from outside, and not for ever', async () => {
    await push(clientWith());
    const only = (limits = {}): RegistryClient => clientWith(limits, undefined, [registry]);
    const seen = other.asked.length;
    registry.interrupt = ({ path }, response) => {
      if (path.includes('/blobs/')) response.writeHead(302, { location: `${other.url.href}x` }).end();
      return path.includes('/blobs/');
    };
    expect(await failure(pull(only()))).toMatchObject({ code: 'ADDRESS_REFUSED' });
    registry.interrupt = (_asked, response) => {
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${other.url.href}token"` }).end();
      return true;
    };
    expect(await failure(pull(only()))).toMatchObject({ code: 'ADDRESS_REFUSED' });
    expect(other.asked).toHaveLength(seen);
    registry.interrupt = ({ path }, response) => {
      response.writeHead(302, { location: `${path}x` }).end();
      return true;
    };
    expect((await failure(pull(only()))).message).toMatch(/sends us around/);
  });
});

test.each(['redirect', 'realm'])(
  'a %s from https to http is not followed, even where http is allowed',
  async (how) => {
    const inside = [registry, other].map(({ url }) => parseInsideHost(url.origin)!);
    const fetch = createOutsideFetch({ inside });
    const client = createRegistryClient({
      inside,
      limits: QUICK,
      credentialFor: () => ({ username: 'bot', password: 'hunter2' }),
      fetch: (url, request = {}) => {
        // The registry is asked with TLS; its answers are those of a server that has none.
        if (url.host === other.host)
          return fetch(url, { ...request, ledBy: new URL(`https://${registry.host}/`) });
        const [status, headers] =
          how === 'realm'
            ? [401, { 'www-authenticate': `Bearer realm="${other.url.href}token"` }]
            : [307, { location: other.url.href }];
        return Promise.resolve(new Response(null, { status, headers: headers as Record<string, string> }));
      },
    });
    const refused = await failure(client.manifest(reference));
    expect(refused).toMatchObject({ code: 'ADDRESS_REFUSED', message: `${other.url.origin} is not https` });
    expect(other.asked).toEqual([]);
  },
);

test('whoever is asked next is told who led there', async () => {
  const led: (string | undefined)[] = [];
  const client = createRegistryClient({
    fetch: (url, { ledBy } = {}) => {
      led.push(`${ledBy?.host} → ${url.host}`);
      const challenge = 'Bearer realm="https://tokens.example/"';
      if (url.host === 'tokens.example') return Promise.resolve(new Response('{"token":"t"}'));
      if (url.host === 'store.example') return Promise.resolve(new Response(null, { status: 404 }));
      const [status, headers] =
        led.length === 1
          ? [401, { 'www-authenticate': challenge }]
          : [307, { location: led.length === 3 ? '/again' : 'https://store.example/' }];
      return Promise.resolve(new Response(null, { status, headers: headers as Record<string, string> }));
    },
  });
  await failure(client.manifest(parseReference('registry.example/web:v1')));
  expect(led).toEqual([
    'registry.example → registry.example',
    'registry.example → tokens.example',
    'registry.example → registry.example',
    'registry.example → registry.example',
    'registry.example → store.example',
  ]);
});

test.each([
  ['registry-1.docker.io', 'auth.docker.io', true],
  ['registry.gitlab.com', 'gitlab.com', true],
  ['ghcr.io', 'ghcr.io', true],
  ['registry.corp.example', 'sso.corp.example:8443', true],
  ['ghcr.io', 'evil.example', false],
  ['ghcr.io', 'notghcr.io', false],
  ['registry.corp.example', 'corp.example.evil.test', false],
  ['203.0.113.7', '203.0.113.8', false],
])('a password for %s goes to %s for a token: %s', async (name, realm, goes) => {
  const told: Record<string, string | undefined> = {};
  const client = (theirs: string[]): RegistryClient =>
    createRegistryClient({
      credentialFor: () => ({ username: 'robot', password: 'secret' }),
      isTokenHost: (host) => theirs.includes(host),
      fetch: (url, { headers = {} } = {}) => {
        told[url.host] = headers['authorization'];
        if (url.pathname === '/token') return Promise.resolve(new Response('{"token":"t"}'));
        const challenge = { 'www-authenticate': `Bearer realm="https://${realm}/token"` };
        const known = headers['authorization'] === 'Bearer t';
        return Promise.resolve(
          new Response(null, known ? { status: 404 } : { status: 401, headers: challenge }),
        );
      },
    });
  const asked = await failure(client([]).manifest(parseReference(`oci://${name}/web:v1`)));
  expect(asked.code).toBe(goes ? 'REGISTRY_NOT_FOUND' : 'REGISTRY_AUTH');
  if (goes) {
    expect(told[realm]).toBe(name === realm ? 'Bearer t' : 'Basic cm9ib3Q6c2VjcmV0');
    return;
  }
  expect(asked.message).toContain(`${name} says that ${realm} issues its tokens`);
  expect(told[realm]).toBeUndefined();
  // A person may name the token server.
  expect((await failure(client([realm]).manifest(parseReference(`oci://${name}/web:v1`)))).code).toBe(
    'REGISTRY_NOT_FOUND',
  );
  expect(told[realm]).toBe('Basic cm9ib3Q6c2VjcmV0');
});

describe('interrupted pushes', () => {
  test('leave nothing that has a name, wherever they stop, and end in one artefact when run again', async () => {
    const limits = { chunkBytes: 20, attempts: 1 };
    const whole = await push(clientWith(limits));
    expect(whole).toMatchObject({ digest: artifact.digest });
    const steps = registry.asked.length;
    expect(registry.log().slice(-3)).toEqual([
      'PUT /v2/acme/web/manifests/v1',
      'HEAD /v2/acme/web/manifests/v1',
      'PUT /v2/acme/web/manifests/stable',
    ]);
    for (let stop = 1; stop <= steps; stop += 1) {
      registry.blobs.clear();
      registry.manifests.clear();
      registry.asked.length = 0;
      registry.interrupt = (_asked, response) => {
        if (registry.asked.length !== stop) return false;
        response.destroy();
        return true;
      };
      const stopped = await failure(push(clientWith(limits)));
      expect(stopped.code, `stopped at ${stop}`).toBe('HOST_UNREACHABLE');
      for (const [name, { bytes }] of registry.manifests) {
        if (!name.includes('@')) expect(sha256(bytes)).toBe(artifact.digest);
        for (const { digest } of [
          JSON.parse(bytes.toString()).config,
          ...JSON.parse(bytes.toString()).layers,
        ]) {
          expect(registry.blobs.has(digest)).toBe(true);
        }
      }
      registry.interrupt = () => false;
      expect(await push(clientWith(limits))).toMatchObject({ digest: artifact.digest });
      expect([...registry.manifests.keys()].sort()).toEqual([
        'acme/web:stable',
        'acme/web:v1',
        `acme/web@${artifact.digest}`,
      ]);
    }
  });

  test('uploads go on where they were broken off, also where only the answer was lost', async () => {
    const bytes = Buffer.from(Array.from({ length: 100 }, (_, at) => at));
    const faults: Record<string, (response: ServerResponse) => void> = {
      'PATCH 2': (response) => response.writeHead(500).end(),
      'PATCH 5': (response) => response.destroy(),
      'PUT 1': (response) => response.writeHead(503).end(),
    };
    const counts = new Map<string, number>();
    registry.interrupt = ({ method }, response) => {
      counts.set(method, (counts.get(method) ?? 0) + 1);
      const fault = faults[`${method} ${counts.get(method)}`];
      fault?.(response);
      return fault !== undefined;
    };
    expect(await clientWith({ chunkBytes: 20 }).upload(reference, bytes)).toBe('uploaded');
    expect(registry.blobs.get(sha256(bytes))).toEqual(bytes);
    expect(Object.fromEntries(counts)).toMatchObject({ POST: 1, PATCH: 6, PUT: 2 });
  });

  test('an upload that the registry forgot, or has otherwise, begins anew', async () => {
    const bytes = Buffer.alloc(100, 'z');
    const faults = new Map([
      [3, 404],
      [6, 416],
    ]);
    let times = 0;
    registry.interrupt = ({ method, path }, response) => {
      if (method !== 'PATCH') return false;
      const fault = faults.get((times += 1));
      if (fault === undefined) return false;
      // What is told of it afterwards is nothing, too.
      registry.forget(path);
      response.writeHead(fault).end();
      return true;
    };
    expect(await clientWith({ chunkBytes: 20 }).upload(reference, bytes)).toBe('uploaded');
    expect(registry.blobs.get(sha256(bytes))).toEqual(bytes);
    expect(times).toBeGreaterThan(8);
  });
});

describe('one artefact for each revision', () => {
  test('of two that push another content at once, one is refused or sees that it lost', async () => {
    const second = await artifactOf(files, { version: 'v1', source: 'https://example.com' });
    const outcomes = await Promise.all([push(clientWith()), push(clientWith(), second)]);
    const won = outcomes.filter((outcome) => 'digest' in outcome);
    const held = sha256(registry.manifests.get('acme/web:v1')!.bytes);
    expect(won.map((outcome) => 'digest' in outcome && outcome.digest)).toContain(held);
    expect(await push(clientWith())).toEqual(
      held === artifact.digest
        ? expect.objectContaining({ digest: held })
        : { refused: { tag: 'v1', held, wanted: artifact.digest } },
    );
  });

  test('whoever put the tag between the two looks is seen', async () => {
    const second = await artifactOf(files, { version: 'v1', source: 'https://example.com' });
    registry.interrupt = ({ method, path }) => {
      if (method === 'HEAD' && path.endsWith('/v1') && registry.manifests.has('acme/web:v1')) {
        registry.manifests.set('acme/web:v1', {
          type: second.mediaType,
          bytes: Buffer.from(second.manifest),
        });
      }
      return false;
    };
    expect(await push(clientWith())).toEqual({
      refused: { tag: 'v1', held: second.digest, wanted: artifact.digest },
    });
  });

  test('registries that do not tell digests are asked for the content', async () => {
    await push(clientWith());
    registry.interrupt = ({ method, path }, response) => {
      if (method !== 'HEAD' || !path.includes('/manifests/')) return false;
      response.writeHead(200).end();
      return true;
    };
    const second = await artifactOf(files, { version: 'v2' });
    expect(await push(clientWith(), second)).toEqual({
      refused: { tag: 'v1', held: artifact.digest, wanted: second.digest },
    });
  });
});
