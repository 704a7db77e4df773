/** Files → a catalog, as operator-registry loads them. The order of the files does not matter. */

import type { PackageFiles } from '../package/package.ts';
import { decodeText, UnreadableFile } from '../package/render/read-resources.ts';
import type { YamlValue } from '../package/yaml/edit.ts';
import {
  SCHEMA,
  type BundleBlob,
  type Catalog,
  type ChannelBlob,
  type DeprecationBlob,
  type Fields,
  type OtherBlob,
  type PackageBlob,
  type Place,
  type Property,
} from './catalog.ts';
import { FieldReader, TypeMistake } from './go-fields.ts';
import { byText, listed, quoted } from './go-text.ts';
import { indexIgnore } from './index-ignore.ts';
import { MAX_CATALOG_CHARACTERS, MAX_DOCUMENTS, MAX_ENTRIES } from './limits.ts';
import { CatalogMistake } from './mistake.ts';
import { bundleObjects, parseProperties, PropertyMistake } from './properties.ts';
import { readDocuments } from './read-documents.ts';

/**
 * Reads every file below a directory but those that `.indexignore` names. Throws `CATALOG_INVALID` with file and line for
 * what cannot be read, and `CATALOG_LIMIT` past a limit.
 */
export function readCatalog(files: PackageFiles): Catalog {
  const ignored = indexIgnore(files);
  const collector = new Collector(files);
  for (const path of [...files.keys()].sort(byText)) {
    if (ignored(path)) continue;
    const file = files.get(path);
    if (file !== undefined) collector.readFile(path, file.bytes);
  }
  return collector.catalog;
}

/** Documents that stand in a list, such as the entries of a template. */
export function readCatalogDocuments(documents: readonly YamlValue[], place: Place): Catalog {
  const collector = new Collector(new Map());
  for (const [at, value] of documents.entries()) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new CatalogMistake(`entry ${at} is not a map`, place);
    }
    collector.add(value as Fields, place);
  }
  return collector.catalog;
}

class Collector {
  readonly #files: PackageFiles;
  #characters = 0;
  #documents = 0;
  #entries = 0;
  readonly catalog = {
    packages: [] as PackageBlob[],
    channels: [] as ChannelBlob[],
    bundles: [] as BundleBlob[],
    deprecations: [] as DeprecationBlob[],
    others: [] as OtherBlob[],
  };

  constructor(files: PackageFiles) {
    this.#files = files;
  }

