/**
 * What a catalog says that a channel file has no place for: names, icons, properties, edges to bundles that are not there, and
 * documents of other schemas. It is kept beside the channel file, so that an export gives back what was imported.
 */
import type { Catalog, ChannelEntry } from '../fbc/catalog.ts';
import { isMap } from '../fbc/go-fields.ts';
import { readCatalogDocuments } from '../fbc/read-catalog.ts';
import { readDocuments } from '../fbc/read-documents.ts';
import { mapsOf, textAt, valueAt } from '../fbc/value-at.ts';
import { catalogDocuments, jsonText } from '../fbc/write-catalog.ts';
import type { YamlValue } from '../package/yaml/edit.ts';

export interface KeptCatalog {
  /** Packages and deprecations without entries, channels without entries, and what is of another schema. */
  readonly documents: Catalog;
  /** Names of channels that could not be kept as they are: name in the channel file → name in the catalog. */
  readonly names: ReadonlyMap<string, string>;
  /** Channel of the catalog → its entries that name what is no revision; only that is in them. */
  readonly edges: ReadonlyMap<string, readonly Pick<ChannelEntry, 'name' | 'replaces' | 'skips'>[]>;
}

const API_VERSION = 'config.portico.dev/v1alpha1';

export function writeKeptCatalog({ documents, names, edges }: KeptCatalog): string {
  const value: YamlValue = {
    apiVersion: API_VERSION,
    kind: 'KeptCatalog',
    ...(names.size > 0 && { names: Object.fromEntries([...names].sort(byFirst)) }),
    ...(edges.size > 0 && {
      edges: Object.fromEntries(
        [...edges].sort(byFirst).map(([channel, entries]) => [
          channel,
          entries.map(({ name, replaces, skips }) => ({
            name,
            ...(replaces !== '' && { replaces }),
            ...(skips.length > 0 && { skips }),
          })),
        ]),
      ),
    }),
    documents: catalogDocuments(documents),
  };
  return `${jsonText(value, 2)}\n`;
}

/** Throws `CATALOG_INVALID` for documents that cannot be read. */
export function readKeptCatalog(file: string, text: string): KeptCatalog {
  const [first] = readDocuments(file, text);
  const [names, edges] = [valueAt(first?.fields, 'names'), valueAt(first?.fields, 'edges')];
  const documents = valueAt(first?.fields, 'documents');
  const list = Array.isArray(documents) ? (documents as readonly YamlValue[]) : [];
  return {
    documents: readCatalogDocuments(list, { file, line: 1 }),
    names: new Map(
      Object.entries(isMap(names) ? names : {}).flatMap(([native, name]) =>
        typeof name === 'string' ? [[native, name] as const] : [],
      ),
    ),
    edges: new Map(
      Object.entries(isMap(edges) ? edges : {}).map(([channel, entries]) => [
        channel,
        mapsOf(entries).map((entry) => {
          const skips = valueAt(entry, 'skips');
          return {
            name: textAt(entry, 'name'),
            replaces: textAt(entry, 'replaces'),
            skips: Array.isArray(skips) ? skips.filter((skip) => typeof skip === 'string') : [],
          };
        }),
      ]),
    ),
  };
}

function byFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
