import type { CatalogRepository } from '../catalog/catalog.ts';
import type { RepositoryConfig } from '../config/repository-config.ts';
import { loadConfiguration } from './configuration.ts';
import type { RepositoryFacts } from './forge-port.ts';
import type { UpstreamAccess } from './outside-upstream.ts';

const FROM_OPEN_TO_CLOSED: readonly RepositoryFacts['visibility'][] = ['public', 'internal', 'private'];

/** How the forge and the index tell it. */
type Readable = Pick<RepositoryFacts, 'visibility'> &
  ({ readonly owner: string } | { readonly ref: { readonly owner: string } });

/**
 * Pure: content, and even a name, goes only where as few people can read it as where it comes from. What is private to
 * one owner is not what is private to another: between owners only what is public goes, whatever a lock or a document
 * says, because anybody can install the App and write one.
 */
export function mayFlow(from: Readable, to: Readable): boolean {
  if (from.visibility === 'public') return true;
  if (ownerOf(from) !== ownerOf(to)) return false;
  return FROM_OPEN_TO_CLOSED.indexOf(from.visibility) <= FROM_OPEN_TO_CLOSED.indexOf(to.visibility);
}

function ownerOf(one: Readable): string {
  return ('owner' in one ? one.owner : one.ref.owner).toLowerCase();
}

/** A repository with the configuration of its base branch. */
export interface Shared {
  readonly facts: RepositoryFacts;
  readonly config: Pick<RepositoryConfig, 'sharing'>;
}

/**
 * Whether content goes from a repository into another: to where as few can read it, or because the base branches of
 * both name each other.
 */
export async function contentMayFlow(
  { access, facts }: { readonly access: UpstreamAccess; readonly facts: RepositoryFacts },
  to: Shared,
  signal?: AbortSignal,
): Promise<boolean> {
  if (mayFlow(facts, to.facts)) return true;
  // Nothing is read of a repository that this one does not ask for.
  if (!isNamed(to.config.sharing?.from, facts.fullName)) return false;
  await access.git.fetch({}, signal);
  const theirs = await loadConfiguration(access.git, facts.defaultBranch, signal);
  return theirs.state === 'registered' && isNamed(theirs.config.sharing?.to, to.facts.fullName);
}

function isNamed(entries: readonly string[] | undefined, fullName: string): boolean {
  const name = fullName.toLowerCase();
  return (entries ?? []).some((entry) => {
    const wanted = entry.toLowerCase();
    return wanted === name || (wanted.endsWith('/*') && name.startsWith(wanted.slice(0, -1)));
  });
}

/**
 * Pure: whether an issue in `board` may name a repository: if whoever reads the one can certainly read the other, or
 * if that one's configuration agrees and it is no more private.
 */
export function isNamedOn(
  one: Pick<CatalogRepository, 'ref' | 'visibility' | 'organization'>,
  board: Pick<CatalogRepository, 'ref' | 'visibility'>,
): boolean {
  if (one.ref.id === board.ref.id) return true;
  const { listed } = one.organization ?? {};
  if (listed === false) return false;
  if (one.visibility === 'public') return true;
  if (one.visibility === 'internal' && board.visibility === 'internal') return true;
  return listed === true && mayFlow(one, board);
}
