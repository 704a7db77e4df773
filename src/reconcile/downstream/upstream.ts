import { type UpstreamLock } from '../../catalog/catalog.ts';
import type { Kptfile } from '../../package/kptfile-types.ts';
import { fileIn, repositoryDirectory, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { RepositoryAccess, RepositoryRef, Ports } from '../ports.ts';
import type { CredentialRefusal } from '../repository/credential-refusal.ts';
import {
  openOutside,
  outsideAddress,
  type Outside,
  type UpstreamAccess,
} from '../repository/outside-upstream.ts';
import {
  loadRevisionRefs,
  newestRevision,
  tagOf,
  taggedRevisions,
  type RevisionRefs,
} from '../repository/package-revisions.ts';
import type { PlannedVariant } from './variant-plan.ts';

/** A package's upstream, opened: where it is, what it is locked to, and which revisions it has. */
export interface Upstream {
  readonly access: UpstreamAccess;
  /** Where it is, outside of every installation. */
  readonly address?: string;
  readonly refs: RevisionRefs;
  /** From the top of the upstream's repository; '' is the top. */
  readonly directory: RepositoryDirectory;
  readonly lock: UpstreamLock;
  /** Revision that the lock names; undefined where it is locked to a branch or a bare commit. */
  readonly current: string | undefined;
  /** The commit that the package was made from; null where the upstream no longer has it. */
  readonly baseCommit: string | null;
  readonly newest: string | undefined;
  /** Where `baseCommit` is, when the package was made from another package than this one. */
  readonly base?: { readonly access: UpstreamAccess; readonly directory: RepositoryDirectory };
}

export type UpstreamResult =
  | { readonly kind: 'upstream'; readonly upstream: Upstream }
  | { readonly kind: 'none'; readonly reason: 'no-lock' | 'not-registered' | 'unreachable' | 'moved' }
  | { readonly kind: 'none'; readonly reason: 'credentials'; readonly refusal: CredentialRefusal };

/**
 * Opens the upstream that a variant names. What the package was made from so far is told by its lock, wherever that is;
 * a package that is not there yet has none.
 */
export async function openPlanned(
  ports: Ports,
  { upstream: place }: Pick<PlannedVariant, 'upstream'>,
  kptfile: Kptfile | null,
  signal?: AbortSignal,
): Promise<Upstream> {
  const locked = kptfile === null ? undefined : await openUpstream(ports, kptfile, signal);
  const own = locked?.kind === 'upstream' ? locked.upstream : undefined;
  const { directory } = place;
  if (own?.access.ref.id === place.repository.ref.id && own.directory === directory) return own;
  const access = await ports.open(place.repository.ref, signal);
  await access.git.fetch({}, signal);
  const refs = await loadRevisionRefs(access.git, signal);
  const repo = (place.repository.urls[0] ?? '').replace(/\.git$/, '');
  return {
    access,
    refs,
    directory,
    lock: { repo, directory: place.directory, ref: '', commit: '' },
    current: undefined,
    baseCommit: own?.baseCommit ?? null,
    newest: newestRevision(refs, directory)?.name,
    ...(own && { base: { access: own.access, directory: own.directory } }),
  };
}

/** Opens the upstream of a package: a repository Portico is installed in, or one of `outside`. */
export async function openUpstream(
  ports: Ports,
  kptfile: Kptfile,
  signal?: AbortSignal,
  outside?: Outside,
): Promise<UpstreamResult> {
  const lock = kptfile.upstreamLock?.git;
  if (lock === undefined) return { kind: 'none', reason: 'no-lock' };
  const repository = ports.catalog.byUrl(lock.repo);
  const address =
    repository === undefined && outside !== undefined ? outsideAddress(lock.repo, outside) : undefined;
  const access =
    repository !== undefined
      ? await openFetched(ports, repository.ref, signal)
      : address !== undefined && outside !== undefined
        ? await openOutside(ports, address, outside, signal)
        : 'not-registered';
  if (typeof access === 'string') return { kind: 'none', reason: access };
  if ('why' in access) return { kind: 'none', reason: 'credentials', refusal: access };
  const refs = await loadRevisionRefs(access.git, signal);
  const directory = repositoryDirectory(lock.directory);
  const locked = await lockedRevision({ git: access.git, refs, directory, lock, signal });
  return {
    kind: 'upstream',
    upstream: {
      access,
      ...(address !== undefined && { address }),
      refs,
      directory,
      lock: { repo: lock.repo, directory, ref: lock.ref, commit: lock.commit },
      ...locked,
      newest: newestRevision(refs, directory)?.name,
    },
  };
}

async function openFetched(
  ports: Ports,
  ref: RepositoryRef,
  signal: AbortSignal | undefined,
): Promise<UpstreamAccess> {
  const access = await ports.open(ref, signal);
  await access.git.fetch({}, signal);
  return access;
}

/** kpt writes the id of the annotated tag into the lock: it is peeled here, and the ref's own name is the second hint. */
async function lockedRevision({
  git,
  refs,
  directory,
  lock,
  signal,
}: {
  readonly git: RepositoryAccess['git'];
  readonly refs: RevisionRefs;
  readonly directory: RepositoryDirectory;
  readonly lock: { readonly ref: string; readonly commit: string };
  readonly signal: AbortSignal | undefined;
}): Promise<{ readonly current: string | undefined; readonly baseCommit: string | null }> {
  const known = taggedRevisions(refs, directory).map(({ name }) => ({
    name,
    tag: tagOf(refs, directory, name),
  }));
  const peeled = await git.resolve(lock.commit, signal);
  const byCommit = known.findLast(
    ({ tag }) => tag?.oid === lock.commit || (peeled !== null && tag?.commit === peeled),
  );
  const wanted = lock.ref.replace(/^refs\/tags\//, '');
  const byRef = known.find(({ name }) => wanted === name || wanted === fileIn(directory, name));
  const named = byRef ?? byCommit;
  return { current: named?.name, baseCommit: peeled ?? byRef?.tag?.commit ?? null };
}
