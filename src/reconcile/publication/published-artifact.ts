import type { RepositoryFacts } from '../forge/repository.ts';
import type { Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import type { ArtifactContent } from '../registry-port.ts';
import { filesAt } from '../repository/package-files.ts';
import { revisionTagOf } from './registry-plan.ts';

export interface PublishedState {
  readonly commit: string;
  readonly directory: string;
  readonly revision: string;
  /** Only what is applied. */
  readonly rendered: boolean;
}

/** What a registry is given of a published state: the same for the same commit, whoever asks and whenever. */
export async function publishedArtifact(
  { content }: Pick<Ports, 'content'>,
  git: Pick<Git, 'readPackage'>,
  { cloneUrl }: Pick<RepositoryFacts, 'cloneUrl'>,
  { commit, directory, revision, rendered }: PublishedState,
  signal: AbortSignal | undefined,
): Promise<ArtifactContent> {
  const files = await filesAt(git, commit, directory, signal);
  const version = revisionTagOf(revision);
  return {
    files: rendered ? await content.deployable(files, signal) : files,
    // Flux takes what stands behind the @ for the commit that it applies.
    facts: { source: cloneUrl.replace(/\.git$/, ''), revision: `${revision}@sha1:${commit}`, version },
  };
}
