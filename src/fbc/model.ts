/**
 * The catalog as packages with their channels and members, and the first half of its validation: what operator-registry
 * checks while it puts the documents together. It stops at the first mistake; here every mistake of one kind of document is told,
 * so that the order of the documents does not matter.
 */
import type {
  BundleBlob,
  Catalog,
  ChannelBlob,
  ChannelEntry,
  DeprecationBlob,
  PackageBlob,
  Place,
} from './catalog.ts';
import { SCHEMA } from './catalog.ts';
import { byText, listed, quoted } from './go-text.ts';
import { imageProblem } from './image-reference.ts';
import { labelProblems } from './label.ts';
import { parseProperties, PropertyMistake, PROPERTY, type PackageProperty } from './properties.ts';
import { parseRelease, parseVersion, type Release, type Version } from './version.ts';

export interface ModelBundle {
  readonly blob: BundleBlob;
  readonly version: Version;
  readonly release: Release;
}

export interface ModelEntry extends ChannelEntry {
  /** Absent where the catalog has no such bundle. */
  readonly bundle?: ModelBundle;
}

export interface ModelChannel {
  readonly name: string;
  readonly place: Place;
  readonly entries: ReadonlyMap<string, ModelEntry>;
  readonly deprecated?: string;
}

export interface ModelPackage {
  readonly blob: PackageBlob;
  readonly name: string;
  readonly defaultChannel: string;
  readonly channels: ReadonlyMap<string, ModelChannel>;
  readonly bundles: ReadonlyMap<string, ModelBundle>;
  readonly deprecated?: string;
  readonly deprecatedBundles: ReadonlyMap<string, string>;
}

export interface Problem {
  /** In the words of operator-registry, where it has any. */
  readonly message: string;
  /** The headings above it, from the outside in. */
  readonly at: readonly string[];
  readonly place?: Place;
}

export type Model =
  | { readonly packages: ReadonlyMap<string, ModelPackage>; readonly problems?: undefined }
  | { readonly problems: readonly Problem[]; readonly packages?: undefined };

/** Puts the documents together. Each stage needs the one before it to be free of mistakes. */
export function buildModel(catalog: Catalog): Model {
  const problems: Problem[] = [];
  const say = (place: Place, message: string): void => void problems.push({ message, at: [], place });
  const drafts = draftPackages(catalog.packages, say);
  if (problems.length > 0) return modelOrThrow(problems);
  for (const channel of catalog.channels) addChannel(drafts, channel, say);
  if (problems.length > 0) return modelOrThrow(problems);
  for (const bundle of catalog.bundles) addBundle(drafts, bundle, say);
  if (problems.length > 0) return modelOrThrow(problems);
  for (const draft of drafts.values()) checkEntries(draft, say);
  if (problems.length > 0) return modelOrThrow(problems);
  for (const [at, deprecation] of catalog.deprecations.entries())
    addDeprecation(drafts, deprecation, at, say);
  if (problems.length > 0) return modelOrThrow(problems);
  return {
    packages: new Map(
      [...drafts].sort(([a], [b]) => byText(a, b)).map(([name, draft]) => [name, finish(draft)]),
    ),
  };
}

function modelOrThrow(problems: readonly Problem[]): Model {
  return { problems: problems.toSorted((a, b) => byText(a.message, b.message)) };
}

type Say = (place: Place, message: string) => void;

interface Draft {
  readonly blob: PackageBlob;
  readonly channels: Map<string, ChannelBlob>;
  readonly bundles: Map<string, ModelBundle>;
  /** Names that some channel has. */
  readonly members: Set<string>;
  deprecations: Map<string, string> | undefined;
}

function draftPackages(blobs: readonly PackageBlob[], say: Say): Map<string, Draft> {
  const drafts = new Map<string, Draft>();
  for (const blob of blobs) {
    const { name, place } = blob;
    if (name === '') say(place, 'config contains package with no name');
    else if (drafts.has(name)) say(place, `duplicate package ${quoted(name)}`);
    else {
      const wrong = labelProblems(name);
      if (wrong.length > 0) say(place, `invalid package name ${quoted(name)}: ${listed(wrong)}`);
      const empty = {
        channels: new Map(),
        bundles: new Map(),
        members: new Set<string>(),
        deprecations: undefined,
      };
      drafts.set(name, { blob, ...empty });
    }
  }
  return drafts;
}

