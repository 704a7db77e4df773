/** A package as what registries keep: a manifest over one layer. Everything follows from the package and what is said of it. */
import type { PackageFiles } from '../package/package.ts';
import { digestOf } from './digest.ts';
import { layerOf } from './layer.ts';
import type { Descriptor } from './manifest.ts';
import { EMPTY_CONFIG, IMAGE_MANIFEST, LAYER_TAR_GZIP, PACKAGE_TYPE } from './media-types.ts';

/** What is written beside the content. All of it is part of the digest. */
export interface ArtifactFacts {
  /** Address of the repository of the package. */
  readonly source?: string;
  /** Where in its history: Flux shows it, and takes the commit behind `sha1:` for the origin of what it applies. */
  readonly revision?: string;
  /** The revision of the package: `v3`. */
  readonly version?: string;
  readonly title?: string;
}

export interface Artifact {
  /** Of the manifest: it names the whole artefact. */
  readonly digest: string;
  readonly mediaType: string;
  readonly manifest: Uint8Array;
  /** What the manifest names. */
  readonly blobs: readonly { readonly descriptor: Descriptor; readonly bytes: Uint8Array }[];
}

const ANNOTATION = 'org.opencontainers.image.';

/** Makes the artefact of a package. */
export async function artifactOf(files: PackageFiles, facts: ArtifactFacts = {}): Promise<Artifact> {
  const config = blob(EMPTY_CONFIG, Buffer.from('{}'));
  const layer = blob(LAYER_TAR_GZIP, await layerOf(files));
  const annotations = Object.entries(facts)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => [`${ANNOTATION}${name}`, value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: IMAGE_MANIFEST,
      artifactType: PACKAGE_TYPE,
      config: config.descriptor,
      layers: [layer.descriptor],
      ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
    }),
  );
  return { digest: digestOf(manifest), mediaType: IMAGE_MANIFEST, manifest, blobs: [config, layer] };
}

function blob(
  mediaType: string,
  bytes: Uint8Array,
): { readonly descriptor: Descriptor; readonly bytes: Uint8Array } {
  return { descriptor: { mediaType, digest: digestOf(bytes), size: bytes.length }, bytes };
}
