export interface ReleaseInput {
  /** An existing tag. */
  readonly tag: string;
  readonly name: string;
  readonly body: string;
  readonly prerelease?: boolean;
}

export interface Release {
  readonly id: number;
  readonly tag: string;
  readonly name: string;
  readonly body: string;
  readonly htmlUrl: string;
}

export interface ReleasesApi {
  getRelease(tag: string, signal?: AbortSignal): Promise<Release | null>;
  /** One release per tag: made, corrected or left alone. */
  upsertRelease(
    release: ReleaseInput,
    signal?: AbortSignal,
  ): Promise<{ readonly release: Release; readonly written: 'created' | 'updated' | 'unchanged' }>;
}
