/** What the reconcilers need of content that packages take from elsewhere: charts, archives, bundles, other repositories. */
import type { PackageFiles } from '../package/package.ts';
import type { ForeignFunctions, FunctionRuntime } from '../package/render/function-runtime.ts';
import type { ReadingOf } from '../package/sources/sources-reading.ts';

/** What a source is pinned to, as its lock has it. */
export interface SourcePin {
  /** Address and digest, or repository and commit. */
  readonly resolved: string;
  /** The tag or version that led there. */
  readonly version?: string | undefined;
}

/** One source, and how the package stands to it. */
export interface SourceStanding {
  readonly id: string;
  readonly kind: string;
  /** The directory that it fills. */
  readonly destination: string;
  /** What the document asks for leads elsewhere only by a newer version: a range. */
  readonly isRange: boolean;
  /** It leads nowhere else tomorrow, so nobody asks. */
  readonly isImmutable: boolean;
  /** Its directory is as the lock has it, as far as digests tell that somebody may have written. */
  readonly isHeld: boolean;
  /** Over where it comes from and the credential that is used there, as the document has them. */
  readonly originDigest: string;
  /** Absent where the lock has it not, or from another place. */
  readonly pinned?: SourcePin;
}

export interface SourceProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint: string;
}

export type SourcesReading = ReadingOf<SourceStanding, SourceProblem>;

/** Why something was not fetched or made. */
export interface SourceRefusal {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** What may be run, and where: all of it of the base branch. */
export interface SourceSetting {
  /** Account of the repository that asks: its credentials are used. */
  readonly owner: string;
  readonly runtime: FunctionRuntime;
  readonly foreign: ForeignFunctions;
  /** Files of target profiles, by their paths in the repository. */
  readonly targets: PackageFiles;
}

export type Synced =
  | {
      readonly kind: 'synced';
      /** The package as it should be, its lock included. */
      readonly files: PackageFiles;
      /** What is not as the lock or the document says, in sentences. */
      readonly differences: readonly string[];
      /** What processors left out, or could not do as meant. */
      readonly notes: readonly string[];
    }
  | ({ readonly kind: 'refused'; readonly isPassing: boolean } & SourceRefusal);

/** A package before and after something changed in it. */
export interface PackageChange {
  readonly path: string;
  readonly before: PackageFiles;
  readonly after: PackageFiles;
}

/** `directories`: those of the sources that change. `others`: packages that change beside it; an object may go from one to another. */
export interface SourcesChange extends PackageChange {
  readonly directories: readonly string[];
  readonly others?: readonly PackageChange[];
}

/** What a change of a package does to the objects of a cluster. */
export interface SourceReport {
  /** Why it must not be merged as it is: custom resource definitions that go, or break what is stored. */
  readonly failures: readonly string[];
  readonly warnings: readonly string[];
  /** Markdown: what stays, is added, removed, recreated, changes its owner; and which permissions are gained and lost. */
  readonly text: string;
  /** Inert Markdown: what publishers wrote about the new versions. */
  readonly notes: readonly string[];
}

export interface PackageSources {
  /** Reads document and lock of a package. */
  read(files: PackageFiles, signal?: AbortSignal): Promise<SourcesReading>;
  /**
   * What a source of the document leads to now, or with `version` where that is, if its range has it. Asked once in an interval for
   * all who have it.
   */
  resolve(
    place: {
      readonly owner: string;
      readonly files: PackageFiles;
      readonly id: string;
      readonly version?: string;
    },
    signal?: AbortSignal,
  ): Promise<SourcePin | ({ readonly isPassing: boolean } & SourceRefusal)>;
  /** The package with these sources at these pins, and its processors run. */
  renew(
    files: PackageFiles,
    pins: ReadonlyMap<string, SourcePin>,
    setting: SourceSetting,
    signal?: AbortSignal,
  ): Promise<Synced>;
  /** The package as its lock says, whatever is in it: fetched and made again. */
  verify(files: PackageFiles, setting: SourceSetting, signal?: AbortSignal): Promise<Synced>;
  report(change: SourcesChange, signal?: AbortSignal): Promise<SourceReport>;
}
