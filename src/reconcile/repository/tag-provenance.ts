import type { RepositoryDirectory } from '../../revision/package-path.ts';
import { parseProvenance, type Provenance } from '../../revision/provenance.ts';
import type { Git } from '../git-port.ts';
import { publishedRefs, tagOf, type RevisionRefs } from './package-revisions.ts';

/**
 * What the tag of a revision says of itself, where Portico made it: the ledger holds the same tag object. Anybody who may
 * push can make a tag with any trailers; such a one takes its number, and nothing that it says is believed.
 */
export async function provenanceOf(of: Recorded): Promise<TagProvenance | undefined> {
  return tagOf(of.refs, of.directory, of.revision) === undefined ? undefined : recordedProvenance(of);
}

/** The same, also of a retired revision: its tag is gone, and the ledger still holds the tag object. */
export async function recordedProvenance({
  git,
  refs,
  directory,
  revision,
  signal,
}: Recorded): Promise<TagProvenance | undefined> {
  const tag = tagOf(refs, directory, revision);
  const kept = refs.ledger.get(publishedRefs(directory, revision).ledger);
  if (kept === undefined || (tag !== undefined && tag.oid !== kept.oid)) return undefined;
  const message = (await git.tag(kept.oid, signal))?.message;
  const provenance = message === undefined ? undefined : parseProvenance(message);
  return provenance && message !== undefined ? { ...provenance, message } : undefined;
}

type TagProvenance = Provenance & { readonly message: string };

interface Recorded {
  readonly git: Pick<Git, 'tag'>;
  readonly refs: RevisionRefs;
  readonly directory: RepositoryDirectory;
  readonly revision: string;
  readonly signal?: AbortSignal | undefined;
}
