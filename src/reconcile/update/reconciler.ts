/**
 * Downstream packages against their upstreams: at most one open update pull request for each, or for each group,
 * refreshed in place. What people committed on its branch is kept; the update goes under it. Packages of one repository
 * that are looked at together share one fetch and one push.
 */
import type { Standing } from '../../catalog/last-looks.ts';
import { priorityOf } from '../../config/update-order.ts';
import type { PorticoError } from '../../error.ts';
import { packagePathOf } from '../../revision/package-path.ts';
import { groupOfBranch, parseBranch } from '../../revision/ref-name.ts';
import { DONE, nothing, type Reconciler } from '../answer.ts';
import { behindSince } from '../downstream/behind-since.ts';
import { upstreamsOf } from '../downstream/downstream-progress.ts';
import {
  loadDownstreamRepository,
  NO_PACKAGE,
  type DownstreamRepository,
  type VariantTarget,
} from '../downstream/downstream.ts';
import { withheld, type WithheldReason } from '../downstream/update-target.ts';
import { variantPlan } from '../downstream/variant-plan.ts';
import type { JobData, PackageBatch } from '../job.ts';
import { downstreamJob, rolloutJob, updatesJob } from '../jobs.ts';
import type { RepositoryRef, Ports } from '../ports.ts';
import { dashboardNews } from '../repository/dashboard-news.ts';
import { inTurn } from '../repository/update-jobs.ts';
import { rolloutConcerns } from '../rollout/rollouts.ts';
import { catchUserError, whyRefused } from '../text/why-refused.ts';
import { closeForRemovedPackage } from './close-obsolete.ts';
import type { VariantOutcome } from './outcome.ts';
import { planUpdates, packagesOfHigherPriority, type UpdatePlan } from './plan.ts';
import { prepareUpdatePlan, type Prepared, type UpdateMemory } from './prepare.ts';
import { pushAll } from './push.ts';
import { updateQuota, type UpdateQuota } from './quota.ts';
import { releaseVariant } from './release-variant.ts';
import { reportOnForge, tellWhoAsked } from './report.ts';
import { createIsUpToDate } from './up-to-date.ts';
import { createUpstreamChangelog } from './upstream-changelog.ts';

interface UpdateRequest {
  readonly repository: RepositoryRef;
  readonly targets: readonly VariantTarget[];
  readonly groups: readonly string[];
}

/**
 * Brings the updates of these packages to where they should be, and says so where somebody asked for it. It throws what kept one
 * from being looked at, after all others were.
 */
export function createUpdateReconciler(ports: Ports): Reconciler<'variant'> {
  const memory: UpdateMemory = {
    inStep: createIsUpToDate(),
    upstreamChangelog: createUpstreamChangelog(ports),
    labelled: new Set(),
  };
  return async (look, signal) => {
    const asked = updateRequestOf(ports, look.about === 'packages' ? await firstInTurn(ports, look) : look);
    const { repository } = asked;
    const outcomes = new Map<string, VariantOutcome>();
    // What is open is counted, and branches are written: two at once would both find room for one.
    const failures = await ports.runExclusive(`updates ${repository.id}`, () =>
      reconcile({ ports, asked, memory, outcomes, signal }),
    );
    const before = new Map(ports.catalog.standings(repository.id));
    await refreshDashboards(ports, repository, outcomes, signal);
    const where = `${repository.owner}/${repository.name}`;
    for (const [path, outcome] of outcomes) {
      const fields = { repository: where, package: path };
      const target = asked.targets.find((one) => one.package === path);
      if (target !== undefined) await tellWhoAsked(ports, target, outcome, signal);
      if (outcome.kind === 'withheld') {
        ports.log.debug({ ...fields, reason: outcome.reason }, outcome.message);
      } else if (outcome.kind !== 'arrived') {
        const { pull, to, kind } = outcome;
        ports.log.info({ ...fields, pull, to, outcome: kind }, 'update pull request');
      }
    }
    await lookAtWaiting(ports, repository, before, outcomes);
    if (failures.length > 0) throw errorToThrow(failures);
    return outcomes.size === 0 ? nothing('not-asked-for') : DONE;
  };
}

