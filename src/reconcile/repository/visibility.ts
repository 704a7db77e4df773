/**
 * Who may have what of whom. Content goes to where nobody can read it who could not read where it comes from, or where the
 * base configurations of both agree; names go no further than content. What a document says of another repository counts
 * as far as that one's base configuration names the repository that the document stands in.
 */
import type { CatalogRepository } from '../../catalog/catalog.ts';
import type { RepositoryConfig, Sharing } from '../../config/repository-config.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import { loadConfiguration } from './configuration.ts';
import type { UpstreamAccess } from './outside-upstream.ts';

const FROM_OPEN_TO_CLOSED: readonly RepositoryFacts['visibility'][] = ['public', 'internal', 'private'];

interface Name {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
}

/** A repository as the forge or the index tells it, with what its base configuration agrees to. */
export type Party = {
  readonly visibility: RepositoryFacts['visibility'];
  readonly sharing?: Sharing | undefined;
  readonly controlledBy?: readonly string[] | undefined;
} & (Name | { readonly ref: Name });

/**
 * Pure: whether content, and even a name, may go from one repository into another. Two private repositories of one owner
 * are not each other's readers: between them, and wherever more people could read it, both have to agree. Anybody can
 * install the App and write a lock or a document, so these prove nothing.
 */
export function mayFlow(from: Party, to: Party): boolean {
  if (nameOf(from).id === nameOf(to).id || from.visibility === 'public') return true;
  if (from.visibility === 'internal' && isSameOwner(from, to) && isAtLeastAsPrivate(from, to)) return true;
  return agree(from, to);
}

/** Both name each other, or share within their organisation. */
function agree(from: Party, to: Party): boolean {
  const listed = isListed(from.sharing?.to, to) && isListed(to.sharing?.from, from);
  return listed || (sharesWithin(from, to) && from.sharing?.within === true);
}

function sharesWithin(from: Party, to: Party): boolean {
  return to.sharing?.within === true && isSameOwner(from, to) && isAtLeastAsPrivate(from, to);
}

/** True where no more kinds of people can read `to` than `from`. */
function isAtLeastAsPrivate(from: Pick<Party, 'visibility'>, to: Pick<Party, 'visibility'>): boolean {
  return FROM_OPEN_TO_CLOSED.indexOf(from.visibility) <= FROM_OPEN_TO_CLOSED.indexOf(to.visibility);
}

/**
 * Pure: whether a repository obeys the documents that stand in `control`: its own always, others where it names that
 * repository and may be known there.
 */
export function isControlledBy(one: Party, control: Party): boolean {
  if (nameOf(one).id === nameOf(control).id) return true;
  return namesControl(one, control) && mayKnow(control, one);
}

/** Pure: whether what stands in `control` may speak of another repository: its name is told on dashboards there. */
export function mayKnow(control: Party, other: Party): boolean {
  return mayFlow(other, control) || (namesControl(other, control) && isAtLeastAsPrivate(other, control));
}

/** Pure: whether documents of `control`, and what they inject of it, may go into a repository that they ask for. */
function documentsMayFlow(control: Party, into: Party): boolean {
  // The document names that repository, and that repository names its place: they agree.
  return mayFlow(control, into) || (namesControl(into, control) && isAtLeastAsPrivate(control, into));
}

/**
 * Pure: whether updates of variants that are documented in `control` may merge themselves in a repository: where its documents
 * are obeyed, and its base configuration names it for that as well. Who writes to `control` then decides what is merged.
 */
export function mayMergeFor(
  one: Party,
  automergeFrom: readonly string[] | undefined,
  control: Party,
): boolean {
  if (nameOf(one).id === nameOf(control).id) return true;
  return isControlledBy(one, control) && isListed(automergeFrom, control);
}

function namesControl(one: Party, control: Party): boolean {
  return isSameOwner(one, control) && isListed(one.controlledBy, control);
}

/** A repository with the configuration of its base branch. */
export interface Shared {
  readonly facts: RepositoryFacts;
  readonly config: Pick<RepositoryConfig, 'sharing' | 'controlledBy'>;
}

/** What decides about it, as it is now. */
export function partyOf({ facts, config: { sharing, controlledBy } }: Shared): Party {
  return { ...facts, sharing, controlledBy };
}

/** Whether content goes from a repository into another, asked of the forge and of the base branches of both. */
export async function contentMayFlow(
  { access, facts }: { readonly access: Pick<UpstreamAccess, 'git'>; readonly facts: RepositoryFacts },
  to: Shared,
  signal?: AbortSignal,
): Promise<boolean> {
  const target = partyOf(to);
  if (mayFlow(facts, target)) return true;
  // Nothing is read of a repository that this one does not ask for.
  if (!isListed(target.sharing?.from, facts) && !sharesWithin(facts, target)) return false;
  await access.git.fetch({}, signal);
  const theirs = await loadConfiguration(access.git, facts.defaultBranch, signal);
  return theirs.state === 'registered' && mayFlow({ ...facts, sharing: theirs.config.sharing }, target);
}

/** The same with the documents of a control repository, see `documentsMayFlow`. */
export async function controlMayFlow(
  control: { readonly access: Pick<UpstreamAccess, 'git'>; readonly facts: RepositoryFacts },
  to: Shared,
  signal?: AbortSignal,
): Promise<boolean> {
  return documentsMayFlow(control.facts, partyOf(to)) || contentMayFlow(control, to, signal);
}

function isListed(entries: readonly string[] | undefined, party: Party): boolean {
  return isNamed(entries, nameOf(party));
}

/** Pure: whether entries as the configuration has them, `owner/name` or `owner/*`, name a repository. */
export function isNamed(
  entries: readonly string[] | undefined,
  { owner, name }: Pick<Name, 'owner' | 'name'>,
): boolean {
  const whole = `${owner}/${name}`.toLowerCase();
  return (entries ?? []).some((entry) => {
    const wanted = entry.toLowerCase();
    return wanted === whole || (wanted.endsWith('/*') && whole.startsWith(wanted.slice(0, -1)));
  });
}

/** Pure: of one account on the forge; an account has one installation. */
export function isSameOwner(a: Party, b: Party): boolean {
  return nameOf(a).owner.toLowerCase() === nameOf(b).owner.toLowerCase();
}

function nameOf(one: Party): Name {
  return 'ref' in one ? one.ref : one;
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
  return listed === true && isSameOwner(one, board) && isAtLeastAsPrivate(one, board);
}
