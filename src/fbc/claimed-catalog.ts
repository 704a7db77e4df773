/** Bundles that say themselves which channels they are in → the catalog that follows from all of them. */
import type { BundleClaims } from './bundle-record.ts';
import type { BundleBlob, Catalog, ChannelBlob, PackageBlob } from './catalog.ts';
import { skipRangeOf } from './claimed-bundle.ts';
import { readBundle } from './model.ts';
import { packageOfBundles, packagesOfBundles, type AddMode, type OldBundle } from './old-index.ts';
import { describePackage } from './package-description.ts';
import { formatVersion, type Parsed } from './version.ts';

export interface ClaimedBundle {
  readonly bundle: BundleBlob;
  readonly claims: BundleClaims;
}

/** The same for every order of the bundles. A problem where they make no package, such as two of the highest version. */
export function catalogOfClaims(bundles: readonly ClaimedBundle[], mode: AddMode): Parsed<Catalog> {
  const old: OldBundle[] = [];
  const seen = new Map<string, BundleBlob>();
  for (const { bundle, claims } of bundles) {
    const key = `${bundle.package}\n${bundle.name}`;
    const read = readBundle(bundle);
    if (typeof read === 'string') return { problem: read };
    if (!seen.has(key))
      old.push({
        ...claims,
        name: bundle.name,
        package: bundle.package,
        version: formatVersion(read.version),
      });
    seen.set(key, bundle);
  }
  const grouped = packagesOfBundles(old);
  if (grouped.value === undefined) return grouped;
  const packages: PackageBlob[] = [];
  const channels: ChannelBlob[] = [];
  for (const [name, own] of grouped.value) {
    const made = packageOfBundles(own, mode);
    if (made.value === undefined) return { problem: `package ${name}: ${made.problem}` };
    const place = { file: name, line: 1 };
    const found = [...made.value.channels].map(([channel, { entries }]): ChannelBlob => ({
      place,
      package: name,
      name: channel,
      entries: [...entries].flatMap(([entry, { replaces, skips }]) => {
        const bundle = seen.get(`${name}\n${entry}`);
        // What is only named by another is no member.
        return bundle === undefined ? [] : { name: entry, replaces, skips, skipRange: skipRangeOf(bundle) };
      }),
      properties: [],
      extra: {},
    }));
    channels.push(...found);
    const blob: PackageBlob = {
      place,
      name,
      defaultChannel: made.value.defaultChannel,
      description: '',
      properties: [],
      extra: {},
    };
    packages.push(
      describePackage(
        blob,
        found,
        bundles.map(({ bundle }) => bundle),
      ),
    );
  }
  const all = bundles.map(({ bundle }) => bundle);
  return { value: { packages, channels, bundles: all, deprecations: [], others: [] } };
}
