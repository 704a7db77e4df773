import { sha256, type MemoryRegistry } from './memory-registry.ts';

/** Media types of an artefact of one layer. */
interface Types {
  readonly config: string;
  readonly layer: string;
}

/** As `helm push` writes them. */
export const CHART: Types = {
  config: 'application/vnd.cncf.helm.config.v1+json',
  layer: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
};
export const IMAGE: Types = {
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
};

/** Puts one layer below `REPOSITORY:TAG`; gives the digest of the manifest. */
export function putLayer(registry: MemoryRegistry, reference: string, layer: Buffer, types: Types): string {
  const blob = (bytes: Buffer, mediaType: string) => {
    const digest = sha256(bytes);
    registry.blobs.set(digest, bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const type = 'application/vnd.oci.image.manifest.v1+json';
  const bytes = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: type,
      config: blob(Buffer.from('{}'), types.config),
      layers: [blob(layer, types.layer)],
    }),
  );
  const digest = sha256(bytes);
  registry.manifests.set(reference, { type, bytes });
  registry.manifests.set(`${reference.slice(0, reference.lastIndexOf(':'))}@${digest}`, { type, bytes });
  return digest;
}
