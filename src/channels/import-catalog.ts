/** A file-based catalog → packages, revisions and channel files: a plan, of which nothing is written before all of it is checked. */
import {
  SCHEMA,
  type BundleBlob,
  type Catalog,
  type ChannelBlob,
  type DeprecationBlob,
  type OtherBlob,
  type PackageBlob,
} from '../fbc/catalog.ts';
import { headsOf } from '../fbc/channel-graph.ts';
import { quoted } from '../fbc/go-text.ts';
import type { Problem } from '../fbc/model.ts';
import { readBundle, type ModelBundle } from '../fbc/model.ts';
import { unionCatalogs, type CatalogConflict } from '../fbc/union.ts';
import { validateCatalog } from '../fbc/validate.ts';
import { compareReleases, compareVersions, formatVersion } from '../fbc/version.ts';
import type { YamlValue } from '../package/yaml/edit.ts';
import { channelNameFor } from './channel-name.ts';
import { exportCatalog, packageNameOf, type ExportedPackage } from './export-catalog.ts';
import type { KeptCatalog } from './kept-catalog.ts';

/** A package as it is where the catalog comes to. */
export interface KnownPackage extends ExportedPackage {
  /** Numbers that are taken, also by revisions that are gone. */
  readonly taken: Iterable<number>;
}

export interface NewRevision {
  readonly number: number;
  readonly bundle: BundleBlob;
}

/** What becomes of one package of the catalog. */
export interface ImportedPackage {
  readonly path: string;
  /** In the catalog. */
  readonly name: string;
  /** In the order in which they are made. */
  readonly revisions: readonly NewRevision[];
  /** Bundles that are revisions already. */
  readonly known: number;
  readonly defaultChannel: string;
  readonly channels: readonly ImportedChannel[];
  readonly deprecations: readonly ImportedDeprecation[];
  readonly kept: KeptCatalog;
}

/** As it stands in a channel file. */
export type ImportedDeprecation = {
  readonly reference: { readonly schema: string; readonly name?: string };
  readonly message: string;
};

export interface ImportedChannel {
  readonly name: string;
  readonly head?: number;
  /** As they stand in a channel file, rising. */
  readonly members: readonly { readonly revision: number; readonly value: YamlValue }[];
}

export type CatalogImport =
  | { readonly packages: readonly ImportedPackage[]; readonly others: Catalog; readonly refused?: undefined }
  | { readonly refused: ImportRefusal; readonly packages?: undefined };

export type ImportRefusal =
  | { readonly kind: 'conflicts'; readonly conflicts: readonly CatalogConflict[] }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }
  | { readonly kind: 'other'; readonly message: string };

export interface ImportOptions {
  /** Directory for packages that are not there yet, such as `operators`; '.' for the top. */
  readonly into: string;
  /** The channels, default channel and deprecations of the catalog take the place of what is there. */
  readonly replaceChannels?: boolean;
  /** Bundles that no channel has become revisions all the same: later ones may need them. */
  readonly unoffered?: boolean;
  /** Where each known package stands. */
  readonly known: readonly KnownPackage[];
}

/**
 * Plans the import of catalogs as one set of facts, together with what earlier imports left. The order of the catalogs and of
 * everything in them does not matter, nor whether they come together or one after the other.
 */
export function importCatalogs(catalogs: readonly Catalog[], options: ImportOptions): CatalogImport {
  const added = unionCatalogs(catalogs);
  if (added.catalog === undefined) return { refused: { kind: 'conflicts', conflicts: added.conflicts } };
  const names = new Set(added.catalog.packages.map(({ name }) => name));
  const known = new Map(options.known.map((one) => [packageNameOf(one), one]));
  const before = [...known].filter(([name]) => names.has(name)).map(([, one]) => one);
  const native = before.find(({ kept }) => kept === undefined);
  const taken = [...names]
    .filter((name) => !known.has(name))
    .map((name) => pathFor(name, options.into))
    .find((path) => options.known.some((one) => one.path === path));
  if (native !== undefined) {
    const name = packageNameOf(native);
    const message = `${native.path} is a package that no catalog brought, and a catalog would call it ${name} too`;
    return { refused: { kind: 'other', message } };
  }
  if (taken !== undefined) {
    const message = `${taken} is a package that no catalog brought; name another directory with --into`;
    return { refused: { kind: 'other', message } };
  }
  const union = unionCatalogs([added.catalog, factsOf(before, options.replaceChannels === true)]);
  if (union.catalog === undefined) return { refused: { kind: 'conflicts', conflicts: union.conflicts } };
  const catalog = withoutUnoffered(union.catalog, added.catalog);
  const { errors } = validateCatalog(
    options.unoffered === true ? withoutUnoffered(union.catalog, EMPTY) : catalog,
  );
  if (errors.length > 0) return { refused: { kind: 'invalid', problems: errors } };
  const packages: ImportedPackage[] = [];
  for (const [name, part] of partsOf(catalog)) {
    if (!names.has(name)) continue;
    const planned = new PackageImport(part, name, known.get(name), options.into);
    const message = planned.problem(options.replaceChannels === true);
    if (message !== undefined) return { refused: { kind: 'other', message } };
    packages.push(planned.plan());
  }
  const own = (of: string): boolean => names.has(of);
  const others = catalog.others.filter(({ package: of }) => !own(of));
  return { packages, others: { ...EMPTY, others } };
}

