/**
 * Catalogs as sets. A catalog is a set of facts, each with its key: packages, channels, entries of channels, bundles, deprecations.
 * Putting catalogs together is the union of their facts; one key with two contents is a conflict. So neither the order nor
 * the partition of what is put together says anything, nor does repetition.
 */
import {
  SCHEMA,
  type BundleBlob,
  type Catalog,
  type ChannelBlob,
  type ChannelEntry,
  type DeprecationBlob,
  type DeprecationEntry,
  type OtherBlob,
  type PackageBlob,
  type Place,
} from './catalog.ts';
import { byText, quoted } from './go-text.ts';
import { readBundle, type ModelBundle } from './model.ts';
import { compareReleases, compareVersions } from './version.ts';
import { documentText } from './write-catalog.ts';

/** One key with several contents, and where each of them stands. */
export interface CatalogConflict {
  /** Such as `bundle "a.v1" of package "a"`. */
  readonly key: string;
  readonly places: readonly string[];
}

export type Union =
  | { readonly catalog: Catalog; readonly conflicts?: undefined }
  | { readonly conflicts: readonly CatalogConflict[]; readonly catalog?: undefined };

/** The catalog of all facts of these, in its canonical form, or everything that contradicts. */
export function unionCatalogs(catalogs: Iterable<Catalog>): Union {
  const facts = new Facts();
  for (const catalog of catalogs) facts.addAll(catalog);
  const conflicts = facts.conflicts();
  return conflicts.length === 0 ? { catalog: facts.catalog() } : { conflicts };
}

/** Facts of one kind by their keys; every content that a key has, with the places where it stands. */
class FactTable<Fact> {
  readonly #byKey = new Map<string, Map<string, { readonly fact: Fact; readonly places: Set<string> }>>();

  add(key: string, content: string, fact: Fact, { file, line }: Place): void {
    const contents = this.#byKey.get(key) ?? new Map<string, { fact: Fact; places: Set<string> }>();
    this.#byKey.set(key, contents);
    const known = contents.get(content) ?? { fact, places: new Set<string>() };
    contents.set(content, known);
    known.places.add(`${file}:${line}`);
  }

  get facts(): Fact[] {
    return [...this.#byKey]
      .sort(([a], [b]) => byText(a, b))
      .flatMap(([, contents]) => [...contents.values()].map(({ fact }) => fact));
  }

  get conflicts(): CatalogConflict[] {
    return [...this.#byKey].flatMap(([key, contents]) => {
      if (contents.size < 2) return [];
      const places = [...contents.values()].flatMap((one) => [...one.places]);
      return [{ key, places: [...new Set(places)].sort(byText) }];
    });
  }
}

interface EntryFact {
  readonly channel: string;
  readonly entry: ChannelEntry;
}

interface DeprecationFact {
  readonly package: string;
  readonly entry: DeprecationEntry;
}

class Facts {
  readonly #packages = new FactTable<PackageBlob>();
  readonly #channels = new FactTable<ChannelBlob>();
  readonly #entries = new FactTable<EntryFact>();
  readonly #bundles = new FactTable<BundleBlob>();
  readonly #deprecated = new FactTable<DeprecationBlob>();
  readonly #deprecations = new FactTable<DeprecationFact>();
  readonly #others = new FactTable<OtherBlob>();

  addAll({ packages, channels, bundles, deprecations, others }: Catalog): void {
    for (const blob of packages)
      this.#packages.add(`package ${quoted(blob.name)}`, textOf({ packages: [blob] }), blob, blob.place);
    for (const blob of channels) this.#addChannel(blob);
    for (const blob of bundles) {
      const key = `bundle ${quoted(blob.name)} of package ${quoted(blob.package)}`;
      this.#bundles.add(key, textOf({ bundles: [blob] }), blob, blob.place);
    }
    for (const blob of deprecations) this.#addDeprecations(blob);
    // Nobody knows what is the key of a document of another schema: each content is a fact of its own.
    for (const blob of others) {
      const text = textOf({ others: [blob] });
      this.#others.add(text, text, blob, blob.place);
    }
  }

