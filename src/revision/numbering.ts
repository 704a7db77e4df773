/** Which revisions a package has, and which number comes next. Numbers are never used twice. */

import { PorticoError } from '../error.ts';
import { repositoryDirectory, type RepositoryDirectory } from './package-path.ts';
import { parseRef } from './ref-name.ts';
import { compareRevisions, HIGHEST_NUMBER, parseRevisionName, type RevisionName } from './revision-name.ts';

export type Bump = 'major' | 'minor' | 'patch';

/** `sequence`: v1, v2, v3. SemVer: the proposal says which part goes up. */
export type Numbering = 'sequence' | { readonly semver: Bump };

/**
 * The revisions of the package at `path`, oldest first, each name once. `refs` are full ref names, of tags, of the
 * ledger, or both (`refs/tags/<path>/v1`, `refs/portico/published/<path>/v1`); others are passed over.
 */
export function revisionsOf(path: string, refs: Iterable<string>): RevisionName[] {
  return [...(revisionsByPath(refs).get(repositoryDirectory(path)) ?? [])];
}

/** The same for every package that has revisions, by its path. */
export function revisionsByPath(
  refs: Iterable<string>,
): ReadonlyMap<RepositoryDirectory, readonly RevisionName[]> {
  const found = new Map<RepositoryDirectory, Map<string, RevisionName>>();
  for (const ref of refs) {
    // The end of it tells most other refs apart, and is read in any case.
    const name = parseRevisionName(ref.slice(ref.lastIndexOf('/') + 1));
    const parsed = name === undefined ? undefined : parseRef(ref);
    if (name === undefined || (parsed?.kind !== 'revision' && parsed?.kind !== 'ledger')) continue;
    const names = found.get(parsed.path) ?? new Map<string, RevisionName>();
    found.set(parsed.path, names.set(name.name, name));
  }
  return new Map([...found].map(([path, names]) => [path, [...names.values()].sort(compareRevisions)]));
}

/** The newest release; a prerelease only where there is nothing else; undefined when there is no revision. */
export function latestRevision(revisions: readonly RevisionName[]): RevisionName | undefined {
  return highest(revisions.filter(({ prerelease }) => prerelease.length === 0)) ?? highest(revisions);
}

/** Looked for rather than sorted: this is asked again and again of a package that may have very many. */
function highest(revisions: Iterable<RevisionName>): RevisionName | undefined {
  let found: RevisionName | undefined;
  for (const one of revisions) if (found === undefined || compareRevisions(one, found) > 0) found = one;
  return found;
}

/**
 * The name that comes after all of `taken` (tags and ledger together; the order does not matter). The first is
 * `v1`, or in SemVer `v1.0.0`, `v0.1.0`, `v0.0.1` by the part named. Where the newest is a prerelease, the release it
 * announces comes next if it is enough for the part named.
 *
 * @throws PorticoError REVISION_LIMIT where the number would leave the range that can be counted exactly.
 */
export function nextRevision(taken: Iterable<RevisionName>, numbering: Numbering): string {
  const newest = highest(taken);
  const next = numbering === 'sequence' ? `v${(newest?.major ?? 0) + 1}` : bumped(newest, numbering.semver);
  if (parseRevisionName(next) === undefined) {
    throw new PorticoError(
      'REVISION_LIMIT',
      `there is no revision number after ${newest?.name ?? 'the newest'}`,
      { blame: 'user', hint: `Numbers go up to ${HIGHEST_NUMBER}; remove the tag that uses one so high.` },
    );
  }
  return next;
}

function bumped(newest: RevisionName | undefined, bump: Bump): string {
  const { major, minor, patch } = newest ?? { major: 0, minor: 0, patch: 0 };
  const announced = (newest?.prerelease.length ?? 0) > 0;
  if (bump === 'major')
    return announced && minor === 0 && patch === 0 ? `v${major}.0.0` : `v${major + 1}.0.0`;
  if (bump === 'minor') return announced && patch === 0 ? `v${major}.${minor}.0` : `v${major}.${minor + 1}.0`;
  return announced ? `v${major}.${minor}.${patch}` : `v${major}.${minor}.${patch + 1}`;
}
