/** The oldest layout of an operator → a catalog: the same channels, and the bundles with their manifests in them. */
import type { PackageFiles } from '../package/package.ts';
import { bundleFromManifests } from './bundle-directory.ts';
import type { BundleBlob, Catalog, ChannelBlob, PackageBlob } from './catalog.ts';
import { describePackage } from './package-description.ts';
import { readPackageManifests } from './package-manifests.ts';

/** Throws `CATALOG_INVALID`. Bundles that no channel reaches are left out. */
export function catalogOfManifests(files: PackageFiles): Catalog {
  const { name, defaultChannel, channels } = readPackageManifests(files);
  const place = { file: [...files.keys()].find((path) => path.includes('.package.')) ?? '', line: 1 };
  const directories = new Set(
    [...files.keys()].flatMap((path) => (path.includes('/') ? [path.slice(0, path.indexOf('/'))] : [])),
  );
  const bundles = new Map<string, BundleBlob>();
  for (const directory of [...directories].sort()) {
    const bundle = bundleFromManifests(files, `${directory}/`, name);
    bundles.set(bundle.name, bundle);
  }
  const blobs = [...channels].map(([channel, { entries }]): ChannelBlob => ({
    place,
    package: name,
    name: channel,
    entries: [...entries]
      .filter(([entry]) => bundles.has(entry))
      .map(([entry, { replaces, skips }]) => ({ name: entry, replaces, skips, skipRange: '' })),
    properties: [],
    extra: {},
  }));
  const reached = new Set(blobs.flatMap(({ entries }) => entries.map((entry) => entry.name)));
  const offered = [...bundles.values()].filter((bundle) => reached.has(bundle.name));
  const blob: PackageBlob = { place, name, defaultChannel, description: '', properties: [], extra: {} };
  return {
    packages: [describePackage(blob, blobs, offered)],
    channels: blobs,
    bundles: offered,
    deprecations: [],
    others: [],
  };
}
