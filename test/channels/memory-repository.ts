/** What an import makes, held in memory: every text is written and read again, as files and tags would be. */
import { channelFileText } from '../../src/channels/channel-file.ts';
import { exportCatalog } from '../../src/channels/export-catalog.ts';
import {
  importCatalogs,
  type ImportOptions,
  type ImportRefusal,
  type KnownPackage,
} from '../../src/channels/import-catalog.ts';
import { readKeptCatalog, writeKeptCatalog } from '../../src/channels/kept-catalog.ts';
import { readPackageChannels } from '../../src/channels/read-channels.ts';
import { readBundleRecord, writeBundleRecord } from '../../src/fbc/bundle-record.ts';
import type { Catalog } from '../../src/fbc/catalog.ts';
import { catalogYaml } from '../../src/fbc/write-catalog.ts';

interface StoredPackage {
  readonly records: ReadonlyMap<number, string>;
  readonly channels: string;
  readonly kept: string;
}

export class MemoryRepository {
  readonly #packages = new Map<string, StoredPackage>();
  #others: string | undefined;

  /** Why nothing came of it; undefined where all is in. */
  import(
    catalogs: readonly Catalog[],
    options: Pick<ImportOptions, 'replaceChannels' | 'unoffered'> = {},
  ): ImportRefusal | undefined {
    const known = this.#known();
    const { packages, refused, others } = {
      others: undefined,
      ...importCatalogs(catalogs, { into: '.', known, ...options }),
    };
    if (packages === undefined) return refused;
    for (const imported of packages) {
      const { path, revisions, kept } = imported;
      const before = this.#packages.get(path);
      const channels = known.find((one) => one.path === path)?.channels;
      this.#packages.set(path, {
        records: new Map([
          ...(before?.records ?? []),
          ...revisions.map(({ number, bundle }) => [number, writeBundleRecord({ bundle })] as const),
        ]),
        channels: channelFileText(imported, {
          before:
            before === undefined || channels === undefined ? undefined : { text: before.channels, channels },
          replaced: options.replaceChannels === true,
        }),
        kept: writeKeptCatalog(kept),
      });
    }
    if (others !== undefined && others.others.length > 0)
      this.#others = writeKeptCatalog({ documents: others, names: new Map(), edges: new Map() });
    return undefined;
  }

  /** The catalog that it offers, as text. */
  export(): string {
    const { catalog } = exportCatalog(this.#known());
    const others = this.#others === undefined ? [] : readKeptCatalog('o.json', this.#others).documents.others;
    return catalogYaml({ ...catalog, others: [...catalog.others, ...others] });
  }

  /** Everything that it holds. */
  get texts(): string {
    return JSON.stringify(
      [...this.#packages].map(([path, one]) => [path, [...one.records], one.channels, one.kept]),
    );
  }

  /** Of one package. */
  channelFile(path: string): string {
    return this.#packages.get(path)?.channels ?? '';
  }

  #known(): KnownPackage[] {
    return [...this.#packages].map(([path, { records, channels, kept }]) => {
      const read = readPackageChannels(channels);
      if (read.channels === undefined || read.problems.length > 0)
        throw new Error(`${JSON.stringify(read.problems)}\n${channels}`);
      const bundles = [...records].map(
        ([number, text]) =>
          [number, { commit: 'c', bundle: readBundleRecord(`${path}@v${number}`, text).bundle }] as const,
      );
      return {
        path,
        channels: read.channels,
        kept: readKeptCatalog(`${path}.json`, kept),
        revisions: new Map(bundles),
        taken: records.keys(),
      };
    });
  }
}