function addChannel(drafts: ReadonlyMap<string, Draft>, channel: ChannelBlob, say: Say): void {
  const { package: of, name, place } = channel;
  const draft = drafts.get(of);
  if (draft === undefined) return say(place, `unknown package ${quoted(of)} for channel ${quoted(name)}`);
  if (name === '') return say(place, `package ${quoted(of)} contains channel with no name`);
  if (draft.channels.has(name)) {
    return say(place, `package ${quoted(of)} has duplicate channel ${quoted(name)}`);
  }
  const names = new Set<string>();
  for (const entry of channel.entries) {
    if (names.has(entry.name)) {
      const where = `invalid package ${quoted(of)}, channel ${quoted(name)}`;
      say(place, `${where}: duplicate entry ${quoted(entry.name)}`);
    }
    names.add(entry.name);
    draft.members.add(entry.name);
  }
  draft.channels.set(name, channel);
}

function addBundle(drafts: ReadonlyMap<string, Draft>, blob: BundleBlob, say: Say): void {
  const { package: of, name, place } = blob;
  if (of === '') return say(place, `package name must be set for bundle ${quoted(name)}`);
  const draft = drafts.get(of);
  if (draft === undefined) return say(place, `unknown package ${quoted(of)} for bundle ${quoted(name)}`);
  if (draft.bundles.has(name)) {
    return say(place, `package ${quoted(of)} has duplicate bundle ${quoted(name)}`);
  }
  const read = readBundle(blob);
  if (typeof read === 'string') return say(place, read);
  if (!draft.members.has(name)) {
    return say(place, `package ${quoted(of)}, bundle ${quoted(name)} not found in any channel entries`);
  }
  draft.bundles.set(name, read);
}

/** The version of a bundle, or the sentence that says why it has none. */
export function readBundle(blob: BundleBlob): ModelBundle | string {
  const { package: of, name } = blob;
  const found = packagePropertyOf(blob);
  if (typeof found === 'string') return found;
  if (found.packageName !== of) {
    return `package ${quoted(of)} does not match ${quoted(PROPERTY.package)} property ${quoted(found.packageName)}`;
  }
  const version = parseVersion(found.version);
  if (version.value === undefined) {
    return `error parsing bundle ${quoted(name)} version ${quoted(found.version)}: ${version.problem}`;
  }
  const release = parseRelease(found.release);
  if (release.value === undefined) {
    return `error parsing bundle ${quoted(name)} release version ${quoted(found.release)}: ${release.problem}`;
  }
  const image = imageProblemOf(blob);
  return image ?? { blob, version: version.value, release: release.value };
}

/** The one `olm.package` property, or the sentence that says why there is none. */
function packagePropertyOf(blob: BundleBlob): PackageProperty | string {
  try {
    const { packages } = parseProperties(blob.properties);
    const [first] = packages;
    if (first !== undefined && packages.length === 1) return first;
    const bundle = `package ${quoted(blob.package)} bundle ${quoted(blob.name)}`;
    return `${bundle} must have exactly 1 ${quoted(PROPERTY.package)} property, found ${packages.length}`;
  } catch (error) {
    if (!(error instanceof PropertyMistake)) throw error;
    return error.message.replace('parse properties:', `parse properties for bundle ${quoted(blob.name)}:`);
  }
}

function imageProblemOf({ package: of, name, image, relatedImages }: BundleBlob): string | undefined {
  const images = [
    ['image', image],
    ...relatedImages.map((related, at) => [`relatedImages[${at}].image`, related.image] as const),
  ] as const;
  for (const [field, text] of images) {
    const wrong = text === '' ? undefined : imageProblem(text);
    if (wrong === undefined) continue;
    return `package ${quoted(of)} bundle ${quoted(name)} ${field}: invalid image pull spec ${quoted(text)}: ${wrong}`;
  }
  return undefined;
}

