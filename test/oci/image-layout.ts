import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Writes an OCI layout of one image, named `it`, for skopeo to copy; layers are tars, the lowest first. */
export function writeImageLayout(directory: string, layers: readonly Buffer[], config: object): void {
  const blobs = join(directory, 'blobs', 'sha256');
  mkdirSync(blobs, { recursive: true });
  const put = (mediaType: string, bytes: Buffer): object => {
    const hex = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(blobs, hex), bytes);
    return { mediaType, digest: `sha256:${hex}`, size: bytes.length };
  };
  const manifest = {
    schemaVersion: 2,
    mediaType: `${type('manifest')}+json`,
    config: put(
      `${type('config')}+json`,
      Buffer.from(
        JSON.stringify({
          architecture: 'amd64',
          os: 'linux',
          config,
          rootfs: {
            type: 'layers',
            diff_ids: layers.map((layer) => `sha256:${createHash('sha256').update(layer).digest('hex')}`),
          },
        }),
      ),
    ),
    layers: layers.map((layer) => put(`${type('layer')}.tar+gzip`, gzipSync(layer))),
  };
  const described = put(`${type('manifest')}+json`, Buffer.from(JSON.stringify(manifest)));
  const index = {
    schemaVersion: 2,
    manifests: [{ ...described, annotations: { 'org.opencontainers.image.ref.name': 'it' } }],
  };
  writeFileSync(join(directory, 'index.json'), JSON.stringify(index));
  writeFileSync(join(directory, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
}

function type(name: string): string {
  return `application/vnd.oci.image.${name}.v1`;
}
