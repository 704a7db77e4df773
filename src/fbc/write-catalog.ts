/** A catalog as text, in the one form that operator-registry gives it: the same documents, the same bytes. */
import type { YamlValue } from '../package/yaml/edit.ts';
import {
  SCHEMA,
  type BundleBlob,
  type Catalog,
  type ChannelBlob,
  type ChannelEntry,
  type DeprecationBlob,
  type PackageBlob,
  type Property,
} from './catalog.ts';
import { byText } from './go-text.ts';
import { goYaml } from './go-yaml.ts';

/** Every document, in canonical order and with its fields in Go's order. */
export function catalogDocuments(catalog: Catalog): YamlValue[] {
  const groups = [...byPackage(catalog)].sort(([a], [b]) => byText(a, b));
  const named = groups.filter(([name]) => name !== '');
  const nameless = groups.filter(([name]) => name === '');
  // What belongs to no package comes last.
  return [...named, ...nameless].flatMap(([, group]) => group.documents());
}

/** YAML documents, each behind `---`. */
export function catalogYaml(catalog: Catalog): string {
  return catalogDocuments(catalog).map(goYaml).join('');
}

/** JSON documents, one after the other, indented by four. */
export function catalogJson(catalog: Catalog): string {
  return catalogDocuments(catalog)
    .map((document) => `${jsonText(document)}\n`)
    .join('');
}

/** The documents on as many lines, for comparing them: the same data, the same text. */
export function documentText(catalog: Catalog): string {
  return catalogDocuments(catalog)
    .map((document) => jsonText(document, 0))
    .join('\n');
}

class Group {
  readonly packages: PackageBlob[] = [];
  readonly channels: ChannelBlob[] = [];
  readonly bundles: BundleBlob[] = [];
  readonly others: { readonly schema: string; readonly name: string; readonly document: YamlValue }[] = [];
  readonly deprecations: DeprecationBlob[] = [];

  documents(): YamlValue[] {
    return [
      ...this.packages.toSorted(byName).map(packageDocument),
      ...this.channels.toSorted(byName).map(channelDocument),
      ...this.bundles.toSorted(byName).map(bundleDocument),
      ...this.others
        .toSorted(
          (a, b) =>
            byText(a.schema, b.schema) || byName(a, b) || byText(goYaml(a.document), goYaml(b.document)),
        )
        .map(({ document }) => document),
      ...this.deprecations.map(deprecationDocument),
    ];
  }
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return byText(a.name, b.name);
}

function byPackage({ packages, channels, bundles, others, deprecations }: Catalog): Map<string, Group> {
  const groups = new Map<string, Group>();
  const group = (name: string): Group => {
    const found = groups.get(name) ?? new Group();
    groups.set(name, found);
    return found;
  };
  for (const blob of packages) group(blob.name).packages.push(blob);
  for (const blob of channels) group(blob.package).channels.push(blob);
  for (const blob of bundles) group(blob.package).bundles.push(blob);
  for (const { schema, name, package: of, fields } of others) {
    group(of).others.push({ schema, name, document: sorted(fields) });
  }
  for (const blob of deprecations) group(blob.package).deprecations.push(blob);
  return groups;
}

function packageDocument(blob: PackageBlob): YamlValue {
  const { name, defaultChannel, icon, description, properties, extra } = blob;
  return {
    schema: SCHEMA.package,
    name,
    defaultChannel,
    ...(icon && { icon: { base64data: icon.base64data, mediatype: icon.mediatype } }),
    ...(description !== '' && { description }),
    ...propertiesField(properties),
    ...sortedFields(extra),
  };
}

function channelDocument({ name, package: of, entries, properties, extra }: ChannelBlob): YamlValue {
  return {
    schema: SCHEMA.channel,
    name,
    package: of,
    entries: entries.map(entryDocument),
    ...propertiesField(properties),
    ...sortedFields(extra),
  };
}

function entryDocument({ name, replaces, skips, skipRange }: ChannelEntry): YamlValue {
  return {
    name,
    ...(replaces !== '' && { replaces }),
    ...(skips.length > 0 && { skips }),
    ...(skipRange !== '' && { skipRange }),
  };
}

function bundleDocument(blob: BundleBlob): YamlValue {
  const { name, package: of, image, properties, relatedImages, extra } = blob;
  return {
    schema: SCHEMA.bundle,
    name,
    package: of,
    image,
    ...propertiesField(properties),
    ...(relatedImages.length > 0 && {
      relatedImages: relatedImages.map((related) => ({ name: related.name, image: related.image })),
    }),
    ...sortedFields(extra),
  };
}

function deprecationDocument({ package: of, entries, extra }: DeprecationBlob): YamlValue {
  return {
    schema: SCHEMA.deprecations,
    package: of,
    entries: entries.map(({ schema, name, message }) => ({
      reference: { schema, ...(name !== '' && { name }) },
      message,
    })),
    ...sortedFields(extra),
  };
}

function propertiesField(properties: readonly Property[]): { readonly properties?: YamlValue } {
  if (properties.length === 0) return {};
  return { properties: properties.map(({ type, value }) => ({ type, value: sorted(value ?? null) })) };
}

function sortedFields(fields: { readonly [name: string]: YamlValue }): {
  readonly [name: string]: YamlValue;
} {
  return Object.fromEntries(
    Object.entries(fields)
      .sort(([a], [b]) => byText(a, b))
      .map(([name, value]) => [name, sorted(value)]),
  );
}

/** The same data with the keys of its maps in order. */
function sorted(value: YamlValue): YamlValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly YamlValue[]).map(sorted);
  const map = Object.create(null) as Record<string, YamlValue>;
  const fields = value as { readonly [name: string]: YamlValue };
  for (const name of Object.keys(fields).sort(byText)) map[name] = sorted(fields[name] ?? null);
  return map;
}

/** JSON in which integers past 2^53 keep their digits. */
export function jsonText(value: YamlValue, indent = 4): string {
  return JSON.stringify(
    value,
    (_key, item: unknown) => (typeof item === 'bigint' ? JSON.rawJSON(`${item}`) : item),
    indent,
  );
}