const EMPTY: Catalog = { packages: [], channels: [], bundles: [], deprecations: [], others: [] };

function pathFor(name: string, into: string): string {
  return into === '.' ? name : `${into}/${name}`;
}

/** What is there already, as facts. Bundles stay what they are, also where channels are replaced. */
function factsOf(known: readonly KnownPackage[], replaced: boolean): Catalog {
  const recorded = new Map<string, BundleBlob>();
  for (const { revisions } of known) {
    for (const [, { bundle }] of [...revisions].sort(([a], [b]) => a - b)) {
      const key = `${bundle?.package}\n${bundle?.name}`;
      // A package that was changed since still has the record of the bundle that it was.
      if (bundle !== undefined && !recorded.has(key)) recorded.set(key, bundle);
    }
  }
  if (replaced) return { ...EMPTY, bundles: [...recorded.values()] };
  const { catalog } = exportCatalog(known);
  return { ...catalog, bundles: [...recorded.values(), ...catalog.bundles] };
}

/** Revisions that no channel offers any more stay, and are no part of the catalog. */
function withoutUnoffered(catalog: Catalog, added: Catalog): Catalog {
  const kept = new Set([
    ...added.bundles.map((bundle) => bundleKey(bundle.package, bundle.name)),
    ...catalog.channels.flatMap((channel) =>
      channel.entries.map(({ name }) => bundleKey(channel.package, name)),
    ),
  ]);
  return { ...catalog, bundles: catalog.bundles.filter((one) => kept.has(bundleKey(one.package, one.name))) };
}

function bundleKey(of: string, name: string): string {
  return `${of}\n${name}`;
}

/** The catalog by package, in the order of their names; each document is looked at once. */
function partsOf(catalog: Catalog): [string, Part][] {
  const parts = new Map<string, Part>(
    catalog.packages.map((blob) => [
      blob.name,
      { blob, channels: [], bundles: new Map(), deprecations: [], others: [] },
    ]),
  );
  for (const one of catalog.channels) parts.get(one.package)?.channels.push(one);
  for (const one of catalog.bundles) parts.get(one.package)?.bundles.set(one.name, one);
  for (const one of catalog.deprecations) parts.get(one.package)?.deprecations.push(one);
  for (const one of catalog.others) parts.get(one.package)?.others.push(one);
  return [...parts].sort(([a], [b]) => (a < b ? -1 : 1));
}

interface Part {
  readonly blob: PackageBlob;
  readonly channels: ChannelBlob[];
  readonly bundles: Map<string, BundleBlob>;
  readonly deprecations: DeprecationBlob[];
  readonly others: OtherBlob[];
}

class PackageImport {
  readonly #part: Part;
  readonly #name: string;
  readonly #path: string;
  readonly #known: KnownPackage | undefined;
  /** Bundle → its revision. */
  readonly #numbers = new Map<string, number>();
  readonly #new: NewRevision[] = [];

