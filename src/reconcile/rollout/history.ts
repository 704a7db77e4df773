/** Which revisions of its upstream a downstream package has been at, as its own published revisions and its branch tell. */

import type { Catalog, CatalogRepository } from '../../catalog/catalog.ts';
import type { MappedAddress } from '../../package/upstream-map.ts';
import { fileIn, repositoryDirectory, type RepositoryDirectory } from '../../revision/package-path.ts';
import { parseRevisionName } from '../../revision/revision-name.ts';
import type { Git } from '../git-port.ts';
import { readKptfileAt, withMappedLock } from '../repository/kptfile-at.ts';
import { loadRevisionRefs, tagOf, taggedRevisions } from '../repository/package-revisions.ts';

/** Own revisions of a downstream, and commits of its Kptfile, that are looked through; a way back leads to a recent one. */
const MAX_LOOKED_AT = 50;

/** An upstream package: its repository, and where it is from the top, `.` for the top. */
export interface UpstreamPlace {
  readonly upstream: Pick<CatalogRepository, 'ref'>;
  readonly directory: RepositoryDirectory;
}

/** A downstream package in its repository's mirror. */
export interface DownstreamPlace {
  readonly git: Git;
  readonly directory: RepositoryDirectory;
  /** Head of the registered branch. */
  readonly head: string;
  /** Where addresses that its locks name are now. */
  readonly map?: readonly MappedAddress[] | undefined;
}

/**
 * Names of the upstream's revisions that the package was made from, the latest first: those of its own published revisions, or,
 * where these tell of one alone, those that stood on the registered branch. It ends where the package had another upstream. The mirror must have been fetched.
 */
export async function upstreamHistory(
  catalog: Pick<Catalog, 'byUrl'>,
  { git, directory, head, map }: DownstreamPlace,
  upstream: UpstreamPlace,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const refs = await loadRevisionRefs(git, signal);
  const tagged = taggedRevisions(refs, directory)
    .slice(-MAX_LOOKED_AT)
    .toReversed()
    .flatMap(({ name }) => tagOf(refs, directory, name)?.commit ?? []);
  const published = await namesAt(catalog, { git, directory, map, commits: tagged }, upstream, signal);
  if (published.length > 1) return published;
  const path = fileIn(directory, 'Kptfile');
  const options = { path, limit: MAX_LOOKED_AT, firstParent: true };
  const commits = (await git.log({ to: head }, options, signal)).map(({ oid }) => oid);
  return namesAt(catalog, { git, directory, map, commits }, upstream, signal);
}

async function namesAt(
  catalog: Pick<Catalog, 'byUrl'>,
  { git, directory, map, commits }: Omit<DownstreamPlace, 'head'> & { readonly commits: readonly string[] },
  upstream: UpstreamPlace,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const commit of commits) {
    const read = await readKptfileAt(git, commit, directory, signal);
    const lock = withMappedLock(read, map).kptfile?.upstreamLock?.git;
    if (lock === undefined || catalog.byUrl(lock.repo)?.ref.id !== upstream.upstream.ref.id) break;
    if (repositoryDirectory(lock.directory) !== upstream.directory) break;
    const name = revisionOf(lock.ref);
    if (name !== undefined) names.add(name);
  }
  return [...names];
}

/** The revision that the ref of a lock names, such as `web/v3`; undefined where it names a branch or a commit. */
export function revisionOf(ref: string): string | undefined {
  return parseRevisionName(ref.slice(ref.lastIndexOf('/') + 1))?.name;
}
