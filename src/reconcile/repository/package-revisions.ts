import type { RepositoryConfig } from '../../config/repository-config.ts';
import { latestRevision, nextRevision, revisionsByPath, type Bump } from '../../revision/numbering.ts';
import { fileIn, repositoryDirectory, type RepositoryDirectory } from '../../revision/package-path.ts';
import { ledgerRef, revisionTag } from '../../revision/ref-name.ts';
import { compareRevisions, parseRevisionName, type RevisionName } from '../../revision/revision-name.ts';
import type { Git, GitRef } from '../git-port.ts';

/** The revisions of a repository's packages, as its refs tell them. */
export interface RevisionRefs {
  readonly tags: ReadonlyMap<string, GitRef>;
  readonly ledger: ReadonlyMap<string, GitRef>;
}

/** All refs that name revisions of packages: tags, and the ledger below `refs/portico/published/`. */
export async function loadRevisionRefs(git: Pick<Git, 'refs'>, signal?: AbortSignal): Promise<RevisionRefs> {
  const [tags, ledger] = await Promise.all([
    git.refs('refs/tags/', signal),
    git.refs('refs/portico/published/', signal),
  ]);
  for (const refs of [tags, ledger]) if (refs.size > IN_ONE_GO) await readNames(refs, signal);
  return { tags, ledger };
}

/** Names that are read before others have their turn: a repository may have a hundred thousand tags. */
const IN_ONE_GO = 5_000;

async function readNames(refs: ReadonlyMap<string, GitRef>, signal: AbortSignal | undefined): Promise<void> {
  if (known.has(refs)) return;
  const found = new Map<RepositoryDirectory, RevisionName[]>();
  const all = [...refs.keys()];
  for (let at = 0; at < all.length; at += IN_ONE_GO) {
    await othersTurn(signal);
    for (const [path, names] of revisionsByPath(all.slice(at, at + IN_ONE_GO))) {
      const before = found.get(path);
      if (before === undefined) found.set(path, [...names]);
      else for (const name of names) before.push(name);
    }
  }
  await othersTurn(signal);
  known.set(refs, new Map([...found].map(([path, names]) => [path, names.sort(compareRevisions)])));
}

async function othersTurn(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}

/** Every revision that a package has or had, oldest first. */
export function allRevisions(refs: RevisionRefs, directory: RepositoryDirectory): RevisionName[] {
  const all = [...(namesIn(refs.tags).get(directory) ?? []), ...(namesIn(refs.ledger).get(directory) ?? [])];
  return [...new Map(all.map((name) => [name.name, name])).values()].sort(compareRevisions);
}

type Names = ReturnType<typeof revisionsByPath>;
const known = new WeakMap<ReadonlyMap<string, GitRef>, Names>();

/** Names are read once from refs that stay as they are: a repository has many, and this is asked for each package. */
function namesIn(refs: ReadonlyMap<string, GitRef>): Names {
  const names = known.get(refs) ?? revisionsByPath(refs.keys());
  known.set(refs, names);
  return names;
}

/** Directory of each package that has published revisions (`.` for the top) → these, oldest first. */
export function revisionsByDirectory(
  refs: Pick<RevisionRefs, 'tags'>,
): ReadonlyMap<RepositoryDirectory, readonly string[]> {
  return new Map([...namesIn(refs.tags)].map(([path, list]) => [path, list.map(({ name }) => name)]));
}

/** Published revisions that still have their tag, oldest first. */
export function taggedRevisions(refs: RevisionRefs, directory: RepositoryDirectory): RevisionName[] {
  return [...(namesIn(refs.tags).get(directory) ?? [])];
}

/** The newest revision that still has its tag, with that tag. */
export function newestRevision(
  refs: RevisionRefs,
  directory: RepositoryDirectory,
): { readonly name: string; readonly tag: GitRef } | undefined {
  const newest = latestRevision(taggedRevisions(refs, directory));
  const tag = newest && tagOf(refs, directory, newest.name);
  return newest === undefined || tag === undefined ? undefined : { name: newest.name, tag };
}

/** The highest revision that still has its tag, prereleases included: what the branch is compared with. */
export function highestRevision(
  refs: RevisionRefs,
  directory: RepositoryDirectory,
): { readonly name: string; readonly tag: GitRef } | undefined {
  const highest = taggedRevisions(refs, directory).at(-1);
  const tag = highest && tagOf(refs, directory, highest.name);
  return highest === undefined || tag === undefined ? undefined : { name: highest.name, tag };
}

/** How many revisions beside the branch are passed over in search of one that lies on it. */
const BESIDE = 50;

/** A package, and the branch or commit in whose history its revisions are sought. */
export interface OnBranch {
  readonly git: Git;
  readonly refs: RevisionRefs;
  readonly directory: RepositoryDirectory;
  readonly head: string;
  readonly signal?: AbortSignal | undefined;
}

