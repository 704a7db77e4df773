/** Packages with their channels → a file-based catalog. */

import { PorticoError } from '../error.ts';
import { bundleObject, goJson } from '../fbc/bundle-object.ts';
import {
  SCHEMA,
  type BundleBlob,
  type Catalog,
  type ChannelBlob,
  type ChannelEntry,
  type DeprecationEntry,
  type Fields,
  type Property,
} from '../fbc/catalog.ts';
import { labelProblems } from '../fbc/label.ts';
import { readBundle } from '../fbc/model.ts';
import { PROPERTY } from '../fbc/properties.ts';
import { unionCatalogs } from '../fbc/union.ts';
import { compareVersions, formatVersion, parseVersion, type Version } from '../fbc/version.ts';
import { graphOf } from './channel-graph.ts';
import { channelGraphInput } from './check-channels.ts';
import type { KeptCatalog } from './kept-catalog.ts';
import type { ChannelDocument, DeprecationDocument, PackageChannels } from './package-channels.ts';

export interface ExportedRevision {
  readonly commit: string;
  readonly tree?: string;
  /** The bundle that it was imported as; absent for what is a package of its own. */
  readonly bundle?: BundleBlob;
  /** Resources of the package, for what has no bundle. */
  readonly objects?: readonly Fields[];
}

export interface ExportedPackage {
  readonly path: string;
  readonly channels: PackageChannels;
  readonly kept?: KeptCatalog;
  /** By number. */
  readonly revisions: ReadonlyMap<number, ExportedRevision>;
}

export interface CatalogExport {
  readonly catalog: Catalog;
  /** What is left out, in sentences. */
  readonly notes: readonly string[];
}

/**
 * The catalog that offers what these channels offer: who may be upgraded to what is the same in both. Throws
 * `EXPORT_REFUSED` where a catalog cannot say it.
 *
 * @param repository `owner/name` that is told as where revisions are from
 */
export function exportCatalog(packages: readonly ExportedPackage[], repository?: string): CatalogExport {
  const owners = new Map<string, string>();
  const notes: string[] = [];
  const parts = packages.map((one) => {
    const name = checkedName(one);
    const other = owners.get(name);
    if (other !== undefined) {
      throw refused(
        `${other} and ${one.path} would both be the package ${name}`,
        'Export one with --package.',
      );
    }
    owners.set(name, one.path);
    return new PackageExport(one, name, repository, notes).catalog();
  });
  const { catalog, conflicts } = unionCatalogs(parts);
  if (catalog !== undefined) return { catalog, notes };
  const [first] = conflicts;
  throw refused(`the ${first?.key ?? ''} is listed twice`, 'Two packages hold the same bundle.');
}

function refused(message: string, hint: string): PorticoError {
  return new PorticoError('EXPORT_REFUSED', message, { blame: 'user', hint });
}

/** The name in the catalog: that of the import, or what the newest bundle says, or the path with dashes. */
export function packageNameOf({ path, kept, revisions }: ExportedPackage): string {
  const imported = kept?.documents.packages[0]?.name;
  if (imported !== undefined) return imported;
  const newest = Math.max(0, ...[...revisions].flatMap(([number, { bundle }]) => (bundle ? number : [])));
  return revisions.get(newest)?.bundle?.package ?? path.replaceAll('/', '-');
}

function checkedName(one: ExportedPackage): string {
  const { path } = one;
  const name = packageNameOf(one);
  const [wrong] = labelProblems(name);
  if (wrong === undefined) return name;
  throw refused(`the package ${path} cannot be in a catalog: ${wrong}`, 'Exclude it with --package.');
}

/** Revisions that some channel offers: only these are exported. */
export function offeredRevisions({ channels, revisions }: ExportedPackage): ReadonlySet<number> {
  const published = new Set(revisions.keys());
  return new Set(channels.channels.flatMap((channel) => graphOf(channelGraphInput(channel, published)).live));
}

