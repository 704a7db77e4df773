/** Content of a package that comes from elsewhere, as its document says. */

/** Where content comes from. */
export type SourcePlace =
  | { readonly kind: 'git'; readonly repo: string; readonly ref?: string; readonly semver?: string }
  /** An image or artefact of a registry. `image` is without tag and digest. */
  | {
      readonly kind: 'oci';
      readonly image: string;
      readonly tag?: string;
      readonly digest?: string;
      readonly semver?: string;
      /** Name of a setter that gets the pinned image; the files of the image are not taken then. */
      readonly setter?: string;
    }
  | { readonly kind: 'http'; readonly url: string; readonly sha256?: string }
  /** A chart of a Helm repository, which is one over http or, with `oci://`, a registry. */
  | { readonly kind: 'helm'; readonly repository: string; readonly chart: string; readonly version: string }
  /** Another package: `latest`, `v3` or a range over its revisions. */
  | { readonly kind: 'package'; readonly repo: string; readonly path: string; readonly revision: string };

interface SourceParts {
  readonly id: string;
  /** Directory of the package that the content fills. */
  readonly destination: string;
  /** What is taken of the content, below this directory of it; '' for all. */
  readonly newRoot: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Licences are taken along, whatever the globs say. */
  readonly keepLegal: boolean;
  /** The content is the one directory that it has, as in the archive of a chart. */
  readonly unwrap: boolean;
  /** Name of a credential that the host holds. */
  readonly credentials?: string;
  /** Over the whole entry as it is written, and over its place alone. */
  readonly entryDigest: string;
  readonly placeDigest: string;
}

export type FetchedSource = SourceParts & { readonly place: SourcePlace };

/** A directory that people keep themselves. */
export interface ManualSource {
  readonly id: string;
  readonly destination: string;
  readonly place: { readonly kind: 'manual' };
}

export type Source = FetchedSource | ManualSource;

export type SourceKind = Source['place']['kind'];

export function isManual(source: Source): source is ManualSource {
  return source.place.kind === 'manual';
}

export interface Pause {
  readonly reason: string;
  /** Date, or date and time; absent: until the document says otherwise. */
  readonly until?: string;
}

/** A document of sources, read and judged. */
export interface SourcesDocument<Processor> {
  readonly sources: readonly Source[];
  readonly processors: readonly Processor[];
  /** Files that the document itself holds, such as the values of a chart. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly paused?: Pause;
  readonly digest: string;
}