/** Looks at the entries of all channels; operator-registry looks only at those of the last. */
function checkEntries({ blob, channels, members, bundles }: Draft, say: Say): void {
  const missing = [...members].filter((name) => !bundles.has(name)).sort(byText);
  if (missing.length === 0) return;
  const first = [...channels.values()].find(({ entries }) => entries.some(({ name }) => name === missing[0]));
  const of = `no olm.bundle blobs found in package ${quoted(blob.name)}`;
  say(first?.place ?? blob.place, `${of} for olm.channel entries ${listed(missing)}`);
}

function addDeprecation(
  drafts: ReadonlyMap<string, Draft>,
  blob: DeprecationBlob,
  item: number,
  say: Say,
): void {
  const { package: of, entries, place } = blob;
  if (of === '') return say(place, `package name must be set for deprecation item ${item}`);
  const draft = drafts.get(of);
  if (draft === undefined) return say(place, `cannot apply deprecations to an unknown package ${quoted(of)}`);
  if (draft.deprecations !== undefined) {
    return say(place, `expected a maximum of one deprecation per package: ${quoted(of)}`);
  }
  const found = new Map<string, string>();
  draft.deprecations = found;
  for (const [at, { schema, name, message }] of entries.entries()) {
    const key = deprecationKey(schema, name);
    const shown = `declcfg.PackageScopedReference{Schema:${quoted(schema)}, Name:${quoted(name)}}`;
    if (schema === '')
      say(place, `schema must be set for deprecation entry [${at}] for package ${quoted(of)}`);
    else if (found.has(key)) say(place, `duplicate deprecation entry ${shown} for package ${quoted(of)}`);
    else if (schema === SCHEMA.bundle && !draft.bundles.has(name)) {
      say(place, `cannot deprecate bundle ${quoted(name)} for package ${quoted(of)}: bundle not found`);
    } else if (schema === SCHEMA.channel && !hasChannel(draft, name)) {
      say(place, `cannot deprecate channel ${quoted(name)} for package ${quoted(of)}: channel not found`);
    } else if (schema === SCHEMA.package && name !== '') {
      const what = `package name must be empty for deprecated package ${quoted(of)}`;
      say(place, `${what} (specified ${quoted(name)})`);
    } else if (schema !== SCHEMA.bundle && schema !== SCHEMA.channel && schema !== SCHEMA.package) {
      const what = `cannot deprecate object ${shown} referenced by entry ${at} for package ${quoted(of)}`;
      say(place, `${what}: object schema unknown`);
    }
    found.set(key, message);
  }
}

/** The default channel counts, though it may be only named. */
function hasChannel({ blob, channels }: Draft, name: string): boolean {
  return channels.has(name) || (name !== '' && blob.defaultChannel === name);
}

function deprecationKey(schema: string, name: string): string {
  return `${schema}\n${name}`;
}

function finish({ blob, channels, bundles, deprecations }: Draft): ModelPackage {
  const message = (schema: string, name: string): string | undefined =>
    deprecations?.get(deprecationKey(schema, name));
  const sorted = [...channels.values()].sort((a, b) => byText(a.name, b.name));
  const built = new Map<string, ModelChannel>(
    sorted.map((channel) => {
      const deprecated = message(SCHEMA.channel, channel.name);
      const entries = new Map(
        channel.entries.map((entry): [string, ModelEntry] => {
          const bundle = bundles.get(entry.name);
          return [entry.name, bundle === undefined ? entry : { ...entry, bundle }];
        }),
      );
      const { name, place } = channel;
      return [name, { name, place, entries, ...(deprecated !== undefined && { deprecated }) }];
    }),
  );
  const { defaultChannel, name, place } = blob;
  // A default channel that is not there is an empty one to operator-registry, and told as such.
  if (defaultChannel !== '' && !built.has(defaultChannel)) {
    built.set(defaultChannel, { name: defaultChannel, place, entries: new Map() });
  }
  const deprecated = message(SCHEMA.package, '');
  const withdrawn = [...bundles.keys()].sort(byText).flatMap((bundle): [string, string][] => {
    const text = message(SCHEMA.bundle, bundle);
    return text === undefined ? [] : [[bundle, text]];
  });
  return {
    blob,
    name,
    defaultChannel,
    channels: built,
    bundles,
    ...(deprecated !== undefined && { deprecated }),
    deprecatedBundles: new Map(withdrawn),
  };
}
