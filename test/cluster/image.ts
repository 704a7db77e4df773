/** Images of one layer with busybox and a script in it, in a registry that gives them to whoever has the password. */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

import { tar } from '../archive/archives.ts';
import { sha256, startMemoryRegistry, type MemoryRegistry } from '../oci/memory-registry.ts';

export const PASSWORD = 'portico:let-me-in';

/** Debian's busybox-static, which is all that an image needs. */
const BUSYBOX = '/bin/busybox';

/** A registry of which `public/` is open to everybody, and everything else to the password. */
export async function startPrivateRegistry(): Promise<MemoryRegistry> {
  const registry = await startMemoryRegistry();
  const expected = `Basic ${Buffer.from(PASSWORD).toString('base64')}`;
  registry.interrupt = ({ path, authorization }, response) => {
    if (path.startsWith('/v2/public/') || authorization === expected) return false;
    response.writeHead(401, { 'www-authenticate': 'Basic realm="images"' }).end();
    return true;
  };
  return registry;
}

/** Puts an image whose program is the script, for `sh`; gives its reference with the digest. */
export function putImage(registry: MemoryRegistry, repository: string, script: string): string {
  const layer = tar(
    { name: 'bin/', type: '5', mode: 0o755 },
    { name: 'bin/busybox', mode: 0o755, body: readFileSync(BUSYBOX) },
    { name: 'fn', mode: 0o755, body: `#!/bin/busybox sh\n${script}\n` },
    ...['proc/', 'sys/', 'dev/', 'etc/', 'tmp/'].map((name) => ({ name, type: '5', mode: 0o755 })),
  );
  const put = (mediaType: string, bytes: Buffer): object => {
    registry.blobs.set(sha256(bytes), bytes);
    return { mediaType, digest: sha256(bytes), size: bytes.length };
  };
  const config = {
    architecture: 'amd64',
    os: 'linux',
    config: { Entrypoint: ['/fn'] },
    rootfs: { type: 'layers', diff_ids: [sha256(layer)] },
  };
  const kind = 'application/vnd.oci.image';
  const type = `${kind}.manifest.v1+json`;
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: type,
      config: put(`${kind}.config.v1+json`, Buffer.from(JSON.stringify(config))),
      layers: [put(`${kind}.layer.v1.tar+gzip`, gzipSync(layer))],
    }),
  );
  const name = `${repository}@${sha256(manifest)}`;
  registry.manifests.set(name, { type, bytes: manifest });
  return `${registry.host}/${name}`;
}
