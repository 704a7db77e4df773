/** The upgrade graphs of a catalog as Mermaid, in operator-registry's form. */
import { PorticoError } from '../error.ts';
import { SCHEMA, type BundleBlob, type Catalog, type ChannelBlob, type ChannelEntry } from './catalog.ts';
import { byText, quoted } from './go-text.ts';
import { MAX_EDGES } from './limits.ts';
import { CatalogMistake } from './mistake.ts';
import { parseProperties, PROPERTY, PropertyMistake } from './properties.ts';
import { itemsInRange } from './range-search.ts';
import { parseRange } from './range.ts';
import { compareVersions, parseVersion, type Version } from './version.ts';

export interface MermaidOptions {
  /** Only this package. */
  readonly package?: string;
  /** Only entries from the version of this bundle on. */
  readonly minimumEdge?: string;
  /** Marks what OLM v0 does not offer: entries that another one skips, and the edges that lead there. */
  readonly v0?: boolean;
}

const HEADER = [
  'graph LR',
  '  classDef deprecated fill:#E8960F',
  '  classDef skipped stroke:#FF0000,stroke-width:4px',
  '  classDef deprecatedskipped fill:#E8960F,stroke:#FF0000,stroke-width:4px',
];

/**
 * Draws every channel. Deprecations and versions count for their own package alone; operator-registry goes by bare names.
 * Throws `GRAPH_UNKNOWN_EDGE`, and `CATALOG_INVALID` for bundles without a version.
 */
export function mermaidGraph(catalog: Catalog, options: MermaidOptions = {}): string {
  const versions = versionsOf(catalog.bundles);
  const floor = floorOf(catalog, versions, options);
  const drawing = new Drawing(catalog, versions, options.v0 ?? true);
  const channels = catalog.channels.toSorted(
    (a, b) => byText(a.package, b.package) || byText(a.name, b.name),
  );
  for (const channel of channels) {
    if (options.package !== undefined && channel.package !== options.package) continue;
    const entries = filtered(channel, versions, floor);
    if (entries.length > 0 || (floor === undefined && options.package === undefined))
      drawing.channel(channel, entries);
  }
  return drawing.text();
}

/** Versions by package and bundle. */
type Versions = ReadonlyMap<string, Version>;

const ZERO: Version = { major: 0n, minor: 0n, patch: 0n, pre: [], build: [] };

function keyOf(of: string, name: string): string {
  return `${of}\n${name}`;
}

function versionsOf(bundles: readonly BundleBlob[]): Versions {
  const versions = new Map<string, Version>();
  for (const bundle of bundles) {
    const key = keyOf(bundle.package, bundle.name);
    if (!versions.has(key)) versions.set(key, versionOf(bundle));
  }
  return versions;
}

function versionOf({ name, properties, place }: BundleBlob): Version {
  try {
    const { packages } = parseProperties(properties);
    const [first] = packages;
    if (first === undefined || packages.length > 1) {
      const count = packages.length === 0 ? 'no' : 'multiple';
      throw new CatalogMistake(
        `bundle ${quoted(name)} has ${count} ${quoted(PROPERTY.package)} properties, expected exactly 1`,
        place,
      );
    }
    const { value, problem } = parseVersion(first.version);
    if (value !== undefined) return value;
    throw new CatalogMistake(
      `bundle ${quoted(name)} has invalid version ${quoted(first.version)}: ${problem}`,
      place,
    );
  } catch (error) {
    if (!(error instanceof PropertyMistake)) throw error;
    throw new CatalogMistake(error.message.replace(':', ` for bundle ${quoted(name)}:`), place);
  }
}

interface Floor {
  readonly package: string;
  readonly name: string;
  readonly version: Version;
}

function floorOf(catalog: Catalog, versions: Versions, options: MermaidOptions): Floor | undefined {
  const { minimumEdge: name, package: wanted } = options;
  if (name === undefined) return undefined;
  const of = catalog.channels
    .filter(
      ({ package: one, entries }) => (wanted ?? one) === one && entries.some((entry) => entry.name === name),
    )
    .map((channel) => channel.package)
    .sort(byText)[0];
  const version = of === undefined ? undefined : versions.get(keyOf(of, name));
  if (of !== undefined && version !== undefined) return { package: of, name, version };
  throw new PorticoError('GRAPH_UNKNOWN_EDGE', `unknown minimum edge name: ${quoted(name)}`, {
    blame: 'user',
    hint: 'Name a bundle that some channel has; portico catalog list bundles shows them.',
  });
}

/** What is left of a channel above the floor. */
function filtered(
  channel: ChannelBlob,
  versions: Versions,
  floor: Floor | undefined,
): readonly ChannelEntry[] {
  if (floor === undefined) return channel.entries;
  if (channel.package !== floor.package) return [];
  const isAbove = (name: string): boolean =>
    compareVersions(versions.get(keyOf(channel.package, name)) ?? ZERO, floor.version) >= 0;
  return channel.entries.flatMap((entry): ChannelEntry[] => {
    const { name, replaces, skips, skipRange } = entry;
    const bare = { name, replaces: '', skips: [], skipRange: '' };
    if (name === floor.name) return [bare];
    const range = skipRange === '' ? undefined : parseRange(skipRange).value;
    const left = {
      name,
      replaces: replaces !== '' && isAbove(replaces) ? replaces : '',
      skips: skips.filter(isAbove),
      skipRange: range?.matches(floor.version) === true ? skipRange : '',
    };
    if (left.replaces !== '' || left.skips.length > 0 || left.skipRange !== '') return [left];
    const hadNone = replaces === '' && skips.length === 0 && skipRange === '';
    return hadNone && isAbove(name) ? [bare] : [];
  });
}