  #addChannel(blob: ChannelBlob): void {
    const key = `channel ${quoted(blob.name)} of package ${quoted(blob.package)}`;
    const bare = { ...blob, entries: [] };
    this.#channels.add(key, textOf({ channels: [bare] }), bare, blob.place);
    for (const entry of blob.entries) {
      const plain = { ...entry, skips: [...new Set(entry.skips)].sort(byText) };
      const text = JSON.stringify([plain.name, plain.replaces, plain.skips, plain.skipRange]);
      this.#entries.add(
        `entry ${quoted(entry.name)} of ${key}`,
        text,
        { channel: key, entry: plain },
        blob.place,
      );
    }
  }

  #addDeprecations(blob: DeprecationBlob): void {
    const key = `deprecations of package ${quoted(blob.package)}`;
    const bare = { ...blob, entries: [] };
    this.#deprecated.add(key, textOf({ deprecations: [bare] }), bare, blob.place);
    for (const entry of blob.entries) {
      const what = `${entry.schema} ${quoted(entry.name)}`;
      const fact = { package: blob.package, entry };
      this.#deprecations.add(`deprecation of ${what} in ${key}`, entry.message, fact, blob.place);
    }
  }

  conflicts(): CatalogConflict[] {
    return [
      this.#packages,
      this.#channels,
      this.#entries,
      this.#bundles,
      this.#deprecated,
      this.#deprecations,
      this.#others,
    ]
      .flatMap((table) => table.conflicts)
      .sort((a, b) => byText(a.key, b.key));
  }

  catalog(): Catalog {
    const bundles = this.#bundles.facts;
    const versions = new Map(bundles.map((blob) => [`${blob.package}\n${blob.name}`, readBundle(blob)]));
    const entries = new Map<string, ChannelEntry[]>();
    for (const { channel, entry } of this.#entries.facts) push(entries, channel, entry);
    const deprecations = new Map<string, DeprecationEntry[]>();
    for (const { package: of, entry } of this.#deprecations.facts) push(deprecations, of, entry);
    return {
      packages: this.#packages.facts,
      channels: this.#channels.facts.map((blob) => {
        const own = entries.get(`channel ${quoted(blob.name)} of package ${quoted(blob.package)}`) ?? [];
        const versionOf = ({ name }: ChannelEntry): ModelBundle | string | undefined =>
          versions.get(`${blob.package}\n${name}`);
        const byVersion = (a: ChannelEntry, b: ChannelEntry): number =>
          compareRead(versionOf(a), versionOf(b)) || byText(a.name, b.name);
        return { ...blob, entries: own.sort(byVersion) };
      }),
      bundles,
      deprecations: this.#deprecated.facts.map((blob) => ({
        ...blob,
        entries: (deprecations.get(blob.package) ?? []).sort(
          (a, b) => rankOf(a) - rankOf(b) || byText(a.schema, b.schema) || byText(a.name, b.name),
        ),
      })),
      others: this.#others.facts,
    };
  }
}

function push<Item>(map: Map<string, Item[]>, key: string, item: Item): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [item]);
  else known.push(item);
}

/** What has no version comes first. */
function compareRead(a: ModelBundle | string | undefined, b: ModelBundle | string | undefined): number {
  if (typeof a !== 'object' || typeof b !== 'object')
    return Number(typeof a === 'object') - Number(typeof b === 'object');
  return compareVersions(a.version, b.version) || compareReleases(a.release, b.release);
}

/** The package, then channels, then bundles. */
function rankOf({ schema }: DeprecationEntry): number {
  const at = [SCHEMA.package, SCHEMA.channel, SCHEMA.bundle].findIndex((known) => known === schema);
  return at === -1 ? 3 : at;
}

function textOf(part: Partial<Catalog>): string {
  return documentText({ packages: [], channels: [], bundles: [], deprecations: [], others: [], ...part });
}
