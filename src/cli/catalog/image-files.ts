import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PorticoError } from '../../error.ts';
import { digestOf, isDigest } from '../../oci/digest.ts';
import type { ArtifactSource, PulledArtifact } from '../../oci/fetch-artifact.ts';
import { parseManifest } from '../../oci/manifest.ts';
import { pullArtifact } from '../../oci/pull-artifact.ts';
import { parseReference, referenceText } from '../../oci/reference.ts';
import { REGISTRY_LIMITS } from '../../oci/registry-limits.ts';
import { openRegistry } from '../registry.ts';
import { reasonOf } from '../system-error.ts';
import type { Call } from '../verb.ts';

/** The files of an image. Throws `IMAGE_FLOATS` for one that is not named by its digest. */
export type ReadImage = (image: string) => Promise<Pick<PulledArtifact, 'files' | 'labels'>>;

/** Images of registries, or with `--layout` of a directory in the layout of the Open Container Initiative. */
export function openImages(call: Call): ReadImage {
  const layout = call.text('layout');
  return (image) => {
    const reference = parseReference(image);
    if (reference.digest === undefined) {
      throw new PorticoError('IMAGE_FLOATS', `${image} has no digest, and a tag may move`, {
        blame: 'user',
        hint: 'Write NAME@sha256:…; portico pull and skopeo inspect print the digest.',
      });
    }
    const client = layout === undefined ? openRegistry(call, reference) : layoutClient(call.path(layout));
    return pullArtifact(client, reference, { signal: call.signal });
  };
}

/** Content of a layout by its digest. What has other bytes than its name says is refused. */
function layoutClient(directory: string): ArtifactSource {
  const bytesOf = (digest: string): Uint8Array => {
    const [algorithm = '', hash = ''] = isDigest(digest) ? digest.split(':') : [];
    let bytes: Uint8Array;
    try {
      bytes = readFileSync(join(directory, 'blobs', algorithm, hash));
    } catch (cause) {
      throw new PorticoError('LAYOUT_MISSING', `${directory} has no ${digest}: ${reasonOf(cause)}`, {
        blame: 'user',
        cause,
        hint: 'Copy the image there: skopeo copy docker://NAME oci:DIR',
      });
    }
    if (algorithm !== 'sha256' || digestOf(bytes) === digest) return bytes;
    throw new PorticoError(
      'LAYOUT_DIGEST',
      `${directory}: the file named ${digest} has the digest ${digestOf(bytes)}`,
      { blame: 'user', hint: 'The directory was changed; copy the image again.' },
    );
  };
  return {
    limits: REGISTRY_LIMITS,
    manifest: (reference) => {
      const { digest = '' } = reference;
      const bytes = bytesOf(digest);
      const manifest = parseManifest(bytes, '', referenceText(reference));
      const mediaType = manifest.kind === 'index' ? manifest.index.mediaType : manifest.manifest.mediaType;
      return Promise.resolve({ ...manifest, digest, mediaType: mediaType ?? '', bytes });
    },
    blob: (_reference, { digest }) => Promise.resolve(bytesOf(digest)),
  };
}
