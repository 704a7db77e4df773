/** The bundles of operators in the revisions of a repository. */
import type { PublishedBundles } from '../../channels/named-revision.ts';
import type { OperatorEntry } from '../../channels/operator-entry.ts';
import { pathInRepository, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { publishedNumbers, type ChannelPlace } from '../repository/channel-files.ts';
import { mayHoldBundle } from '../repository/index-packages.ts';
import { tagOf, type RevisionRefs } from '../repository/package-revisions.ts';
import { catchUserError } from '../text/why-refused.ts';

export interface OperatorPlace {
  readonly git: Git;
  readonly refs: RevisionRefs;
  readonly directory: RepositoryDirectory;
}

/** What a revision says of itself as an operator's bundle; null where it holds none, or one that cannot be read. */
export async function operatorAt(
  { content }: Pick<Ports, 'content'>,
  { git, refs, directory }: OperatorPlace,
  revision: number,
  signal?: AbortSignal,
): Promise<OperatorEntry | null> {
  const commit = tagOf(refs, directory, `v${revision}`)?.commit;
  if (commit === undefined) return null;
  if (!(await mayHoldBundle(git, commit, directory, signal))) return null;
  const found = await git.readPackage(commit, directory, {}, signal);
  if (found === null) return null;
  // Its check has said what is wrong with it.
  return catchUserError(
    () => content.operator(found.files, signal),
    () => null,
  );
}

/** The published revisions of the package at a path, read once each. */
export function publishedBundles(
  ports: Pick<Ports, 'content'>,
  place: ChannelPlace,
  path: string,
  signal?: AbortSignal,
): PublishedBundles {
  const { git, refs, registered } = place;
  const directory = pathInRepository(registered, path);
  const read = new Map<number, Promise<OperatorEntry | null>>();
  return {
    published: publishedNumbers(place, path),
    bundleAt(revision) {
      const bundle = read.get(revision) ?? operatorAt(ports, { git, refs, directory }, revision, signal);
      read.set(revision, bundle);
      return bundle;
    },
  };
}
