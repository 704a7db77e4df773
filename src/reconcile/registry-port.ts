/** What the reconcilers need of registries. */
import type { PackageFiles } from '../package/package.ts';

/** An artefact: everything of it follows from this. */
export interface ArtifactContent {
  readonly files: PackageFiles;
  readonly facts: { readonly source: string; readonly revision: string; readonly version: string };
}

export interface RegistryPlace {
  /** `ghcr.io/acme/packages/web` */
  readonly repository: string;
  /** Account of the repository that asks. */
  readonly owner: string;
  /** Name of a credential that the host holds. */
  readonly credentials?: string;
}

export type RegistryPush =
  | {
      readonly digest: string;
      readonly tags: readonly { readonly tag: string; readonly outcome: 'created' | 'moved' | 'unchanged' }[];
    }
  /** A fixed tag leads to something else. */
  | { readonly refused: { readonly tag: string; readonly held: string; readonly wanted: string } };

export interface Registries {
  /** The digest of the artefact, which nothing but its content decides. */
  digest(content: ArtifactContent): Promise<string>;
  /** What a tag leads to; undefined where there is none. */
  resolve(place: RegistryPlace, tag: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Content first, tags last; may run any number of times. */
  push(
    place: RegistryPlace,
    content: ArtifactContent,
    tags: { readonly fixed: readonly string[]; readonly moving: readonly string[] },
    signal?: AbortSignal,
  ): Promise<RegistryPush>;
}