/** While calls are scarce a repository gets one update, and the others their turn. */
async function firstInTurn<Look extends PackageBatch>(ports: Ports, look: Look): Promise<Look> {
  const waits =
    look.packages.length < 2 ? 0 : await ports.secondsUntilContentAllowed(look.repository.installationId);
  const { now, later } = inTurn(look, waits);
  if (later !== undefined) await ports.enqueue(later);
  return { ...look, packages: now };
}

/**
 * An update that was on its way without a pull request has come, or has one now: those that wait for it have their turn, and those that
 * were made beside it are made anew.
 */
async function lookAtWaiting(
  ports: Ports,
  repository: RepositoryRef,
  before: ReadonlyMap<string, Standing>,
  outcomes: ReadonlyMap<string, VariantOutcome>,
): Promise<void> {
  const isDone = [...outcomes].some(
    ([path, outcome]) =>
      outcome.kind === 'arrived' ||
      (before.get(path)?.reason === CHECKING && standingOf(outcome).reason !== CHECKING),
  );
  const waiting = [...ports.catalog.standings(repository.id)].filter(([, { reason }]) => reason === CHECKING);
  if (!isDone || waiting.length === 0) return;
  await ports.enqueue(
    updatesJob(
      repository,
      waiting.map(([path]) => path),
    ),
  );
}

const CHECKING: WithheldReason = 'checking';

/** The one that says how long to wait, if any does. */
function errorToThrow(failures: readonly unknown[]): unknown {
  const waits = failures.filter(
    (error) => typeof (error as Partial<PorticoError>).retryAfter === 'number',
  ) as PorticoError[];
  return waits.toSorted((a, b) => (b.retryAfter ?? 0) - (a.retryAfter ?? 0))[0] ?? failures[0];
}

/** News of packages is shown in their repository, and where the documents of their variants stand. */
async function refreshDashboards(
  ports: Ports,
  repository: RepositoryRef,
  outcomes: ReadonlyMap<string, VariantOutcome>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const news: (readonly [string, VariantOutcome])[] = [];
  for (const [path, outcome] of outcomes) {
    const standing = standingOf(outcome);
    const since = await behindSince(ports, { id: repository.id, path, reason: standing.reason }, signal);
    const told = { ...standing, ...(since !== undefined && { behindSince: since }) };
    if (ports.catalog.tell(repository.id, path, told)) news.push([path, outcome]);
  }
  if (news.length === 0) return;
  const controls = news.flatMap(
    ([path]) => variantPlan(ports.catalog).at(repository.id, path)?.control.ref ?? [],
  );
  const boards = new Map([repository, ...controls].map((ref) => [ref.id, ref]));
  await ports.enqueue([
    ...[...boards.values()].map((ref) => dashboardNews(ports, ref)),
    ...upstreamsOf(
      ports.catalog,
      repository,
      news.map(([path]) => path),
    ).map((place) => downstreamJob(place, ports.dashboardSeconds)),
  ]);
  if (rolloutConcerns(ports.catalog, repository)) await ports.enqueue(rolloutJob(repository));
}

