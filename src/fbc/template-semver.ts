/** `olm.semver`: channels and their edges follow from the versions of the bundles. */
import type { BundleBlob, Catalog, Fields } from './catalog.ts';
import { FieldReader, TypeMistake } from './go-fields.ts';
import { byText, quoted } from './go-text.ts';
import { describePackage } from './package-description.ts';
import { parseProperties, PROPERTY } from './properties.ts';
import { channelsOf, type Archetype, type Member, type StreamKind } from './semver-channels.ts';
import { TemplateMistake, type RenderBundle } from './template-bundle.ts';
import { compareVersions, formatVersion, parseVersion, type Version } from './version.ts';

interface SemverTemplate {
  readonly kinds: readonly StreamKind[];
  readonly preferred: StreamKind;
  readonly images: Readonly<Record<Archetype, readonly string[]>>;
}

/** Renders every bundle once, and links the channels that their versions ask for. */
export async function renderSemver(template: Fields, file: string, render: RenderBundle): Promise<Catalog> {
  const refuse = (sentence: string): TemplateMistake => new TemplateMistake(`render: ${sentence}`, file);
  const { kinds, preferred, images } = readSemver(template, (why) => refuse(`unable to read file: ${why}`));
  const named = [...new Set([...images.candidate, ...images.fast, ...images.stable])].sort(byText);
  const bundles = new Map<string, BundleBlob>();
  for (const image of named) bundles.set(image, await render(image));
  if (bundles.size === 0) throw refuse('no bundles specified or no bundles could be rendered');

  const reader = new MemberReader(bundles, (why) => refuse(`unable to post-process bundle info: ${why}`));
  const members = {
    candidate: reader.members(images.candidate),
    fast: reader.members(images.fast),
    stable: reader.members(images.stable),
  };
  const place = { file, line: 1 };
  const { channels, defaultChannel } = channelsOf({ of: reader.package, members, kinds, preferred, place });
  const none = { place, properties: [], extra: {} };
  const blob = { ...none, name: reader.package, defaultChannel, description: '' };
  const all = [...new Map([...bundles.values()].map((bundle) => [bundle.name, bundle])).values()];
  return {
    packages: [describePackage(blob, channels, all)],
    channels,
    bundles: all,
    deprecations: [],
    others: [],
  };
}

function readSemver(template: Fields, refuse: (why: string) => Error): SemverTemplate {
  const strict = 'error unmarshaling JSON: while decoding JSON: ';
  try {
    const reader = new FieldReader(template, 'SemverTemplateData');
    reader.value('schema');
    const major = flag(reader, 'generateMajorChannels');
    // Neither means minor ones.
    const minor = flag(reader, 'generateMinorChannels') || !major;
    const wanted = reader.text('defaultChannelTypePreference');
    const images = {
      candidate: imagesOf(reader, 'candidate'),
      fast: imagesOf(reader, 'fast'),
      stable: imagesOf(reader, 'stable'),
    };
    const [unknown] = Object.keys(reader.rest());
    if (unknown !== undefined) throw refuse(`${strict}json: unknown field ${quoted(unknown)}`);
    const made = { major, minor } as const;
    if (wanted !== '' && wanted !== 'major' && wanted !== 'minor') {
      throw refuse(
        `unknown DefaultChannelTypePreference: ${quoted(wanted)}\nValid values are 'major' or 'minor'`,
      );
    }
    if (wanted !== '' && !made[wanted]) {
      const what = `DefaultChannelTypePreference set to '${wanted}'`;
      throw refuse(
        `schema attribute mismatch: ${what} doesn't make sense if not generating ${wanted}-version channels`,
      );
    }
    const kinds: StreamKind[] = [...(major ? ['major' as const] : []), ...(minor ? ['minor' as const] : [])];
    return { kinds, preferred: wanted === '' ? (minor ? 'minor' : 'major') : wanted, images };
  } catch (error) {
    if (error instanceof TypeMistake) throw refuse(strict + error.message);
    throw error;
  }
}

