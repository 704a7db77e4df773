import { fileIn } from '../../revision/package-path.ts';
import type { RepositoryAccess } from '../ports.ts';
import { allRevisions, loadRevisionRefs, taggedRevisions, tagOf } from '../repository/package-revisions.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { recordedProvenance } from '../repository/tag-provenance.ts';

export interface PublishedRevision {
  readonly path: string;
  readonly revision: string;
  readonly url: string;
  /** The revision before it, and the address of the difference; absent for the first. */
  readonly before?: { readonly revision: string; readonly compare: string };
  /** Published without the approvals that it needed. */
  readonly unapproved?: boolean;
  /** Its tag was removed since; nothing is at `url`. */
  readonly retired?: boolean;
}

/** The revisions that a merged proposal became, as their tags or, once retired, the ledger say; null while one is still to be tagged. */
export async function publishedOf(
  { git }: Pick<RepositoryAccess, 'git'>,
  { packages, pull, facts }: Pick<ProposalSnapshot, 'packages' | 'pull' | 'facts'>,
  signal?: AbortSignal,
): Promise<readonly PublishedRevision[] | null> {
  const refs = await loadRevisionRefs(git, signal);
  const published: PublishedRevision[] = [];
  for (const { path, directory, trees } of packages) {
    if (trees.head === null) continue;
    const names = allRevisions(refs, directory).map(({ name }) => name);
    const found = await newestFrom(names, async (name) => {
      const provenance = await recordedProvenance({ git, refs, directory, revision: name, signal });
      return provenance?.proposal === pull.number
        ? { name, unapproved: provenance.unapproved === true }
        : undefined;
    });
    if (found === undefined) return null;
    const tag = fileIn(directory, found.name);
    const retired = tagOf(refs, directory, found.name) === undefined;
    const earlier = taggedRevisions(refs, directory)
      .map(({ name }) => name)
      .filter((name) => names.indexOf(name) < names.indexOf(found.name))
      .at(-1);
    const place = (revision: string): string =>
      encodeURIComponent(fileIn(directory, revision)).replaceAll('%2F', '/');
    published.push({
      path,
      revision: found.name,
      url: `${facts.htmlUrl}/releases/tag/${encodeURIComponent(tag)}`,
      ...(earlier !== undefined &&
        !retired && {
          before: {
            revision: earlier,
            compare: `${facts.htmlUrl}/compare/${place(earlier)}...${place(found.name)}`,
          },
        }),
      ...(found.unapproved && { unapproved: true }),
      ...(retired && { retired }),
    });
  }
  return published;
}

async function newestFrom<Found>(
  names: readonly string[],
  look: (name: string) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  for (const name of names.toReversed().slice(0, 50)) {
    const found = await look(name);
    if (found !== undefined) return found;
  }
  return undefined;
}
