import type { RepositoryFacts } from './forge-port.ts';
import { code } from './markdown-blocks.ts';
import { refPath } from './package-revisions.ts';
import type { Access, World } from './ports.ts';
import type { ProposalPackage, ProposalSnapshot } from './proposal-snapshot.ts';
import { mayFlow } from './visibility.ts';
import { needWholeIndex } from './whole-index.ts';

/** A revision as a lock may name it. */
export interface LockedTo {
  /** Name of the tag. */
  readonly tag: string;
  /** The tag's object, and the commit behind it. */
  readonly ids: readonly string[];
}

const MOST_NAMED = 50;

/**
 * The downstream packages that the index knows of a package, or of one revision of it, as Markdown for people. Those in
 * repositories that are less public than this one are only counted.
 * @throws PorticoError INDEX_INCOMPLETE
 */
export async function knownUsers(
  world: Pick<World, 'catalog' | 'open'>,
  { ref }: Pick<Access, 'ref'>,
  facts: RepositoryFacts,
  directory: string,
  revision?: LockedTo,
  signal?: AbortSignal,
): Promise<string[]> {
  needWholeIndex(world);
  const followers = world.catalog.followers(ref.id, refPath(directory)).filter(({ package: { lock } }) => {
    if (revision === undefined) return true;
    return (
      lock !== null &&
      (revision.ids.includes(lock.commit) || lock.ref.replace(/^refs\/tags\//, '') === revision.tag)
    );
  });
  const names: string[] = [];
  let hidden = 0;
  const visible = new Map<number, boolean>();
  for (const { repository, package: found } of followers) {
    const { id } = repository.ref;
    if (!visible.has(id)) {
      const theirs =
        id === facts.id ? facts : await (await world.open(repository.ref, signal)).forge.get(signal);
      visible.set(id, mayFlow(theirs, facts));
    }
    if (visible.get(id) === true && names.length < MOST_NAMED) {
      names.push(code(`${repository.ref.owner}/${repository.ref.name}:${found.directory}`));
    } else hidden += 1;
  }
  if (hidden === 0) return names;
  return [...names, `${hidden} ${names.length === 0 ? '' : 'more '}that cannot be named here`];
}

/** Packages that a proposal removes. */
export function removedPackages({ packages }: Pick<ProposalSnapshot, 'packages'>): ProposalPackage[] {
  return packages.filter(({ trees }) => trees.head === null);
}

/** Who uses what a proposal removes. */
export async function usersOfRemoved(
  world: Pick<World, 'catalog' | 'open'>,
  access: Pick<Access, 'ref'>,
  snapshot: Pick<ProposalSnapshot, 'packages' | 'facts'>,
  signal?: AbortSignal,
): Promise<string[]> {
  const users: string[] = [];
  for (const { directory } of removedPackages(snapshot)) {
    users.push(...(await knownUsers(world, access, snapshot.facts, directory, undefined, signal)));
  }
  return users;
}
