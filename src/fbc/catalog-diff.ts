/** What distinguishes two catalogs that are in order: packages, channels, bundles, deprecations, and upgrade edges by the entry they lead to. */
import type { YamlValue } from '../package/yaml/edit.ts';
import { counted } from '../text/counted.ts';
import { catalogOfOne } from './bundle-record.ts';
import { headsOf } from './channel-graph.ts';
import { byText } from './go-text.ts';
import type { ModelBundle, ModelChannel, ModelPackage } from './model.ts';
import { upgradeEdges } from './upgrade-edges.ts';
import { formatVersion } from './version.ts';
import { catalogDocuments, jsonText } from './write-catalog.ts';

export interface CatalogChange {
  readonly change: 'added' | 'removed' | 'changed';
  readonly what: 'package' | 'channel' | 'head' | 'entry' | 'bundle' | 'default channel' | 'deprecation';
  readonly package: string;
  readonly channel?: string;
  /** Of the bundle; absent for what concerns a whole package or channel. */
  readonly name?: string;
  /** In words; of an entry, the edges that lead to it, such as `redis.v1 (replaces)`. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

type Packages = ReadonlyMap<string, ModelPackage>;

/** In the order of packages and channels; of both, what they are as a whole comes first. */
export function catalogDiff(before: Packages, after: Packages): CatalogChange[] {
  const changes: CatalogChange[] = [];
  for (const [name, old, now] of pairs(before, after)) {
    if (old === undefined || now === undefined)
      changes.push({ what: 'package', package: name, ...changed(sizeOf(old), sizeOf(now)) });
    else changes.push(...packageDiff(old, now));
  }
  return changes;
}

function* pairs<Item>(
  before: ReadonlyMap<string, Item>,
  after: ReadonlyMap<string, Item>,
): Generator<readonly [string, Item | undefined, Item | undefined]> {
  for (const name of [...new Set([...before.keys(), ...after.keys()])].sort(byText))
    yield [name, before.get(name), after.get(name)];
}

function changed(
  before: readonly string[],
  after: readonly string[],
): Pick<CatalogChange, 'change' | 'before' | 'after'> {
  const change = before.length === 0 ? 'added' : after.length === 0 ? 'removed' : 'changed';
  return { change, before, after };
}

function sizeOf(one: ModelPackage | undefined): string[] {
  return one === undefined
    ? []
    : [`${counted(one.channels.size, 'channel')}, ${counted(one.bundles.size, 'bundle')}`];
}

function packageDiff(old: ModelPackage, now: ModelPackage): CatalogChange[] {
  const changes: CatalogChange[] = [];
  const add = (
    what: CatalogChange['what'],
    at: Pick<CatalogChange, 'channel' | 'name'>,
    before: readonly string[],
    after: readonly string[],
  ): void => {
    if (before.join('\n') === after.join('\n')) return;
    changes.push({ what, package: now.name, ...at, ...changed(before, after) });
  };
  add('default channel', {}, [old.defaultChannel], [now.defaultChannel]);
  add('deprecation', {}, present(old.deprecated), present(now.deprecated));
  for (const [name, one, other] of pairs(old.bundles, now.bundles)) {
    if (one === undefined || other === undefined) add('bundle', { name }, said(one), said(other));
    else {
      const fields = differingFields(one, other);
      if (fields.length > 0) add('bundle', { name }, [one.blob.image], [other.blob.image, ...fields]);
    }
  }
  for (const [name, one, other] of pairs(old.deprecatedBundles, now.deprecatedBundles))
    add('deprecation', { name }, present(one), present(other));
  for (const [channel, one, other] of pairs(old.channels, now.channels)) {
    if (one === undefined || other === undefined) {
      add('channel', { channel }, channelText(one), channelText(other));
      continue;
    }
    add('head', { channel }, headsOf(one.entries.values()), headsOf(other.entries.values()));
    add('deprecation', { channel }, present(one.deprecated), present(other.deprecated));
    const [edges, others] = [edgesTo(one, old), edgesTo(other, now)];
    for (const [name, entry, otherEntry] of pairs(one.entries, other.entries))
      add(
        'entry',
        { channel, name },
        entry === undefined ? [] : (edges.get(name) ?? FIRST),
        otherEntry === undefined ? [] : (others.get(name) ?? FIRST),
      );
  }
  return changes;
}

/** An entry to which no edge leads. */
const FIRST = ['no edge leads to it'];

function present(text: string | undefined): string[] {
  return text === undefined ? [] : [text];
}

function said(bundle: ModelBundle | undefined): string[] {
  if (bundle === undefined) return [];
  const { version, blob } = bundle;
  // A bundle may be in the catalog alone.
  return [`version ${formatVersion(version)}`, ...(blob.image === '' ? [] : [blob.image])];
}

function channelText(channel: ModelChannel | undefined): string[] {
  if (channel === undefined) return [];
  return [
    `head ${headsOf(channel.entries.values())[0] ?? 'none'}`,
    counted(channel.entries.size, 'entry', 'entries'),
  ];
}

function edgesTo(channel: ModelChannel, of: ModelPackage): ReadonlyMap<string, string[]> {
  const edges = Map.groupBy(upgradeEdges(channel, of).edges, ({ to }) => to);
  return new Map([...edges].map(([to, list]) => [to, list.map(({ from, by }) => `${from} (${by})`)]));
}

/** Names of the fields in which two bundles of one name differ. */
function differingFields(one: ModelBundle, other: ModelBundle): string[] {
  const [a, b] = [one, other].map(
    ({ blob }) => catalogDocuments(catalogOfOne(blob))[0] as { readonly [name: string]: YamlValue },
  );
  return [...new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])].filter(
    (name) => jsonText(a?.[name] ?? null, 0) !== jsonText(b?.[name] ?? null, 0),
  );
}
