/** The three lists of a catalog. */
import type { YamlValue } from '../package/yaml/edit.ts';
import { headsOf } from './channel-graph.ts';
import { isMap } from './go-fields.ts';
import { byText } from './go-text.ts';
import type { ModelBundle, ModelPackage } from './model.ts';
import { firstProperty, PROPERTY } from './properties.ts';
import { readManifest } from './read-manifest.ts';

export type ListSubject = 'packages' | 'channels' | 'bundles';

export interface Listing {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Rows by package, channel and name. `packages` are those of a catalog that is in order. */
export function listCatalog(subject: ListSubject, packages: readonly ModelPackage[]): Listing {
  const sorted = packages.toSorted((a, b) => byText(a.name, b.name));
  switch (subject) {
    case 'packages':
      return {
        columns: ['name', 'displayName', 'defaultChannel'],
        rows: sorted.map((one) => [one.name, displayName(one), one.defaultChannel]),
      };
    case 'channels':
      return {
        columns: ['package', 'channel', 'head'],
        rows: sorted.flatMap(({ name, channels }) =>
          [...channels.values()].map((channel) => [
            name,
            channel.name,
            headsOf(channel.entries.values())[0] ?? '',
          ]),
        ),
      };
    case 'bundles':
      return {
        columns: ['package', 'channel', 'bundle', 'replaces', 'skips', 'skipRange', 'image'],
        rows: sorted.flatMap(({ name, channels }) =>
          [...channels.values()].flatMap((channel) =>
            [...channel.entries.values()]
              .toSorted((a, b) => byText(a.name, b.name))
              .map((entry) => [
                name,
                channel.name,
                entry.name,
                entry.replaces,
                entry.skips.join(','),
                entry.skipRange,
                entry.bundle?.blob.image ?? '',
              ]),
          ),
        ),
      };
  }
}

/** What the ClusterServiceVersion of the default channel's head calls itself. */
function displayName({ channels, defaultChannel }: ModelPackage): string {
  const channel = channels.get(defaultChannel);
  const head = headsOf(channel?.entries.values() ?? [])[0];
  const bundle = head === undefined ? undefined : channel?.entries.get(head)?.bundle;
  return bundle === undefined ? '' : (textOf(csvSpec(bundle)['displayName']) ?? '');
}

/** What is known of the bundle's ClusterServiceVersion: its spec, or the metadata that catalogs keep of it. */
export function csvSpec({ blob }: Pick<ModelBundle, 'blob'>): { readonly [name: string]: YamlValue } {
  const metadata = firstProperty(blob.properties, PROPERTY.csvMetadata);
  if (metadata !== undefined) return metadata;
  for (const object of blob.objects) {
    const manifest = readManifest(object.text());
    const spec = manifest?.['spec'];
    if (manifest?.['kind'] === 'ClusterServiceVersion') return isMap(spec) ? spec : {};
  }
  return {};
}

function textOf(value: YamlValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
