import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import type { ArtifactContent } from '../registry-port.ts';
import { filesAt } from '../repository/package-files.ts';
import { revisionTagOf } from './registry-plan.ts';

export interface PublishedState {
  readonly commit: string;
  readonly directory: RepositoryDirectory;
  readonly revision: string;
  /** Only what is applied. */
  readonly rendered: boolean;
}

/** What a registry is given of a published state: the same for the same commit, whoever asks and whenever. */
export async function publishedArtifact({
  ports: { content },
  git,
  facts: { cloneUrl },
  state: { commit, directory, revision, rendered },
  signal,
}: {
  readonly ports: Pick<Ports, 'content'>;
  readonly git: Pick<Git, 'readPackage'>;
  readonly facts: Pick<RepositoryFacts, 'cloneUrl'>;
  readonly state: PublishedState;
  readonly signal: AbortSignal | undefined;
}): Promise<ArtifactContent> {
  const files = await filesAt(git, commit, directory, signal);
  const version = revisionTagOf(revision);
  return {
    files: rendered ? await content.deployable(files, signal) : files,
    // Flux takes what stands behind the @ for the commit that it applies.
    facts: { source: cloneUrl.replace(/\.git$/, ''), revision: `${revision}@sha1:${commit}`, version },
  };
}
