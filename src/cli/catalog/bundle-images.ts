/** Images of the bundles that packages hold. Each follows from its files, so that a catalog can name it before it is pushed. */

import { PorticoError } from '../../error.ts';
import { bundleImageContent, imageBundle, isBundleDirectory } from '../../fbc/bundle-directory.ts';
import type { BundleBlob } from '../../fbc/catalog.ts';
import { imageOf, type Artifact } from '../../oci/artifact.ts';
import { pushArtifact } from '../../oci/push-artifact.ts';
import { parseReference, referenceText, type Reference } from '../../oci/reference.ts';
import type { PackageFiles } from '../../package/package.ts';
import { usageError } from '../exit-code.ts';
import { openRegistry } from '../registry.ts';
import type { Call } from '../verb.ts';

export interface BundleImages {
  /** The bundle as that of its image; undefined for a package that does not hold the files of one. */
  readonly bundleOf: (files: PackageFiles) => Promise<BundleBlob | undefined>;
  /** Pushes those that were asked for, each by the name of its bundle. Throws `BUNDLE_PUBLISHED`. */
  readonly push: () => Promise<void>;
}

/** Images in the repository that `--bundle-images` names; undefined without it. */
export function bundleImagesOf(call: Call): BundleImages | undefined {
  const typed = call.text('bundle-images');
  if (typed === undefined) return undefined;
  const place = parseReference(typed);
  if (place.tag !== undefined || place.digest !== undefined)
    throw usageError(
      '--bundle-images names a repository',
      'Write HOST/REPOSITORY, such as ghcr.io/acme/bundles.',
    );
  const made = new Map<string, Artifact>();
  return {
    async bundleOf(files) {
      if (!isBundleDirectory(files)) return undefined;
      const content = bundleImageContent(files);
      const artifact = await imageOf(content.files, content.labels);
      const bundle = imageBundle(files, referenceText({ ...place, digest: artifact.digest }));
      made.set(bundle.name.replaceAll('+', '_'), artifact);
      return bundle;
    },
    async push() {
      for (const [tag, artifact] of made) await pushOne(call, { ...place, tag }, artifact);
    },
  };
}

/** A published bundle never changes: clusters know it by its name. */
async function pushOne(
  call: Call,
  reference: Reference & { readonly tag: string },
  artifact: Artifact,
): Promise<void> {
  const name = referenceText(reference);
  call.terminal.progress(`pushing ${name}`);
  const pushed = await pushArtifact({
    client: openRegistry(call, reference),
    reference,
    artifact,
    tags: { fixed: [reference.tag], moving: [] },
    signal: call.signal,
  });
  call.terminal.progress('');
  if (!('refused' in pushed)) return;
  const { held, wanted } = pushed.refused;
  throw new PorticoError(
    'BUNDLE_PUBLISHED',
    `${name} is ${held}, but the bundle in its package is ${wanted}`,
    {
      blame: 'user',
      hint: 'A published bundle never changes. Publish the change as another version of the operator.',
    },
  );
}
