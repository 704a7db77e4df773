import type { PackageFiles } from '../package/package.ts';
import { isBundleDirectory, readBundleDirectory } from './bundle-directory.ts';
import { BUNDLE_RECORD, readBundleRecord, type BundleClaims, type BundleRecord } from './bundle-record.ts';
import type { Fields } from './catalog.ts';
import { isMap } from './go-fields.ts';
import { CatalogMistake } from './mistake.ts';
import { readBundle } from './model.ts';
import { textOf } from './read-catalog.ts';
import { readDocuments } from './read-documents.ts';
import { textAt, valueAt } from './value-at.ts';
import { formatVersion } from './version.ts';

const CHANNELS = 'operators.operatorframework.io.bundle.channels.v1';
const DEFAULT_CHANNEL = 'operators.operatorframework.io.bundle.channel.default.v1';

const SKIP_RANGE = 'olm.skipRange';

/** What a package that holds an operator's bundle says of its place in channels. Names are those of bundles. */
export interface OperatorEntry extends Required<BundleClaims> {
  readonly name: string;
  /** SemVer, such as `13.0.1`. */
  readonly version: string;
  /** '' for none. */
  readonly skipRange: string;
}

/**
 * The bundle that a package holds: its manifests and metadata, as the author wrote them, or else the record of an import. Undefined for a
 * package that is none. `above` is put before the record's name in errors. Throws `CATALOG_INVALID`.
 */
export function bundleInPackage(files: PackageFiles, above = ''): BundleRecord | undefined {
  if (isBundleDirectory(files)) return readClaimedBundle(files);
  const record = files.get(BUNDLE_RECORD);
  return record && readBundleRecord(`${above}${BUNDLE_RECORD}`, textOf(BUNDLE_RECORD, record.bytes));
}

/** Null for a package that holds no bundle. Throws `CATALOG_INVALID`, also for what no catalog could hold. */
export function operatorEntry(files: PackageFiles): OperatorEntry | null {
  const record = bundleInPackage(files);
  if (record === undefined) return null;
  const { bundle, claims } = record;
  const read = readBundle(bundle);
  if (typeof read === 'string') throw new CatalogMistake(read, bundle.place);
  const csv = isBundleDirectory(files) ? csvIn(files) : undefined;
  const skipRange = textAt(csv, 'metadata', 'annotations', SKIP_RANGE);
  const { channels = [], defaultChannel = '', replaces = '', skips = [] } = claims ?? {};
  return {
    channels,
    defaultChannel,
    replaces,
    skips,
    name: bundle.name,
    version: formatVersion(read.version),
    skipRange,
  };
}

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
  const csv = csvIn(files);
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

function csvIn(files: PackageFiles): Fields | undefined {
  return documentsIn(files, 'manifests/').find(({ fields }) => fields['kind'] === 'ClusterServiceVersion')
    ?.fields;
}

function documentsIn(files: PackageFiles, folder: string): ReturnType<typeof readDocuments> {
  return [...files]
    .filter(([path]) => path.startsWith(folder) && /\.(?:ya?ml|json)$/.test(path))
    .flatMap(([path, { bytes }]) => readDocuments(path, new TextDecoder().decode(bytes)));
}