class PackageExport {
  readonly #from: ExportedPackage;
  readonly #name: string;
  readonly #repository: string | undefined;
  readonly #notes: string[];
  readonly #bundles = new Map<number, BundleBlob>();
  readonly #versions = new Map<number, Version>();

  constructor(from: ExportedPackage, name: string, repository: string | undefined, notes: string[]) {
    [this.#from, this.#name, this.#repository, this.#notes] = [from, name, repository, notes];
    const taken = new Set<string>();
    for (const number of [...offeredRevisions(from)].sort((a, b) => a - b)) {
      const revision = from.revisions.get(number);
      if (revision === undefined) {
        notes.push(`${from.path}: v${number} has no tag and is skipped`);
        continue;
      }
      const own = revision.bundle;
      // What was changed since the import is a bundle of its own, though it still has the file.
      const isImported = own !== undefined && own.package === name && !taken.has(own.name);
      const bundle = isImported ? own : this.#bundleOf(number, revision);
      taken.add(bundle.name);
      this.#bundles.set(number, bundle);
      const read = readBundle(bundle);
      if (typeof read !== 'string') this.#versions.set(number, read.version);
    }
  }

  catalog(): Catalog {
    const { channels, kept } = this.#from;
    const place = { file: this.#from.path, line: 1 };
    const [known] = kept?.documents.packages ?? [];
    const defaultChannel = this.#channelName(channels.defaultChannel ?? '');
    const blob = known ?? { place, name: this.#name, description: '', properties: [], extra: {} };
    const entries = this.#deprecations(channels.deprecations);
    const [deprecated] = kept?.documents.deprecations ?? [];
    const hasDeprecations = deprecated !== undefined || entries.length > 0;
    return {
      packages: [{ ...blob, defaultChannel }],
      channels: channels.channels.map((channel) => this.#channel(channel)),
      bundles: [...this.#bundles.values()],
      deprecations: hasDeprecations
        ? [{ place, package: this.#name, extra: {}, ...deprecated, entries }]
        : [],
      others: kept?.documents.others ?? [],
    };
  }

  #bundleOf(number: number, { commit, tree, objects = [] }: ExportedRevision): BundleBlob {
    const channels = this.#from.channels.channels
      .flatMap(({ members }) => members)
      .find(({ revision, version }) => revision === number && version !== undefined);
    const place = { file: `${this.#from.path}@v${number}`, line: 1 };
    const from = { ...(this.#repository !== undefined && { repo: this.#repository }), commit };
    const properties: Property[] = [
      {
        type: PROPERTY.package,
        value: { packageName: this.#name, version: channels?.version ?? `${number}.0.0` },
      },
      { type: 'portico.dev/revision', value: { ...from, ...(tree !== undefined && { tree }) } },
      ...objects.map(bundleObject),
    ];
    const name = `${this.#name}.v${number}`;
    return {
      place,
      package: this.#name,
      name,
      image: '',
      properties,
      relatedImages: [],
      objects: objects.map((fields) => ({ text: () => goJson(fields) })),
      extra: {},
    };
  }

  #channelName(native: string): string {
    return this.#from.kept?.names.get(native) ?? native;
  }

  /** The name of a revision, also of one that is not exported: the end of a chain may lead to it. */
  #bundleName(number: number): string {
    const exported = this.#bundles.get(number);
    if (exported !== undefined) return exported.name;
    return this.#from.revisions.get(number)?.bundle?.name ?? `${this.#name}.v${number}`;
  }

  #channel(channel: ChannelDocument): ChannelBlob {
    const name = this.#channelName(channel.name);
    const known = this.#from.kept?.documents.channels.find((blob) => blob.name === name);
    const entries = channel.mode === 'graph' ? this.#graphEntries(channel) : this.#sequenceEntries(channel);
    const kept = new Map((this.#from.kept?.edges.get(name) ?? []).map((entry) => [entry.name, entry]));
    const place = { file: `${this.#from.path}: channel ${channel.name}`, line: 1 };
    const blob = known ?? { place, package: this.#name, name, properties: [], extra: {} };
    return {
      ...blob,
      entries: entries.map((entry) => {
        const { replaces = '', skips = [] } = kept.get(entry.name) ?? {};
        return {
          ...entry,
          replaces: entry.replaces === '' ? replaces : entry.replaces,
          skips: [...entry.skips, ...skips],
        };
      }),
    };
  }

  #live(channel: ChannelDocument): number[] {
    const published = new Set(this.#from.revisions.keys());
    return graphOf(channelGraphInput(channel, published)).live.filter((one) => this.#bundles.has(one));
  }

  #graphEntries(channel: ChannelDocument): ChannelEntry[] {
    const members = new Map(channel.members.map((member) => [member.revision, member]));
    return this.#live(channel).map((revision) => {
      const { replaces, skips = [], skipRange = '', version } = members.get(revision) ?? {};
      const own = this.#versions.get(revision);
      const parsed = version === undefined ? undefined : parseVersion(version).value;
      if (own !== undefined && parsed !== undefined && compareVersions(own, parsed) !== 0) {
        const what = `v${revision} is version ${formatVersion(own)}, and ${version} in the channel ${channel.name}`;
        throw refused(`${this.#from.path}: ${what}`, 'Fix the version in the channel file.');
      }
      return {
        name: this.#bundleName(revision),
        replaces: replaces === undefined ? '' : this.#bundleName(replaces),
        skips: skips.map((skip) => this.#bundleName(skip)),
        skipRange,
      };
    });
  }

  /** Each replaces the one before it, and its range reaches down to the waypoint: skips would strand what lies below. */
  #sequenceEntries(channel: ChannelDocument): ChannelEntry[] {
    const waypoints = new Set(
      channel.members
        .filter(({ waypoint, withdrawn }) => waypoint === true && withdrawn === undefined)
        .map(({ revision }) => revision),
    );
    let before: number | undefined;
    let wall: Version | undefined;
    return this.#live(channel).map((revision) => {
      const version = this.#versions.get(revision);
      const last = before === undefined ? undefined : this.#versions.get(before);
      if (version === undefined || (last !== undefined && compareVersions(last, version) >= 0)) {
        throw refused(
          `${this.#from.path}: in the channel ${channel.name} versions do not rise with the revisions at v${revision}`,
          'Write its edges with mode: graph.',
        );
      }
      const low = wall === undefined ? '' : `>=${formatVersion(wall)} `;
      const entry = {
        name: this.#bundleName(revision),
        replaces: before === undefined ? '' : this.#bundleName(before),
        skips: [],
        skipRange: `${low}<${formatVersion(version)}`,
      };
      before = revision;
      if (waypoints.has(revision)) wall = version;
      return entry;
    });
  }

  #deprecations(deprecations: readonly DeprecationDocument[]): DeprecationEntry[] {
    const channels = new Set(this.#from.channels.channels.map(({ name }) => name));
    return deprecations.flatMap((one): DeprecationEntry[] => {
      const message = this.#deprecationText(one);
      const { schema, name = '' } = one;
      if (schema === 'package') return [{ schema: SCHEMA.package, name: '', message }];
      if (schema === 'channel' && channels.has(name)) {
        return [{ schema: SCHEMA.channel, name: this.#channelName(name), message }];
      }
      const bundle = schema === 'revision' ? this.#bundles.get(Number(name.slice(1))) : undefined;
      if (bundle !== undefined) return [{ schema: SCHEMA.bundle, name: bundle.name, message }];
      this.#notes.push(`${this.#from.path}: the deprecation of ${name} is skipped: no channel offers it`);
      return [];
    });
  }

  /** Catalogs have a message alone. */
  #deprecationText({ message, severity, supersededBy }: DeprecationDocument): string {
    const level = severity === 'warning' ? '' : ` (severity: ${severity})`;
    return `${message}${level}${supersededBy === undefined ? '' : ` Superseded by ${this.#bundleName(supersededBy)}.`}`;
  }
}