class Drawing {
  readonly #versions: Versions;
  readonly #v0: boolean;
  readonly #deprecated: ReadonlySet<string>;
  readonly #packages = new Map<string, string[]>();
  readonly #styles: string[] = [];
  readonly #packageStyles = new Set<string>();
  readonly #classes = new Map<string, string[]>();
  readonly #skippedLinks: number[] = [];
  #links = 0;
  #leftOut = 0;

  constructor(catalog: Catalog, versions: Versions, v0: boolean) {
    this.#versions = versions;
    this.#v0 = v0;
    this.#deprecated = new Set(
      catalog.deprecations.flatMap(({ package: of, entries }) =>
        entries.map(({ schema, name }) => keyOf(of, `${schema}\n${name}`)),
      ),
    );
  }

  channel({ package: of, name }: ChannelBlob, entries: readonly ChannelEntry[]): void {
    const lines = this.#packages.get(of) ?? [];
    this.#packages.set(of, lines);
    const id = idOf(`${of}-${name}`);
    lines.push(`    %% channel ${label(name)}`, `    subgraph ${id}[${label(name)}]`);
    if (this.#isDeprecated(of, SCHEMA.package, '')) this.#packageStyles.add(`style ${idOf(of)} fill:#989695`);
    if (this.#isDeprecated(of, SCHEMA.channel, name)) this.#styles.push(`style ${id} fill:#DCD0FF`);
    const version = (entry: ChannelEntry): Version => this.#versions.get(keyOf(of, entry.name)) ?? ZERO;
    const rising = entries.toSorted(
      (a, b) => compareVersions(version(a), version(b)) || byText(a.name, b.name),
    );
    const skipped = new Set<string>();
    const nodes = new Map<string, string>();
    const falling = rising.toSorted(
      (a, b) => compareVersions(version(b), version(a)) || byText(a.name, b.name),
    );
    for (const entry of falling) this.#entry(of, id, entry, { rising, version, skipped, lines, nodes });
    lines.push('    end');
  }

  #entry(
    of: string,
    channel: string,
    entry: ChannelEntry,
    around: {
      readonly rising: readonly ChannelEntry[];
      readonly version: (entry: ChannelEntry) => Version;
      readonly skipped: Set<string>;
      readonly lines: string[];
      /** How each name is drawn in this channel. */
      readonly nodes: Map<string, string>;
    },
  ): void {
    const { rising, version, skipped, lines, nodes } = around;
    const node = (name: string): string => {
      const known = nodes.get(name) ?? `${idOf(`${channel}-${name}`)}[${label(name)}]`;
      nodes.set(name, known);
      return known;
    };
    const isSkipped = skipped.has(entry.name);
    const own = node(entry.name);
    lines.push(`      ${own}`);
    const isDeprecated = this.#isDeprecated(of, SCHEMA.bundle, entry.name);
    const decoration = `${isDeprecated ? 'deprecated' : ''}${isSkipped ? 'skipped' : ''}`;
    if (decoration !== '') {
      const ids = this.#classes.get(decoration) ?? [];
      this.#classes.set(decoration, ids);
      ids.push(idOf(`${channel}-${entry.name}`));
    }
    const link = (from: string, how: string, dashed: boolean): void => {
      if (this.#links >= MAX_EDGES) {
        this.#leftOut += 1;
        return;
      }
      if (dashed && this.#v0) this.#skippedLinks.push(this.#links);
      this.#links += 1;
      lines.push(`      ${node(from)}-- ${how} --> ${own}`);
    };
    for (const skip of entry.skips) {
      link(skip, 'skip', skipped.has(skip));
      if (this.#v0) skipped.add(skip);
    }
    const range = entry.skipRange === '' ? undefined : parseRange(entry.skipRange).value;
    if (range !== undefined) {
      const how = `"skipRange(${shown(entry.skipRange)})"`;
      for (const other of itemsInRange(rising, version, range)) {
        if (other.name !== entry.name) link(other.name, how, skipped.has(entry.name));
        if (this.#leftOut > 0) break;
      }
    }
    if (entry.replaces !== '') link(entry.replaces, 'replace', skipped.has(entry.name));
  }

  #isDeprecated(of: string, schema: string, name: string): boolean {
    return this.#deprecated.has(keyOf(of, `${schema}\n${name}`));
  }

  text(): string {
    const lines = [...HEADER];
    for (const [name, drawn] of this.#packages) {
      lines.push(`  %% package ${label(name)}`, `  subgraph ${label(name)}`, ...drawn, '  end');
    }
    lines.push(...this.#packageStyles, ...this.#styles);
    for (const [name, ids] of [...this.#classes].sort(([a], [b]) => byText(a, b))) {
      lines.push(`class ${ids.sort(byText).join(',')} ${name}`);
    }
    if (this.#skippedLinks.length > 0) {
      lines.push(
        `linkStyle ${this.#skippedLinks.join(',')} stroke:#FF0000,stroke-width:3px,stroke-dasharray:5;`,
      );
    }
    if (this.#leftOut > 0) lines.push(`%% not drawn: at least ${this.#leftOut} more`);
    return `${lines.join('\n')}\n`;
  }
}

/** Names of real bundles as they are; what would end an identifier or a label is replaced. */
function idOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}._+~/:@-]/gu, '_');
}

function label(text: string): string {
  return `"${shown(text)}"`;
}

function shown(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll('"', '#quot;')
    .replaceAll(/[`[\]{}]/g, '_');
}