/** Revisions that have their tag: anyone who can push can write into the ledger, and rulesets protect tags. */
export function taggedOnly({ tags }: RevisionRefs): RevisionRefs {
  return { tags, ledger: new Map() };
}

/** The same of revisions that have their tag. */
export function taggedOnBranch({ refs, ...at }: OnBranch): Promise<string | null> {
  return publishedOnBranch({ ...at, refs: taggedOnly(refs) });
}

/**
 * The commit of the highest revision that lies on a branch, in its tag or, where that was deleted, in the ledger.
 * Tags elsewhere, which somebody else made, take their numbers and say nothing about the branch.
 */
export async function publishedOnBranch({
  git,
  refs,
  directory,
  head,
  signal,
}: OnBranch): Promise<string | null> {
  for (const { name } of allRevisions(refs, directory).slice(-BESIDE).toReversed()) {
    const ref = tagOf(refs, directory, name) ?? refs.ledger.get(publishedRefs(directory, name).ledger);
    if (ref !== undefined && (await git.isAncestor(ref.commit, head, signal))) return ref.commit;
  }
  return null;
}

/** The revision that a channel points at: a channel is a tag beside the revisions of the package. */
export function channelRevision(
  refs: RevisionRefs,
  directory: RepositoryDirectory,
  channel: string,
): string | undefined {
  const commit = refs.tags.get(`refs/tags/${fileIn(directory, channel)}`)?.commit;
  return commit === undefined ? undefined : revisionsByCommit(refs.tags, directory).get(commit);
}

type ByCommit = ReadonlyMap<string, string>;
const byCommit = new WeakMap<ReadonlyMap<string, GitRef>, Map<RepositoryDirectory, ByCommit>>();

/** The highest revision of a package at each commit. Whoever may push tags may make channels without number. */
function revisionsByCommit(tags: RevisionRefs['tags'], directory: RepositoryDirectory): ByCommit {
  const paths = byCommit.get(tags) ?? new Map<RepositoryDirectory, ByCommit>();
  byCommit.set(tags, paths);
  const before = paths.get(directory);
  if (before !== undefined) return before;
  const found = new Map<string, string>();
  for (const { name } of namesIn(tags).get(directory) ?? []) {
    const commit = tags.get(`refs/tags/${fileIn(directory, name)}`)?.commit;
    if (commit !== undefined) found.set(commit, name);
  }
  paths.set(directory, found);
  return found;
}

/** Directory of each package that has channels → channel → revision. A tag that leads to no revision is none. */
export function channelsByDirectory(
  refs: RevisionRefs,
): ReadonlyMap<RepositoryDirectory, ReadonlyMap<string, string>> {
  const all = new Map<RepositoryDirectory, Map<string, string>>();
  for (const ref of refs.tags.keys()) {
    const name = ref.slice('refs/tags/'.length);
    const slash = name.lastIndexOf('/');
    const [directory, last] = [repositoryDirectory(name.slice(0, Math.max(0, slash))), name.slice(slash + 1)];
    const revision =
      parseRevisionName(last) === undefined ? channelRevision(refs, directory, last) : undefined;
    if (revision !== undefined) all.set(directory, (all.get(directory) ?? new Map()).set(last, revision));
  }
  return all;
}

/** The tag of one revision. */
export function tagOf(
  refs: RevisionRefs,
  directory: RepositoryDirectory,
  revision: string,
): GitRef | undefined {
  return refs.tags.get(`refs/tags/${revisionTag(directory, revision)}`);
}

/** When a revision was published, in milliseconds: the date of its tag, or of its commit where the tag has none. */
export async function publishedAt(
  git: Pick<Git, 'tag' | 'commit'>,
  tag: GitRef,
  signal?: AbortSignal,
): Promise<number> {
  const date = (await git.tag(tag.oid, signal))?.tagger?.date;
  return Date.parse(date ?? (await git.commit(tag.commit, signal)).committer.date);
}

/** The ref names that publishing a revision creates. */
export function publishedRefs(
  directory: RepositoryDirectory,
  revision: string,
): { readonly tag: string; readonly ledger: string } {
  return { tag: revisionTag(directory, revision), ledger: ledgerRef(directory, revision) };
}

/** The name that the next revision gets; numbers of retired revisions are never used again. */
export function upcomingRevision(
  refs: RevisionRefs,
  directory: RepositoryDirectory,
  config: Pick<RepositoryConfig, 'versioning'>,
  bump: Bump = 'minor',
): string {
  // Both lists are in order, and the highest of all is the last of one of them.
  const last = [refs.tags, refs.ledger].flatMap((part) => namesIn(part).get(directory)?.at(-1) ?? []);
  return nextRevision(last, config.versioning === 'semver' ? { semver: bump } : 'sequence');
}