function flag(reader: FieldReader, name: string): boolean {
  const value = reader.value(name);
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw new TypeMistake(value, `SemverTemplateData.${name}`, 'bool');
}

function imagesOf(reader: FieldReader, name: Archetype): readonly string[] {
  const channel = reader.map(name, 'channelBundles', 'semver.channelBundles');
  const images = (channel?.maps('bundles', 'bundleEntry', 'semver.bundleEntry') ?? []).map((bundle) => {
    const image = bundle.text('image');
    refuseRest(bundle);
    return image;
  });
  if (channel !== undefined) refuseRest(channel);
  return images;
}

function refuseRest(reader: FieldReader): void {
  const [unknown] = Object.keys(reader.rest());
  if (unknown !== undefined) throw new UnknownField(unknown);
}

class UnknownField extends TypeMistake {
  constructor(name: string) {
    super(null, name, '');
    this.message = `json: unknown field ${quoted(name)}`;
  }
}

/** Names and versions of the bundles, which must all be of one package. */
class MemberReader {
  readonly #bundles: ReadonlyMap<string, BundleBlob>;
  readonly #refuse: (why: string) => Error;
  package = '';

  constructor(bundles: ReadonlyMap<string, BundleBlob>, refuse: (why: string) => Error) {
    this.#bundles = bundles;
    this.#refuse = refuse;
  }

  members(images: readonly string[]): Member[] {
    const members = new Map<string, Member>();
    for (const image of images) {
      const bundle = this.#bundles.get(image);
      if (bundle === undefined) continue;
      const { packages } = parseProperties(bundle.properties);
      const [own] = packages;
      if (own === undefined || packages.length > 1) {
        const count = packages.length === 0 ? 'no' : 'multiple';
        const what = `bundle ${quoted(bundle.name)} has ${count} ${quoted(PROPERTY.package)} properties`;
        throw this.#refuse(`${what}, expected exactly 1`);
      }
      const { value: version, problem } = parseVersion(own.version);
      if (version === undefined) {
        throw this.#refuse(
          `bundle ${quoted(bundle.name)} has invalid version ${quoted(own.version)}: ${problem}`,
        );
      }
      if (this.package === '') this.package = own.packageName;
      if (this.package !== own.packageName) {
        const what = `bundle ${quoted(own.packageName)} does not belong to this package`;
        throw this.#refuse(`${what}: ${quoted(this.package)}`);
      }
      if (members.has(bundle.name)) throw this.#refuse(`duplicate bundle name ${quoted(bundle.name)}`);
      members.set(bundle.name, { name: bundle.name, version });
    }
    const sorted = [...members.values()].sort(
      (a, b) => compareVersions(a.version, b.version) || byText(a.name, b.name),
    );
    this.#refuseEqual(sorted);
    return sorted;
  }

  /** Versions that only build metadata tells apart have no order. */
  #refuseEqual(members: readonly Member[]): void {
    const groups = new Map<string, string[]>();
    for (const member of members) {
      const group = groups.get(plain(member.version)) ?? [];
      groups.set(plain(member.version), group);
      group.push(formatVersion(member.version));
    }
    const wrong = [...groups].flatMap(([version, all]) =>
      // Those with build metadata come first; the first of all is what the others are compared with.
      all
        .toSorted((a, b) => Number(a === version) - Number(b === version) || byText(a, b))
        .slice(1)
        .map((other) => `bundle version ${quoted(other)} cannot be compared to ${quoted(version)}`),
    );
    if (wrong.length === 0) return;
    const all = wrong.length === 1 ? wrong.join('') : `[${wrong.join(', ')}]`;
    const what = 'encountered bundle versions which differ only by build metadata, which cannot be ordered';
    throw this.#refuse(`${what}: ${all}`);
  }
}

function plain(version: Version): string {
  return formatVersion({ ...version, build: [] });
}