  readFile(path: string, bytes: Uint8Array): void {
    this.#characters += bytes.length;
    if (this.#characters > MAX_CATALOG_CHARACTERS) throw tooLarge('bytes', MAX_CATALOG_CHARACTERS);
    for (const { line, fields } of readDocuments(path, textOf(path, bytes))) {
      this.add(fields, { file: path, line });
    }
  }

  add(fields: Fields, place: Place): void {
    this.#documents += 1;
    if (this.#documents > MAX_DOCUMENTS) throw tooLarge('documents', MAX_DOCUMENTS);
    const meta = metaOf(fields, place);
    try {
      this.#addTyped(meta, fields, place);
    } catch (error) {
      if (!(error instanceof TypeMistake)) throw error;
      throw new CatalogMistake(`parse ${meta.schema.replace(/^olm\./, '')}: ${error.message}`, place);
    }
  }

  #addTyped(meta: Meta, fields: Fields, place: Place): void {
    switch (meta.schema) {
      case SCHEMA.package:
        this.catalog.packages.push(packageOf(fields, place));
        return;
      case SCHEMA.channel: {
        const channel = channelOf(fields, place);
        this.#entries += channel.entries.reduce((sum, { skips }) => sum + 1 + skips.length, 0);
        if (this.#entries > MAX_ENTRIES) throw tooLarge('channel entries and skips', MAX_ENTRIES);
        this.catalog.channels.push(channel);
        return;
      }
      case SCHEMA.bundle:
        this.catalog.bundles.push(bundleOf(fields, place, this.#files));
        return;
      case SCHEMA.deprecations:
        this.catalog.deprecations.push(deprecationOf(fields, place));
        return;
      default:
        this.catalog.others.push({ ...meta, place, fields });
    }
  }
}

function tooLarge(what: string, limit: number): CatalogMistake {
  return new CatalogMistake(`the catalog has more than ${limit} ${what}`, {}, 'CATALOG_LIMIT');
}

/** The text of a file; throws CatalogMistake where it is no UTF-8. */
export function textOf(path: string, bytes: Uint8Array): string {
  try {
    return decodeText(path, bytes);
  } catch (error) {
    if (error instanceof UnreadableFile) throw new CatalogMistake('not UTF-8 text', { file: path });
    throw error;
  }
}

interface Meta {
  readonly schema: string;
  readonly package: string;
  readonly name: string;
}

/** The three keys that every document may have, in any case; one key written in two cases is refused. */
function metaOf(fields: Fields, place: Place): Meta {
  const keys = new Map<string, string[]>();
  for (const key of Object.keys(fields)) {
    const folded = key.toLowerCase();
    keys.set(folded, [...(keys.get(folded) ?? []), key]);
  }
  for (const [folded, written] of keys) {
    if (written.length < 2) continue;
    const all = listed(written.toSorted(byText));
    throw new CatalogMistake(`duplicate keys for key ${quoted(folded)}: ${all}`, place);
  }
  const text = (name: string): string => {
    const [key] = keys.get(name) ?? [];
    const value = key === undefined ? '' : fields[key];
    if (typeof value === 'string') return value;
    const shown = goValue(value ?? null);
    throw new CatalogMistake(
      `expected value for key ${quoted(key ?? name)} to be a string, got ${shown}: ${shown}`,
      place,
    );
  };
  const meta = { schema: text('schema'), package: text('package'), name: text('name') };
  if (meta.schema === '') {
    const start = JSON.stringify(fields, (_key, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    );
    throw new CatalogMistake(`object '${start.slice(0, 200)}' is missing root schema field`, place);
  }
  return meta;
}

/** Go's `%v`, for values that are shown because they are wrong. */
function goValue(value: YamlValue): string {
  const text = ((): string => {
    if (value === null) return '<nil>';
    if (Array.isArray(value)) return listed((value as readonly YamlValue[]).map(goValue));
    if (typeof value !== 'object') return String(value);
    const entries = Object.entries(value as Fields).sort(([a], [b]) => byText(a, b));
    return `map${listed(entries.map(([key, item]) => `${key}:${goValue(item)}`))}`;
  })();
  return text.slice(0, 200);
}

function packageOf(fields: Fields, place: Place): PackageBlob {
  const reader = new FieldReader(fields, 'Package');
  reader.value('schema');
  const icon = reader.map('icon', 'Icon', 'declcfg.Icon');
  return {
    place,
    name: reader.text('name'),
    defaultChannel: reader.text('defaultChannel'),
    description: reader.text('description'),
    ...(icon && { icon: { base64data: icon.text('base64data'), mediatype: icon.text('mediatype') } }),
    properties: propertiesOf(reader),
    extra: reader.rest(),
  };
}

function channelOf(fields: Fields, place: Place): ChannelBlob {
  const reader = new FieldReader(fields, 'Channel');
  reader.value('schema');
  return {
    place,
    package: reader.text('package'),
    name: reader.text('name'),
    entries: reader.maps('entries', 'ChannelEntry', 'declcfg.ChannelEntry').map((entry) => ({
      name: entry.text('name'),
      replaces: entry.text('replaces'),
      skips: entry.texts('skips'),
      skipRange: entry.text('skipRange'),
    })),
    properties: propertiesOf(reader),
    extra: reader.rest(),
  };
}

function bundleOf(fields: Fields, place: Place, files: PackageFiles): BundleBlob {
  const reader = new FieldReader(fields, 'Bundle');
  reader.value('schema');
  const blob = {
    place,
    package: reader.text('package'),
    name: reader.text('name'),
    image: reader.text('image'),
    properties: propertiesOf(reader),
    relatedImages: reader.maps('relatedImages', 'RelatedImage', 'declcfg.RelatedImage').map((related) => ({
      name: related.text('name'),
      image: related.text('image'),
    })),
    extra: reader.rest(),
  };
  const of = `package ${quoted(blob.package)}, bundle ${quoted(blob.name)}`;
  try {
    return { ...blob, objects: bundleObjects(parseProperties(blob.properties), files, place.file) };
  } catch (error) {
    if (!(error instanceof PropertyMistake)) throw error;
    throw new CatalogMistake(`read bundle objects: ${of}: ${error.message}`, place);
  }
}

function deprecationOf(fields: Fields, place: Place): DeprecationBlob {
  const reader = new FieldReader(fields, 'Deprecation');
  reader.value('schema');
  const entries = reader.maps('entries', 'DeprecationEntry', 'declcfg.DeprecationEntry').map((entry) => {
    const reference = entry.map('reference', 'PackageScopedReference', 'declcfg.PackageScopedReference');
    return {
      schema: reference?.text('schema') ?? '',
      name: reference?.text('name') ?? '',
      message: entry.text('message'),
    };
  });
  return { place, package: reader.text('package'), entries, extra: reader.rest() };
}

function propertiesOf(reader: FieldReader): readonly Property[] {
  return reader.maps('properties', 'Property', 'property.Property').map((property) => {
    const type = property.text('type');
    const value = property.raw('value');
    return value === undefined ? { type } : { type, value };
  });
}
