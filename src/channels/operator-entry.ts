/** What a package that holds an operator's bundle says of its place in channels. */
import { isBundleDirectory } from '../fbc/bundle-directory.ts';
import {
  BUNDLE_RECORD,
  readBundleRecord,
  type BundleClaims,
  type BundleRecord,
} from '../fbc/bundle-record.ts';
import { readClaimedBundle, skipRangeOf } from '../fbc/claimed-bundle.ts';
import { CatalogMistake } from '../fbc/mistake.ts';
import { readBundle } from '../fbc/model.ts';
import { textOf } from '../fbc/read-catalog.ts';
import { formatVersion } from '../fbc/version.ts';
import type { PackageFiles } from '../package/package.ts';

/** A package that has none of them holds no bundle. */
export const BUNDLE_PLACES = [BUNDLE_RECORD, 'metadata'] as const;

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
  const skipRange = claims === undefined ? '' : skipRangeOf(bundle);
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
