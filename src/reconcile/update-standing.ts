/** What stands already: branch and pull requests of one update, and what they say about the next step. */
import { parseRevisionName } from '../revision/revision-name.ts';
import { branchHead, type Downstream } from './downstream.ts';
import type { Pull } from './forge-port.ts';
import { conflictKey } from './open-conflicts.ts';
import type { World } from './ports.ts';
import { updateTitle } from './update-body.ts';
import { holdsConflicts, newestSealed, type UpdateRecord } from './update-record.ts';
import { withheld, type Withheld } from './update-target.ts';
import { variantDigest } from './variant-content.ts';

/** A revision that was asked for by command stays the target of its pull request until it is closed. */
export async function askedBefore(
  world: World,
  down: Downstream,
  open: Pull | undefined,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (open === undefined || down.config.updates.follow.kind !== 'none' || down.planned) return undefined;
  const head = await branchHead(down, signal);
  const ours = head === null ? null : await newestSealed(down.access.git, head, world.hmac, signal);
  return ours?.record.to;
}

/** A closed update pull request means: not this revision. */
export async function declinedBefore(
  world: World,
  down: Downstream,
  pulls: readonly Pull[],
  revision: string,
  signal?: AbortSignal,
): Promise<Withheld | null> {
  for (const pull of pulls.filter(({ state, merged }) => state === 'closed' && !merged).slice(0, 10)) {
    const head = await down.access.git.resolve(pull.headSha, signal);
    const ours = head === null ? null : await newestSealed(down.access.git, head, world.hmac, signal);
    // What a variant asks for may change while the revision stays.
    if (ours?.record.to === revision && asksTheSame(ours.record, down)) {
      return withheld(
        'declined',
        `#${pull.number} was closed: not ${revision}. Open it again, or ask with /portico update.`,
      );
    }
  }
  return null;
}

/** Withheld while as many update pull requests are open as the configuration allows. */
export async function tooMany(
  world: World,
  down: Downstream,
  signal?: AbortSignal,
): Promise<Withheld | null> {
  const open = await down.access.forge.listOpenPulls(signal);
  const updates = open.filter(
    ({ headRef, author, headRepositoryId }) =>
      headRef.startsWith('portico/update/') &&
      author === world.app.botLogin &&
      headRepositoryId === down.facts.id,
  );
  const { maxOpen } = down.config.updates;
  if (updates.length < maxOpen) return null;
  return withheld(
    'limit',
    `${updates.length} update pull requests are open, and updates.maxOpen is ${maxOpen}: merge or close one.`,
  );
}

/**
 * True when the branch holds this revision, made for the package as it is on the registered branch now, and the pull
 * request still lists the conflicts of it.
 */
export async function isCurrent(
  world: World,
  down: Downstream,
  head: string,
  revision: string,
  pull: Pull,
  signal?: AbortSignal,
): Promise<boolean> {
  const { access, base, directory, branch, facts } = down;
  const { git } = access;
  const ours = await newestSealed(git, head, world.hmac, signal);
  if (ours === null || ours.record.to !== revision || !asksTheSame(ours.record, down)) return false;
  if (tellsAnother(pull.title, updateTitle(down, revision), revision)) return false;
  if (!holdsConflicts(conflictKey(facts.id, branch), pull.body, ours.record, world.hmac)) return false;
  const then = await git.treeId(ours.record.base, directory, signal);
  return then === (await git.treeId(base.oid, directory, signal));
}

/** The branch was pushed, and then the forge refused or the process ended: the words are still of the revision before. */
function tellsAnother(title: string, wanted: string, revision: string): boolean {
  const words = wanted.endsWith(revision) ? wanted.slice(0, -revision.length) : '';
  const told = words !== '' && title.startsWith(words) ? title.slice(words.length) : '';
  return told !== revision && parseRevisionName(told) !== undefined;
}

function asksTheSame({ variant }: UpdateRecord, { planned }: Downstream): boolean {
  return variant?.digest === (planned === undefined ? undefined : variantDigest(planned));
}
