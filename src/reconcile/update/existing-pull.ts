/** What stands already: branch and pull requests of one update, and what they say about the next step. */
import { upstreamText } from '../../text/revision-text.ts';
import type { Downstream, DownstreamRepository } from '../downstream/downstream.ts';
import { withheld, type Withheld } from '../downstream/update-target.ts';
import { variantDigest } from '../downstream/variant-content.ts';
import { conflictKey } from '../merge/open-conflicts.ts';
import type { Ports } from '../ports.ts';
import { fetchedHead } from '../repository/pull-head.ts';
import { rolloutsOf } from '../rollout/scope.ts';
import { holdsConflicts, newestSealed, packagesOf, type UpdatedPackage } from '../seal/update-record.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { listsOtherPackages, revisionInTitle } from './body.ts';
import { wasClosedByPortico } from './close-obsolete.ts';
import type { UpdatePlan, Member, PlannedPull } from './plan.ts';
import { isAskedFor } from './push.ts';
import { showsAnotherPath } from './upgrade-path.ts';

/** A closed update pull request means: not these revisions. */
export async function declinedBefore(
  ports: Ports,
  { downstreamRepository, pulls }: UpdatePlan,
  { down, to }: Member,
  signal?: AbortSignal,
): Promise<Withheld | null> {
  const { git } = downstreamRepository.access;
  for (const pull of (await pulls()).filter(({ state, merged }) => state === 'closed' && !merged)) {
    // Also where its branch was deleted with it.
    const head = await fetchedHead(git, pull, signal);
    const sides = head === null ? null : { head, base: downstreamRepository.base.oid };
    const ours = sides && (await newestSealed(git, sides, ports.seals, signal));
    const recorded = ours && packagesOf(ours.record).find(({ directory }) => directory === down.directory);
    // What a variant asks for may change while the revision stays.
    if (
      recorded?.to === to &&
      isForSameVariant(recorded, down) &&
      !(await wasClosedByPortico(ports, downstreamRepository, pull, signal))
    ) {
      return withheld(
        'declined',
        `#${pull.number} was closed, so ${upstreamText(to)} is declined. To get it anyway, reopen the pull request or use /portico update.`,
      );
    }
  }
  return null;
}

/** The pull request that brought a package to the revision which it is at, where Portico's record of it is still there. */
export async function mergedBy(
  { seals, memories }: Pick<Ports, 'seals' | 'memories'>,
  { downstreamRepository, branch, head: stands, pulls }: UpdatePlan,
  { directory, upstream: { current } }: Downstream,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const { access, base } = downstreamRepository;
  const merges = memories.of(createMerges);
  const key = `${access.ref.id} ${branch} ${directory}`;
  const state = `${base.oid} ${current}`;
  const known = merges.get(key);
  if (stands === null && known?.state === state && known.times >= SURE_LOOKS) return known.number;
  const newest = (await pulls()).find(({ merged }) => merged);
  const head = newest === undefined ? null : await access.git.resolve(newest.headSha, signal);
  const ours = head === null ? null : await newestSealed(access.git, { head }, seals, signal);
  const recorded = ours && packagesOf(ours.record).find((one) => one.directory === directory);
  const number = recorded?.to === current ? newest?.number : undefined;
  const times = known?.state === state && known.number === number ? known.times + 1 : 1;
  keepNewest(merges, key, { state, number, times }, MAX_MERGES);
  return number;
}

/** A merge is told by the forge a moment later than by git: while git stands still, what it said so often is not asked again. */
const SURE_LOOKS = 2;
const MAX_MERGES = 50_000;
const createMerges = (): Map<
  string,
  { readonly state: string; readonly number: number | undefined; readonly times: number }
> => new Map();

/** How many update pull requests are open that Portico made. */
export async function countOpen(
  ports: Pick<Ports, 'app'>,
  { access, facts }: DownstreamRepository,
  signal?: AbortSignal,
): Promise<number> {
  const open = await access.forge.listOpenPulls(signal);
  return open.filter(
    ({ headRef, author, headRepositoryId }) =>
      headRef.startsWith('portico/update/') && author === ports.app.botLogin && headRepositoryId === facts.id,
  ).length;
}

/** Withheld while as many are open as the configuration allows. */
export function openLimitReached(open: number, maxOpen: number): Withheld | null {
  if (open < maxOpen) return null;
  return withheld(
    'limit',
    `updates.maxOpen is ${maxOpen}, and ${open === 1 ? '1 update pull request is' : `${open} update pull requests are`} open. Merge or close one.`,
  );
}

/**
 * True when the branch holds these revisions, made for the packages as they are on the registered branch now, and the
 * pull request still lists the conflicts of them.
 */
export async function isCurrent({ ports, plan, members, pull, signal }: PlannedPull): Promise<boolean> {
  const { downstreamRepository, branch, before, group } = plan;
  if (before === null) return false;
  const { record } = before;
  const recorded = packagesOf(record);
  if (recorded.length !== members.length) return false;
  for (const { down, to } of members) {
    const one = recorded.find(({ directory }) => directory === down.directory);
    if (one?.to !== to || !isForSameVariant(one, down)) return false;
    // A person's request has to be in the record, so that the rollout does not hold the update.
    const { access, directory: from } = down.upstream;
    const isGoverned = rolloutsOf(ports.catalog).of(access.ref.id, from) !== undefined;
    if (isGoverned && one.asked !== true && isAskedFor(plan, one)) return false;
  }
  const ways = members.map(({ down, to, way }) => ({ path: down.path, to, ...(way && { way }) }));
  if (showsAnotherPath(pull.body, ways)) return false;
  const [only] = members;
  const isListed = group !== undefined || only?.down.renewal !== undefined;
  if (isListed && listsOtherPackages(pull.body, members)) return false;
  if (group === undefined && only && titleNamesAnotherRevision(pull.title, only.down, only.to)) return false;
  if (!holdsConflicts(conflictKey(downstreamRepository.facts.id, branch), pull.body, record, ports.seals))
    return false;
  const { git } = downstreamRepository.access;
  for (const { down } of members) {
    const then = await git.treeId(record.base, down.directory, signal);
    if (then !== (await git.treeId(downstreamRepository.base.oid, down.directory, signal))) return false;
  }
  return true;
}

/** The branch was pushed, and then the forge refused or the process ended: the words are still of the revision before. */
function titleNamesAnotherRevision(title: string, { path }: Downstream, revision: string): boolean {
  const named = revisionInTitle(title, path);
  return named !== undefined && named !== revision;
}

function isForSameVariant({ variant }: UpdatedPackage, { planned }: Downstream): boolean {
  return variant?.digest === (planned === undefined ? undefined : variantDigest(planned));
}
