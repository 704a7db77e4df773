/** An image or artefact of a registry → its tree of files. */
import { z } from 'zod';

import type { ArchiveReading } from '../archive/read-archive.ts';
import { PorticoError } from '../error.ts';
import type { PackageFiles } from '../package/package.ts';
import type { Descriptor, ImageIndex, ImageManifest } from './manifest.ts';
import { isImageConfig, isTarLayer } from './media-types.ts';
import { referenceText, type Reference } from './reference.ts';
import type { RegistryClient } from './registry-client.ts';

/** What pulling needs of a registry. */
export type ArtifactSource = Pick<RegistryClient, 'manifest' | 'blob' | 'limits'>;

export interface FetchOptions {
  /** Which image of an index is taken. Default: linux on amd64. */
  readonly platform?: { readonly os: string; readonly architecture: string };
  /** Only what is in this directory, with its whole path, and files at the top: the rest of an image may be anything. */
  readonly directory?: string;
  /** Unpacks the layers, the lowest first. */
  readonly read: (layers: readonly Uint8Array[], directory: string | undefined) => Promise<ArchiveReading>;
  readonly signal?: AbortSignal | undefined;
}

export interface PulledArtifact {
  /** What the reference leads to: of the index where there is one. */
  readonly digest: string;
  /** Of the manifest whose layers were taken. */
  readonly manifestDigest: string;
  readonly artifactType: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  /** Of an image's configuration. */
  readonly labels: Readonly<Record<string, string>>;
  readonly layers: readonly Descriptor[];
  readonly files: PackageFiles;
}

const PLATFORM = { os: 'linux', architecture: 'amd64' };

const imageConfig = z.object({
  config: z.object({ Labels: z.record(z.string(), z.string()).nullish() }).nullish(),
});

/**
 * Fetches what a reference leads to and unpacks it; every byte is what the digests say. Layers of images are put one on
 * another, whiteouts included. Throws `REGISTRY_…`, `HOST_…`, `ADDRESS_REFUSED`, `ARTIFACT_UNREADABLE` and `ARCHIVE_…`.
 */
export async function fetchArtifact(
  client: ArtifactSource,
  reference: Reference,
  options: FetchOptions,
): Promise<PulledArtifact> {
  const { signal, directory } = options;
  const what = referenceText(reference);
  const { digest, manifestDigest, manifest } = await manifestFor(client, reference, options);
  const layers = manifest.layers.filter(({ mediaType }) => isTarLayer(mediaType));
  if (layers.length === 0) {
    throw new PorticoError('ARTIFACT_UNREADABLE', `${what} has no layer that is a tar`, {
      blame: 'user',
      hint: `Its layers are ${manifest.layers.map(({ mediaType }) => mediaType).join(', ') || 'none'}; tar and gzipped tar are read.`,
    });
  }
  const total = layers.reduce((sum, { size }) => sum + size, 0);
  if (total > client.limits.totalBytes) {
    throw new PorticoError(
      'REGISTRY_LIMIT',
      `${what} has ${total} bytes; the limit is ${client.limits.totalBytes}`,
      { blame: 'user', hint: 'Packages and bundles are smaller; check the reference.' },
    );
  }
  const labels = isImageConfig(manifest.config.mediaType)
    ? labelsIn(await client.blob(reference, manifest.config, signal))
    : {};
  const bytes: Uint8Array[] = [];
  for (const layer of layers) bytes.push(await client.blob(reference, layer, signal));
  const read = await options.read(bytes, directory);
  if ('refused' in read) {
    throw new PorticoError(read.refused.code, `${what}: ${read.refused.message}`, {
      blame: 'user',
      hint: 'Nothing was unpacked. An artefact may hold only files and directories.',
    });
  }
  const { artifactType = manifest.config.mediaType, annotations = {} } = manifest;
  return { digest, manifestDigest, artifactType, annotations, labels, layers, files: read.files };
}

async function manifestFor(
  client: ArtifactSource,
  reference: Reference,
  { platform = PLATFORM, signal }: FetchOptions,
): Promise<{
  readonly digest: string;
  readonly manifestDigest: string;
  readonly manifest: ImageManifest;
}> {
  const found = await client.manifest(reference, signal);
  const { digest } = found;
  if (found.kind === 'manifest') return { digest, manifestDigest: digest, manifest: found.manifest };
  const chosen = choose(found.index, platform, referenceText(reference));
  const { registry, repository } = reference;
  const inner = await client.manifest({ registry, repository, digest: chosen.digest }, signal);
  if (inner.kind === 'manifest') return { digest, manifestDigest: inner.digest, manifest: inner.manifest };
  throw new PorticoError('ARTIFACT_UNREADABLE', `${referenceText(reference)} is an index of indexes`, {
    blame: 'user',
    hint: 'Name one of the images in it, by its digest.',
  });
}

/** An index of one thing is that thing; otherwise the platform decides. */
function choose(
  { manifests }: ImageIndex,
  platform: Required<FetchOptions>['platform'],
  what: string,
): Descriptor {
  const { os, architecture } = platform;
  const fitting = manifests.find(
    (one) => one.platform?.os === os && one.platform.architecture === architecture,
  );
  const [only, ...others] = manifests;
  const chosen = fitting ?? (others.length === 0 ? only : undefined);
  if (chosen !== undefined) return chosen;
  throw new PorticoError('ARTIFACT_UNREADABLE', `${what} has no image for ${os} on ${architecture}`, {
    blame: 'user',
    hint: 'Name one of the images in it, by its digest.',
  });
}

function labelsIn(bytes: Uint8Array): Readonly<Record<string, string>> {
  try {
    return imageConfig.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))).config?.Labels ?? {};
  } catch {
    // Labels are what others may ask for; the content does not depend on them.
    return {};
  }
}
