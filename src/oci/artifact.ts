/** A package or catalog as what registries keep: a manifest over one layer. Everything follows from its files and what is said of it. */
import type { PackageFiles } from '../package/package.ts';
import { gzip } from './deflate.ts';
import { digestOf } from './digest.ts';
import { layerOf, tarOf } from './layer.ts';
import type { Descriptor } from './manifest.ts';
import { EMPTY_CONFIG, IMAGE_CONFIG, IMAGE_MANIFEST, LAYER_TAR_GZIP, PACKAGE_TYPE } from './media-types.ts';

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
  return artifact(config, layer, { artifactType: PACKAGE_TYPE, facts });
}

/** The label by which catalogd finds the files of a catalog in its image (operator-controller, `ConfigDirLabel`). */
const CATALOG_LABEL = 'operators.operatorframework.io.index.configs.v1';

/** Makes the image of a catalog, as catalogd and OLM v0 read it: its files below `/configs`. */
export function catalogImageOf(files: PackageFiles, facts: ArtifactFacts = {}): Promise<Artifact> {
  const below = new Map([...files].map(([path, file]) => [`configs/${path}`, file]));
  return imageOf(below, { [CATALOG_LABEL]: '/configs' }, facts);
}

/**
 * Makes an image of files alone, as tools of the field read it.
 *
 * @param labels in their order, which is part of the digest
 */
export async function imageOf(
  files: PackageFiles,
  labels: Readonly<Record<string, string>>,
  facts: ArtifactFacts = {},
): Promise<Artifact> {
  const tar = tarOf(files);
  // No program is in it, so it fits every machine; readers want some platform to be named.
  const config = {
    architecture: 'amd64',
    os: 'linux',
    config: { Labels: labels },
    rootfs: { type: 'layers', diff_ids: [digestOf(tar)] },
  };
  const layer = blob(LAYER_TAR_GZIP, await gzip(tar));
  return artifact(blob(IMAGE_CONFIG, Buffer.from(JSON.stringify(config))), layer, { facts });
}

function artifact(
  config: Artifact['blobs'][number],
  layer: Artifact['blobs'][number],
  { artifactType, facts }: { readonly artifactType?: string; readonly facts: ArtifactFacts },
): Artifact {
  const annotations = Object.entries(facts)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => [`${ANNOTATION}${name}`, value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: IMAGE_MANIFEST,
      ...(artifactType !== undefined && { artifactType }),
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