/** A pull request that is opened, and one that stands, are the same to whoever looks. */
function standingOf(outcome: VariantOutcome): Standing {
  const { from, to } = outcome;
  const at = from === undefined ? {} : { from };
  if (outcome.kind === 'withheld') {
    const { reason, message, newest, merged, pull } = outcome;
    return {
      reason,
      message,
      ...at,
      ...(to !== undefined && { to }),
      ...(pull !== undefined && { pull }),
      ...(newest !== undefined && { newest }),
      ...(merged !== undefined && { merged }),
    };
  }
  if (outcome.kind === 'arrived') {
    const message = `It came without a pull request, as ${outcome.commit.slice(0, 7)}.`;
    return { reason: 'merged', message, to: outcome.to };
  }
  const { kind, pull, isReviewed, withdrawn } = outcome;
  if (kind === 'merged')
    return { reason: 'merged', message: `#${pull} merged automatically.`, to: outcome.to };
  const message = isReviewed ? 'Waits for a review.' : 'Needs no approval. Merge it.';
  const leaves = withdrawn !== undefined && { withdrawn };
  return { reason: 'proposed', message, ...at, to: outcome.to, pull, ...leaves };
}

function updateRequestOf(ports: Ports, look: JobData<'variant'>): UpdateRequest {
  const { repository } = look;
  if (look.about === 'branch') return ofBranch(ports, repository, look.branch);
  if (look.about === 'packages') {
    const targets = look.packages.map((path): VariantTarget => ({ repository, package: path }));
    return { repository, targets, groups: [] };
  }
  return { repository, targets: [look], groups: [] };
}

/** False where a look at an update branch is known to come to nothing: every check of every update asks for one. */
export function affectsUpdates(
  ports: Pick<Ports, 'catalog'>,
  { repository, branch }: { readonly repository: RepositoryRef; readonly branch: string },
): boolean {
  if (ports.catalog.get(repository.id) === undefined) return true;
  const { targets, groups } = ofBranch(ports, repository, branch);
  return targets.length + groups.length > 0;
}

/** Update branches are looked at often; it is news where updates may merge themselves, and where nobody wants them. */
function ofBranch(ports: Pick<Ports, 'catalog'>, repository: RepositoryRef, branch: string): UpdateRequest {
  const nothing: UpdateRequest = { repository, targets: [], groups: [] };
  const known = ports.catalog.get(repository.id);
  const parsed = parseBranch(branch);
  if (known === undefined || parsed?.kind !== 'update') return nothing;
  const group = groupOfBranch(branch);
  if (group !== undefined) {
    const left = (known.updates?.groups ?? []).every(({ name }) => name !== group);
    return known.automerge || left ? { ...nothing, groups: [group] } : nothing;
  }
  const path = packagePathOf(known.directory, parsed.path);
  if (path === undefined) return nothing;
  // A package that a variant was about to make, and that nobody asks for any more.
  const left =
    variantPlan(ports.catalog).at(repository.id, path) === undefined &&
    !known.packages.some(({ directory }) => directory === parsed.path);
  return known.automerge || left ? { ...nothing, targets: [{ repository, package: path, branch }] } : nothing;
}

