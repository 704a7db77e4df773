import { repositoryName } from '../../catalog/catalog.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { RepositoryAccess, RepositoryRef, Ports, RepositoryWork } from '../ports.ts';
import type { ProposalPackage, ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { contentMayFlow, type Shared } from '../repository/visibility.ts';
import { needWholeIndex } from '../repository/whole-index.ts';
import { code } from '../text/markdown-blocks.ts';

/** A revision as a lock may name it. */
export interface LockedTo {
  /** Name of the tag. */
  readonly tag: string;
  /** The tag's object, and the commit behind it. */
  readonly ids: readonly string[];
}

/** Users of a package that a refusal names. */
const MAX_NAMED = 50;

/**
 * The downstream packages that the index knows of a package, or of one revision of it, as Markdown for people. Those in
 * repositories that may not be named here are one item, whatever their number.
 * @throws PorticoError INDEX_INCOMPLETE
 */
export async function knownUsers(
  { ports, access: { ref }, signal }: RepositoryWork<'catalog' | 'open', 'ref'>,
  facts: RepositoryFacts,
  directory: RepositoryDirectory,
  revision?: LockedTo,
): Promise<string[]> {
  needWholeIndex(ports);
  const followers = ports.catalog.followers(ref.id, directory).filter(({ package: { lock } }) => {
    if (revision === undefined) return true;
    return (
      lock !== null &&
      (revision.ids.includes(lock.commit) || lock.ref.replace(/^refs\/tags\//, '') === revision.tag)
    );
  });
  const names: string[] = [];
  let hidden = false;
  const here: Shared = { facts, config: ports.catalog.get(facts.id) ?? {} };
  const visible = new Map<number, boolean>();
  for (const { repository, package: found } of followers) {
    const { id } = repository.ref;
    if (!visible.has(id)) {
      visible.set(id, id === facts.id || (await mayBeNamed(ports, repository.ref, here, signal)));
    }
    if (visible.get(id) === true) {
      names.push(code(`${repositoryName(repository)}:${found.directory}`));
    } else hidden = true;
  }
  const more = names.length - MAX_NAMED;
  return [
    ...names.slice(0, MAX_NAMED),
    ...(more > 0 ? [`${more} more`] : []),
    ...(hidden ? [`${names.length === 0 ? 'packages' : 'others'} that cannot be named here`] : []),
  ];
}

async function mayBeNamed(
  ports: Pick<Ports, 'open'>,
  ref: RepositoryRef,
  here: Shared,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const access = await ports.open(ref, signal);
  return contentMayFlow({ access, facts: await access.forge.get(signal) }, here, signal);
}

/** Packages that a proposal removes. */
export function removedPackages({ packages }: Pick<ProposalSnapshot, 'packages'>): ProposalPackage[] {
  return packages.filter(({ trees }) => trees.head === null);
}

/** Who uses what a proposal removes. */
export async function usersOfRemoved(
  ports: Pick<Ports, 'catalog' | 'open'>,
  access: Pick<RepositoryAccess, 'ref'>,
  snapshot: Pick<ProposalSnapshot, 'packages' | 'facts'>,
  signal?: AbortSignal,
): Promise<string[]> {
  const users: string[] = [];
  for (const { directory } of removedPackages(snapshot)) {
    users.push(...(await knownUsers({ ports, access, signal }, snapshot.facts, directory)));
  }
  return users;
}
