import type { PackageFiles } from '../package/package.ts';
import { readBundleDirectory } from './bundle-directory.ts';
import type { BundleClaims, BundleRecord } from './bundle-record.ts';
import type { BundleBlob } from './catalog.ts';
import { isMap } from './go-fields.ts';
import { readDocuments } from './read-documents.ts';
import { readManifest } from './read-manifest.ts';
import { textAt, valueAt } from './value-at.ts';

const SKIP_RANGE = 'olm.skipRange';
const CHANNELS = 'operators.operatorframework.io.bundle.channels.v1';
const DEFAULT_CHANNEL = 'operators.operatorframework.io.bundle.channel.default.v1';

/**
 * A bundle directory with what it says of itself: its channels in its metadata, and what it replaces and skips in its
 * ClusterServiceVersion. Throws `CATALOG_INVALID`.
 */
export function readClaimedBundle(files: PackageFiles): Required<BundleRecord> {
  const bundle = readBundleDirectory(files);
  const annotations =
    documentsIn(files, 'metadata/')
      .map(({ fields }) => fields['annotations'])
      .find(isMap) ?? {};
  const csv = documentsIn(files, 'manifests/').find(
    ({ fields }) => fields['kind'] === 'ClusterServiceVersion',
  )?.fields;
  const skips = valueAt(csv, 'spec', 'skips');
  const channels = textAt(annotations, CHANNELS)
    .split(',')
    .map((name) => name.trim());
  const claims: BundleClaims = {
    channels: [...new Set(channels.filter((name) => name !== ''))].sort(),
    defaultChannel: textAt(annotations, DEFAULT_CHANNEL),
    replaces: textAt(csv, 'spec', 'replaces'),
    skips: Array.isArray(skips) ? skips.filter((skip) => typeof skip === 'string') : [],
  };
  return { bundle, claims };
}

/** The range of versions that the ClusterServiceVersion of a bundle says it follows; '' for none. */
export function skipRangeOf({ objects }: BundleBlob): string {
  const csv = objects
    .map((manifest) => readManifest(manifest.text()))
    .find((fields) => textAt(fields, 'kind') === 'ClusterServiceVersion');
  return textAt(csv, 'metadata', 'annotations', SKIP_RANGE);
}

function documentsIn(files: PackageFiles, folder: string): ReturnType<typeof readDocuments> {
  return [...files]
    .filter(([path]) => path.startsWith(folder) && /\.(?:ya?ml|json)$/.test(path))
    .flatMap(([path, { bytes }]) => readDocuments(path, new TextDecoder().decode(bytes)));
}