/** Fills in what came of each package. Returns what went wrong: it stalls the package that it is about, and no other. */
async function reconcile({
  ports,
  asked: { repository, targets, groups },
  memory,
  outcomes,
  signal,
}: {
  readonly ports: Ports;
  readonly asked: UpdateRequest;
  readonly memory: UpdateMemory;
  readonly outcomes: Map<string, VariantOutcome>;
  readonly signal: AbortSignal | undefined;
}): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  const guarded = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      failures.push(error);
      return undefined;
    }
  };
  const rest: VariantTarget[] = [];
  for (const target of targets) {
    const left = await guarded(() => releaseVariant(ports, target, signal));
    if (left === null) rest.push(target);
    else if (left !== undefined) outcomes.set(target.package, left);
  }
  if (rest.length === 0 && groups.length === 0) return failures;
  const downstreamRepository = await loadDownstreamRepository(ports, repository, signal);
  if ('kind' in downstreamRepository) {
    for (const target of rest) outcomes.set(target.package, downstreamRepository);
    return failures;
  }
  const quota = updateQuota(ports, downstreamRepository, signal);
  const first = await packagesToUpdateFirst(ports, downstreamRepository, rest, quota);
  const looked = { targets: [...rest, ...first], groups };
  const { plans, withheld: left } = await planUpdates({
    ports,
    downstreamRepository,
    asked: looked,
    guarded,
    signal,
  });
  for (const [path, reason] of left) {
    outcomes.set(path, reason);
    if (reason.message === NO_PACKAGE)
      await guarded(() => closeForRemovedPackage(ports, downstreamRepository, path, signal));
  }
  const prepared: Prepared[] = [];
  for (const plan of plans.toSorted(byPriority)) {
    // Content that cannot be read holds up its own plan, with the reason.
    const one = await guarded(() =>
      catchUserError(
        () => prepareUpdatePlan({ ports, plan, memory, quota, signal }),
        (why) => withholdAll({ plan, outcomes: new Map() }, 'unreadable', why),
      ),
    );
    if (one !== undefined) prepared.push(one);
  }
  const updates = prepared.flatMap(({ staged }) => staged?.push ?? []);
  const refused = await pushAll(downstreamRepository.access.git, updates, signal);
  for (const one of prepared) {
    const error = refused.get(one.staged?.push?.ref ?? '');
    const why = whyRefused(error);
    if (why !== null) withholdAll(one, 'push-refused', why);
    else if (error !== undefined) failures.push(error);
    else await guarded(() => reportOnForge({ ports, prepared: one, memory, quota, signal }));
    for (const [path, outcome] of one.outcomes) {
      const from = one.plan.candidates.find(({ down }) => down.path === path)?.down.upstream.current;
      const known = { ...outcome, ...(from !== undefined && { from }) };
      outcomes.set(path, telling(outcomes.get(path), known));
    }
  }
  return failures;
}

/** Of the two updates that a package may have, of its upstream and of its sources, what says more. */
function telling(one: VariantOutcome | undefined, other: VariantOutcome): VariantOutcome {
  if (one === undefined || (one.kind === 'withheld' && SAYS_LITTLE.includes(one.reason))) return other;
  return other.kind === 'withheld' ? one : other;
}

const SAYS_LITTLE: readonly WithheldReason[] = ['up-to-date', 'not-followed'];

/** Withholds all packages of a plan for one reason. */
function withholdAll(prepared: Prepared, reason: 'unreadable' | 'push-refused', why: string): Prepared {
  for (const { down } of prepared.plan.candidates) prepared.outcomes.set(down.path, withheld(reason, why));
  return prepared;
}

/** Where there is no room for all of these: who comes before them. */
async function packagesToUpdateFirst(
  ports: Ports,
  downstreamRepository: DownstreamRepository,
  targets: readonly VariantTarget[],
  quota: UpdateQuota,
): Promise<readonly VariantTarget[]> {
  if (downstreamRepository.config.updates.priority === undefined || targets.length === 0) return [];
  const asked = targets.map((target) => target.package);
  const paths = packagesOfHigherPriority(ports, downstreamRepository, asked);
  if (paths.length === 0 || (await quota.open()) + asked.length + paths.length <= quota.maxOpen) return [];
  return paths.map((path) => ({ repository: downstreamRepository.access.ref, package: path }));
}

/** What is asked for, what is open already, then what the configuration puts first, then by name. */
function byPriority(a: UpdatePlan, b: UpdatePlan): number {
  const [one, other] = [placeOf(a), placeOf(b)];
  for (const at of [0, 1, 2] as const) if (one[at] !== other[at]) return one[at] < other[at] ? -1 : 1;
  return 0;
}

function placeOf({
  candidates,
  downstreamRepository,
  branch,
  open,
}: UpdatePlan): readonly [number, number, string] {
  const asked = candidates.some(({ target }) => target.to !== undefined);
  const places = candidates.map(({ down }) => priorityOf(downstreamRepository.config.updates, down.path));
  return [asked ? 0 : open === undefined ? 2 : 1, Math.min(Infinity, ...places), branch];
}