  constructor(part: Part, name: string, known: KnownPackage | undefined, into: string) {
    [this.#part, this.#name, this.#known] = [part, name, known];
    this.#path = known?.path ?? pathFor(name, into);
    const rising = [...(known?.revisions ?? [])].sort(([a], [b]) => a - b);
    for (const [number, { bundle }] of rising) {
      const isOwn = bundle !== undefined && bundle.package === name && !this.#numbers.has(bundle.name);
      this.#numbers.set(isOwn ? bundle.name : `${name}.v${number}`, number);
    }
    let number = 0;
    for (const taken of known?.taken ?? []) number = Math.max(number, taken);
    for (const [taken] of rising) number = Math.max(number, taken);
    const wanted = [...part.bundles.values()]
      .filter((bundle) => !this.#numbers.has(bundle.name))
      .map((bundle) => ({ bundle, read: readBundle(bundle) }))
      .sort((a, b) => compareRead(a.read, b.read));
    for (const { bundle } of wanted) {
      number += 1;
      this.#numbers.set(bundle.name, number);
      this.#new.push({ number, bundle });
    }
  }

  /** What the channel file cannot hold. */
  problem(replaced: boolean): string | undefined {
    const seen = new Map<string, string>();
    for (const { name, entries } of this.#part.channels) {
      const own = channelNameFor(name);
      const other = seen.get(own);
      if (other !== undefined)
        return `the channels ${quoted(other)} and ${quoted(name)} of ${this.#name} would both be ${own}`;
      seen.set(own, name);
      const there = this.#known?.channels.channels.find((one) => one.name === own);
      if (replaced || there === undefined || (there.mode === 'graph' && there.auto === undefined)) continue;
      const members = new Set(there.members.map(({ revision }) => revision));
      const missing = entries.find((entry) => !members.has(this.#numbers.get(entry.name) ?? 0));
      if (missing !== undefined)
        return `the channel ${own} of ${this.#path} has no edges of its own, and ${quoted(missing.name)} would bring some`;
    }
    return undefined;
  }

  plan(): ImportedPackage {
    const { blob, channels, bundles, deprecations, others } = this.#part;
    return {
      path: this.#path,
      name: this.#name,
      revisions: this.#new,
      known: bundles.size - this.#new.length,
      defaultChannel: channelNameFor(blob.defaultChannel),
      channels: channels.map((channel) => this.#channel(channel)),
      deprecations: this.#deprecations(),
      kept: {
        documents: {
          packages: [blob],
          channels: channels.map((channel) => ({ ...channel, entries: [] })),
          bundles: [],
          deprecations: deprecations.map((one) => ({ ...one, entries: [] })),
          others,
        },
        names: new Map(
          channels.flatMap(({ name }) =>
            channelNameFor(name) === name ? [] : [[channelNameFor(name), name] as const],
          ),
        ),
        edges: new Map(
          channels.flatMap((channel) => {
            const edges = this.#foreignEdges(channel);
            return edges.length === 0 ? [] : [[channel.name, edges] as const];
          }),
        ),
      },
    };
  }

  /** The revision that an edge leads to; none for bundles that the catalog does not have, and for the entry itself. */
  #target(name: string, from: string): number | undefined {
    return name === from ? undefined : this.#numbers.get(name);
  }

  #channel({ name, entries }: ChannelBlob): ImportedChannel {
    const members = entries.flatMap((entry) => {
      const revision = this.#numbers.get(entry.name);
      if (revision === undefined) return [];
      const replaces = this.#target(entry.replaces, entry.name);
      const skips = entry.skips.flatMap((skip) => this.#target(skip, entry.name) ?? []);
      const version = this.#versionOf(entry.name);
      const value: YamlValue = {
        revision: `v${revision}`,
        ...(replaces !== undefined && { replaces: `v${replaces}` }),
        ...(skips.length > 0 && { skips: skips.sort((a, b) => a - b).map((skip) => `v${skip}`) }),
        ...(entry.skipRange !== '' && { skipRange: entry.skipRange }),
        ...(version !== undefined && version !== `${revision}.0.0` && { version }),
      };
      return [{ revision, value }];
    });
    const [head] = headsOf(entries);
    const at = head === undefined ? undefined : this.#numbers.get(head);
    return {
      name: channelNameFor(name),
      ...(at !== undefined && { head: at }),
      members: members.sort((a, b) => a.revision - b.revision),
    };
  }

  #versionOf(name: string): string | undefined {
    const bundle = this.#part.bundles.get(name);
    const read = bundle === undefined ? undefined : readBundle(bundle);
    return typeof read === 'object' ? formatVersion(read.version) : undefined;
  }

  #foreignEdges({ entries }: ChannelBlob): { name: string; replaces: string; skips: readonly string[] }[] {
    return entries.flatMap(({ name, replaces, skips }) => {
      const foreign = {
        name,
        replaces: this.#target(replaces, name) === undefined ? replaces : '',
        skips: skips.filter((skip) => this.#target(skip, name) === undefined),
      };
      return foreign.replaces === '' && foreign.skips.length === 0 ? [] : [foreign];
    });
  }

  #deprecations(): ImportedDeprecation[] {
    return this.#part.deprecations
      .flatMap(({ entries }) => entries)
      .flatMap(({ schema, name, message }): ImportedDeprecation[] => {
        if (schema === SCHEMA.package) return [{ reference: { schema: 'package' }, message }];
        if (schema === SCHEMA.channel)
          return [{ reference: { schema: 'channel', name: channelNameFor(name) }, message }];
        const number = this.#numbers.get(name);
        return number === undefined
          ? []
          : [{ reference: { schema: 'revision', name: `v${number}` }, message }];
      });
  }
}

function compareRead(a: ModelBundle | string, b: ModelBundle | string): number {
  if (typeof a === 'string' || typeof b === 'string')
    return Number(typeof b === 'string') - Number(typeof a === 'string');
  return (
    compareVersions(a.version, b.version) ||
    compareReleases(a.release, b.release) ||
    (a.blob.name < b.blob.name ? -1 : 1)
  );
}
