/** What a registry keeps below a tag or digest: a manifest, or an index of manifests. */
import { z } from 'zod';

import { PorticoError } from '../error.ts';
import { isDigest } from './digest.ts';
import { IMAGE_INDEX, IMAGE_MANIFEST, INDEX_TYPES, MANIFEST_TYPES } from './media-types.ts';

/** A manifest larger than this is refused by registries, too (distribution specification, "Pushing Manifests"). */
export const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
const MAX_LAYERS = 128;
const MAX_MANIFESTS = 1_000;

const annotations = z.record(z.string(), z.string()).optional();

const descriptor = z.object({
  mediaType: z.string().min(1).max(255),
  digest: z.string().refine(isDigest, 'is not a digest'),
  size: z.int().min(0),
  annotations,
  artifactType: z.string().max(255).optional(),
});

const platform = z.object({
  architecture: z.string(),
  os: z.string(),
  variant: z.string().optional(),
});

const manifest = z.object({
  schemaVersion: z.literal(2),
  mediaType: z.string().optional(),
  artifactType: z.string().max(255).optional(),
  config: descriptor,
  layers: z.array(descriptor).max(MAX_LAYERS),
  manifests: z.undefined().optional(),
  annotations,
});

const index = z.object({
  schemaVersion: z.literal(2),
  mediaType: z.string().optional(),
  artifactType: z.string().max(255).optional(),
  manifests: z.array(descriptor.extend({ platform: platform.optional() })).max(MAX_MANIFESTS),
  config: z.undefined().optional(),
  layers: z.undefined().optional(),
  annotations,
});

/** Names content in a registry. */
export type Descriptor = z.infer<typeof descriptor>;
export type ImageManifest = z.infer<typeof manifest>;
export type ImageIndex = z.infer<typeof index>;

export type Manifest =
  | { readonly kind: 'manifest'; readonly manifest: ImageManifest }
  | { readonly kind: 'index'; readonly index: ImageIndex };

/**
 * Reads a manifest that the registry says to be of a media type. One that can be read in two ways is refused: it would be
 * another content for another program (CVE-2021-41190). Throws `ARTIFACT_UNREADABLE`.
 *
 * @param what names it in messages
 */
export function parseManifest(bytes: Uint8Array, mediaType: string, what: string): Manifest {
  const unreadable = (why: string): PorticoError =>
    new PorticoError('ARTIFACT_UNREADABLE', `${what}: ${why}`, {
      blame: 'user',
      hint: 'Images and artefacts with OCI or Docker manifests of version 2 are read.',
    });
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw unreadable('its manifest is not valid JSON');
  }
  const [type] = mediaType.split(';', 1).map((part) => part.trim().toLowerCase());
  const within = mediaTypeIn(parsed);
  // Servers that know nothing of manifests call every file by another name.
  const known = [...MANIFEST_TYPES, ...INDEX_TYPES].find((one) => one === type);
  if (known !== undefined && within !== undefined && within !== known) {
    throw unreadable(`the registry declares it as ${known}, but it declares itself as ${within}`);
  }
  const isIndex = INDEX_TYPES.includes(known ?? within ?? guess(parsed));
  const read = (isIndex ? index : manifest).safeParse(parsed);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw unreadable(
      `its manifest is not as it should be: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
    );
  }
  return isIndex
    ? { kind: 'index', index: read.data as ImageIndex }
    : { kind: 'manifest', manifest: read.data as ImageManifest };
}

function mediaTypeIn(manifest: unknown): string | undefined {
  const type = (manifest as { mediaType?: unknown } | null)?.mediaType;
  return typeof type === 'string' ? type : undefined;
}

function guess(manifest: unknown): string {
  return typeof manifest === 'object' && manifest !== null && 'manifests' in manifest
    ? IMAGE_INDEX
    : IMAGE_MANIFEST;
}
