import type { RepositoryDirectory } from '../../revision/package-path.ts';
import { parseProvenance, type Provenance } from '../../revision/provenance.ts';
import type { Git } from '../git-port.ts';
import { publishedRefs, tagOf, type RevisionRefs } from './package-revisions.ts';

/**
 * What the tag of a revision says of itself, where Portico made it: the ledger holds the same tag object. Anybody who may
 * push can make a tag with any trailers; such a one takes its number, and nothing that it says is believed.
 */
export async function provenanceOf({
  git,
  refs,
  directory,
  revision,
  signal,
}: {
  readonly git: Pick<Git, 'tag'>;
  readonly refs: RevisionRefs;
  readonly directory: RepositoryDirectory;
  readonly revision: string;
  readonly signal?: AbortSignal | undefined;
}): Promise<(Provenance & { readonly message: string }) | undefined> {
  const tag = tagOf(refs, directory, revision);
  if (tag === undefined || refs.ledger.get(publishedRefs(directory, revision).ledger)?.oid !== tag.oid) {
    return undefined;
  }
  const message = (await git.tag(tag.oid, signal))?.message;
  const provenance = message === undefined ? undefined : parseProvenance(message);
  return provenance && message !== undefined ? { ...provenance, message } : undefined;
}
