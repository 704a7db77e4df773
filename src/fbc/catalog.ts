/** A file-based catalog as data: what its documents say, each with its place. Nothing is judged here. */
import type { YamlValue } from '../package/yaml/edit.ts';
import type { Manifest } from './manifest.ts';

export const SCHEMA = {
  package: 'olm.package',
  channel: 'olm.channel',
  bundle: 'olm.bundle',
  deprecations: 'olm.deprecations',
} as const;

export interface Place {
  readonly file: string;
  /** From 1: where the document begins. */
  readonly line: number;
}

export type Fields = { readonly [name: string]: YamlValue };

export interface Property {
  readonly type: string;
  /** Absent where the document has none, which is a mistake. */
  readonly value?: YamlValue;
}

export interface PackageBlob {
  readonly place: Place;
  readonly name: string;
  readonly defaultChannel: string;
  readonly description: string;
  readonly icon?: { readonly base64data: string; readonly mediatype: string };
  readonly properties: readonly Property[];
  /** Fields that the schema does not have; they are kept. */
  readonly extra: Fields;
}

export interface ChannelEntry {
  readonly name: string;
  readonly replaces: string;
  readonly skips: readonly string[];
  readonly skipRange: string;
}

export interface ChannelBlob {
  readonly place: Place;
  readonly package: string;
  readonly name: string;
  readonly entries: readonly ChannelEntry[];
  readonly properties: readonly Property[];
  readonly extra: Fields;
}

export interface RelatedImage {
  readonly name: string;
  readonly image: string;
}

export interface BundleBlob {
  readonly place: Place;
  readonly package: string;
  readonly name: string;
  readonly image: string;
  readonly properties: readonly Property[];
  readonly relatedImages: readonly RelatedImage[];
  /** Manifests that the bundle carries in `olm.bundle.object` properties. */
  readonly objects: readonly Manifest[];
  readonly extra: Fields;
}

export interface DeprecationEntry {
  readonly schema: string;
  readonly name: string;
  readonly message: string;
}

export interface DeprecationBlob {
  readonly place: Place;
  readonly package: string;
  readonly entries: readonly DeprecationEntry[];
  readonly extra: Fields;
}

/** A document of a schema that is not ours to read; kept as it is. */
export interface OtherBlob {
  readonly place: Place;
  readonly schema: string;
  readonly package: string;
  readonly name: string;
  readonly fields: Fields;
}

export interface Catalog {
  readonly packages: readonly PackageBlob[];
  readonly channels: readonly ChannelBlob[];
  readonly bundles: readonly BundleBlob[];
  readonly deprecations: readonly DeprecationBlob[];
  readonly others: readonly OtherBlob[];
}
