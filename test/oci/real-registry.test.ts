/** Against Debian's registry, with skopeo as a reader and writer that others wrote. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { parseInsideHost } from '../../src/network/inside-host.ts';
import { artifactOf } from '../../src/oci/artifact.ts';
import { pullArtifact } from '../../src/oci/pull-artifact.ts';
import { pushArtifact } from '../../src/oci/push-artifact.ts';
import { parseReference } from '../../src/oci/reference.ts';
import { createRegistryClient, type RegistryClient } from '../../src/oci/registry-client.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import { tar } from '../archive/archives.ts';
import { writeImageLayout } from './image-layout.ts';
import { startRegistry, type RealRegistry } from './real-registry.ts';

describe('a real registry', { tags: ['docker-registry', 'skopeo'] }, () => {
  let registry: RealRegistry;
  let client: RegistryClient;
  let directory: string;

  beforeAll(async () => {
    registry = await startRegistry();
    client = createRegistryClient({
      inside: [parseInsideHost(`http://${registry.host}`)!],
      limits: { chunkBytes: 1000 },
    });
    directory = mkdtempSync(join(tmpdir(), 'oci-'));
  });
  afterAll(async () => {
    await registry[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  const files: PackageFiles = new Map([
    ['Kptfile', { mode: '100644', bytes: Buffer.from('apiVersion: kpt.dev/v1\nkind: Kptfile\n') }],
    ['deploy/run.sh', { mode: '100755', bytes: Buffer.from('#!/bin/sh\n') }],
    ['ünïcode.yaml', { mode: '100644', bytes: Buffer.from('a: 1\n') }],
    [`${'p'.repeat(90)}/${'q'.repeat(90)}`, { mode: '100644', bytes: Buffer.from('long') }],
    [`${'p'.repeat(200)}/${'q'.repeat(200)}`, { mode: '100644', bytes: Buffer.from('longer') }],
    // Larger than one part of an upload, and not to be compressed below it.
    [
      'noise',
      {
        mode: '100644',
        bytes: Buffer.from(Array.from({ length: 5000 }, (_, at) => Math.imul(at, 2_654_435_761) >>> 24)),
      },
    ],
  ]);

  test('what is pushed is read by skopeo and tar, and pulled again as it was', async () => {
    const reference = parseReference(`${registry.host}/acme/web:v3`);
    const artifact = await artifactOf(files, {
      source: 'https://example.com/acme/web',
      revision: 'v3@sha1:abc',
      version: 'v3',
    });
    const tags = { fixed: ['v3'], moving: ['stable'] };

    expect(await pushArtifact({ client, reference, artifact, tags })).toEqual({
      digest: artifact.digest,
      uploaded: 2,
      tags: [
        { tag: 'v3', outcome: 'created' },
        { tag: 'stable', outcome: 'created' },
      ],
    });
    // Once more it sends nothing.
    expect(await pushArtifact({ client, reference, artifact, tags })).toMatchObject({
      uploaded: 0,
      tags: [{ outcome: 'unchanged' }, { outcome: 'unchanged' }],
    });

    const raw = JSON.parse(
      skopeo('inspect', '--raw', '--tls-verify=false', `docker://${registry.host}/acme/web:v3`),
    );
    expect(raw).toMatchObject({
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      artifactType: 'application/vnd.portico.package.v1',
      layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip' }],
      annotations: {
        'org.opencontainers.image.source': 'https://example.com/acme/web',
        'org.opencontainers.image.revision': 'v3@sha1:abc',
        'org.opencontainers.image.version': 'v3',
      },
    });
    const copied = join(directory, 'copied');
    skopeo('copy', '--src-tls-verify=false', `docker://${registry.host}/acme/web:stable`, `oci:${copied}:v3`);
    const layer = join(copied, 'blobs', ...raw.layers[0].digest.split(':'));
    const unpacked = join(directory, 'unpacked');
    mkdirSync(unpacked);
    execFileSync('tar', ['-xzf', layer, '-C', unpacked]);
    expect(readFileSync(join(unpacked, 'ünïcode.yaml'), 'utf8')).toBe('a: 1\n');
    expect(readFileSync(join(unpacked, 'p'.repeat(200), 'q'.repeat(200)), 'utf8')).toBe('longer');
    expect(readdirSync(unpacked, { recursive: true }).length).toBe(9);
    expect(execFileSync('tar', ['-tvzf', layer], { encoding: 'utf8', env: { TZ: 'UTC' } })).toMatch(
      /-rwxr-xr-x 0\/0 +10 1970-01-01 00:00 deploy\/run\.sh/,
    );

    for (const named of ['web:v3', `web@${artifact.digest}`, `web:v3@${artifact.digest}`]) {
      const pulled = await pullArtifact(client, parseReference(`${registry.host}/acme/${named}`));
      expect(textIn(pulled.files)).toEqual(textIn(files));
      expect(pulled).toMatchObject({
        digest: artifact.digest,
        artifactType: 'application/vnd.portico.package.v1',
      });
    }
  });

  test('a revision keeps its digest, and a channel moves', async () => {
    const reference = parseReference(`${registry.host}/acme/moves:v1`);
    const first = await artifactOf(files, { version: 'v1' });
    const second = await artifactOf(files, { version: 'v2' });
    await pushArtifact({ client, reference, artifact: first, tags: { fixed: ['v1'], moving: ['stable'] } });

    expect(
      await pushArtifact({
        client,
        reference,
        artifact: second,
        tags: { fixed: ['v1'], moving: ['stable'] },
      }),
    ).toEqual({
      refused: { tag: 'v1', held: first.digest, wanted: second.digest },
    });
    expect(await client.resolve({ ...reference, tag: 'stable' })).toBe(first.digest);
    expect(
      await pushArtifact({
        client,
        reference,
        artifact: second,
        tags: { fixed: ['v2'], moving: ['stable'] },
      }),
    ).toEqual({
      digest: second.digest,
      // The layer is the same.
      uploaded: 0,
      tags: [
        { tag: 'v2', outcome: 'created' },
        { tag: 'stable', outcome: 'moved', from: first.digest },
      ],
    });
    expect([...(await client.tags(reference))].sort()).toEqual(['stable', 'v1', 'v2']);
    expect(await client.tags(parseReference(`${registry.host}/acme/nothing`))).toEqual([]);
    expect(await client.resolve(parseReference(`${registry.host}/acme/moves:v9`))).toBeUndefined();
    await expect(pullArtifact(client, parseReference(`${registry.host}/acme/moves:v9`))).rejects.toThrow(
      /moves:v9 is not in the registry: MANIFEST_UNKNOWN/,
    );
  });

  test('what skopeo writes is pulled: images of several layers with whiteouts, as OCI and as Docker has them', async () => {
    const layout = join(directory, 'image');
    writeImageLayout(
      layout,
      [
        tar(
          { name: 'manifests/', type: '5' },
          { name: 'manifests/old.yaml', body: 'old' },
          { name: 'manifests/kept.yaml', body: 'first' },
          { name: 'metadata/all/one.yaml', body: 'one' },
          { name: 'turns', body: 'a file' },
        ),
        tar(
          { name: 'manifests/.wh.old.yaml' },
          { name: 'manifests/kept.yaml', body: 'second', mode: 0o755 },
          { name: 'metadata/all/.wh..wh..opq' },
          { name: 'metadata/all/two.yaml', body: 'two' },
          { name: 'turns/into.yaml', body: 'a directory' },
        ),
      ],
      { Labels: { 'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1' } },
    );
    const wanted = {
      'manifests/kept.yaml 100755': 'second',
      'metadata/all/two.yaml 100644': 'two',
      'turns/into.yaml 100644': 'a directory',
    };
    for (const format of ['oci', 'v2s2']) {
      const name = `${registry.host}/acme/bundle:${format}`;
      skopeo('copy', '--format', format, '--dest-tls-verify=false', `oci:${layout}:it`, `docker://${name}`);
      const pulled = await pullArtifact(client, parseReference(name));
      expect(textIn(pulled.files)).toEqual(wanted);
      expect(pulled.layers).toHaveLength(2);
      expect(pulled.labels).toEqual({ 'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1' });
    }
  });

  test('every part of an upload counts, and content that is there is not sent again', async () => {
    const reference = parseReference(`${registry.host}/acme/parts`);
    for (const length of [0, 1, 999, 1000, 1001, 2000, 2001, 10_500]) {
      const bytes = new Uint8Array(length).fill(length % 251);
      expect(await client.upload(reference, bytes)).toBe('uploaded');
      expect(await client.upload(reference, bytes)).toBe('present');
    }
  });
});

function skopeo(...args: string[]): string {
  return execFileSync('skopeo', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function textIn(files: PackageFiles): Record<string, string> {
  return Object.fromEntries(
    [...files].map(([path, { mode, bytes }]) => [`${path} ${mode}`, Buffer.from(bytes).toString()]),
  );
}
