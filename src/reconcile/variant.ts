/**
 * One downstream package against its upstream: at most one open update pull request, refreshed in place. What people
 * committed on its branch is kept; the update goes under it.
 */
import type { Standing } from '../catalog/catalog.ts';
import type { UpdatePolicy } from '../config/repository-config.ts';
import { packagePathOf } from '../revision/package-path.ts';
import { parseBranch } from '../revision/ref-name.ts';
import { branchHead, loadDownstream, type Downstream, type VariantTarget } from './downstream.ts';
import type { Pull } from './forge-port.ts';
import { dashboardJob, rolloutJob } from './jobs.ts';
import { createKeyedLock } from './keyed-lock.ts';
import { conflictKey, updateConflicts } from './open-conflicts.ts';
import { channelRevision, taggedRevisions } from './package-revisions.ts';
import { pausedBy } from './paused.ts';
import type { RepositoryRef, World } from './ports.ts';
import { heldByWave, rolledBackTo, rolloutConcerns } from './rollouts.ts';
import { updatedPackage, type Wanted } from './update-content.ts';
import { mergedAlone } from './update-merge.ts';
import { tellOfRetarget } from './update-news.ts';
import { block, openOrRefresh, tellOfStop, tellWhoAsked, type UpdatePull } from './update-pull.ts';
import { pushUpdate } from './update-push.ts';
import { newestSealed, readConflicts } from './update-record.ts';
import { askedBefore, declinedBefore, isCurrent, tooMany } from './update-standing.ts';
import { updateTarget, withheld, type Target, type Withheld } from './update-target.ts';
import { tooEarly } from './update-timing.ts';
import { createInStep, type InStep } from './variant-in-step.ts';
import { variantPlan } from './variant-plan.ts';
import { letGo } from './variant-release.ts';

export type VariantOutcome = Withheld | UpdatePull;

/** A package, or whatever an update branch is for. */
export type VariantLook = VariantTarget | { readonly repository: RepositoryRef; readonly branch: string };

export type VariantReconciler = (look: VariantLook, signal?: AbortSignal) => Promise<VariantOutcome>;

type Alone = (work: () => Promise<VariantOutcome>) => Promise<VariantOutcome>;

/** Brings the update of one package to where it should be, and says so where somebody asked for it. */
export function createVariantReconciler(world: World): VariantReconciler {
  // Opening counts what is open: two at once would both find room for one.
  const opening = createKeyedLock();
  const variants = createKeyedLock();
  const inStep = createInStep();
  return async (asked, signal) => {
    const target = 'package' in asked ? asked : targetOfBranch(world, asked);
    if (target === null) return withheld('not-followed', 'There is nothing to do on that branch.');
    const { repository } = target;
    const alone: Alone = (work) => opening.run(`${repository.id}`, work);
    const outcome = await variants.run(`${repository.id}:${target.package}`, () =>
      reconcile(world, target, alone, inStep, signal),
    );
    await tellDashboards(world, target, outcome);
    const fields = { repository: `${repository.owner}/${repository.name}`, package: target.package };
    if (outcome.kind === 'withheld') {
      world.log.debug({ ...fields, reason: outcome.reason }, outcome.message);
      await tellWhoAsked(world, target, outcome, signal);
    } else {
      const { pull, to, kind } = outcome;
      world.log.info({ ...fields, pull, to, outcome: kind }, 'update pull request');
    }
    return outcome;
  };
}

/** News of a package is shown in its repository, and where the document of its variant stands. */
async function tellDashboards(
  world: World,
  { repository, package: path }: VariantTarget,
  outcome: VariantOutcome,
): Promise<void> {
  const standing =
    outcome.kind === 'withheld'
      ? {
          reason: outcome.reason,
          message: outcome.message,
          ...(outcome.to !== undefined && { to: outcome.to }),
          ...(outcome.newest !== undefined && { newest: outcome.newest }),
        }
      : standingOf(outcome);
  if (!world.catalog.tell(repository.id, path, standing)) return;
  await world.enqueue(dashboardJob(repository));
  if (rolloutConcerns(world.catalog, repository)) await world.enqueue(rolloutJob(repository));
  const control = variantPlan(world.catalog).at(repository.id, path)?.control.ref;
  if (control !== undefined && control.id !== repository.id) await world.enqueue(dashboardJob(control));
}

/** A pull request that is opened, and one that stands, are the same to whoever looks. */
function standingOf({ kind, pull, to }: UpdatePull): Standing {
  if (kind === 'merged') return { reason: 'merged', message: `#${pull} merged itself.`, to };
  return { reason: 'proposed', message: 'Waits for a review.', to, pull };
}

/** Update branches are looked at often; it is news where updates may merge themselves, and where nobody wants them. */
function targetOfBranch(
  world: World,
  { repository, branch }: Exclude<VariantLook, VariantTarget>,
): VariantTarget | null {
  const known = world.catalog.get(repository.id);
  const parsed = parseBranch(branch);
  if (known === undefined || parsed?.kind !== 'update') return null;
  const path = packagePathOf(known.directory, parsed.path);
  if (path === undefined) return null;
  if (known.automerge) return { repository, package: path, branch };
  // A package that a variant was about to make, and that nobody asks for any more.
  const left =
    variantPlan(world.catalog).at(repository.id, path) === undefined &&
    !known.packages.some(({ directory }) => directory === parsed.path);
  return left ? { repository, package: path, branch } : null;
}

async function reconcile(
  world: World,
  target: VariantTarget,
  alone: Alone,
  inStep: InStep,
  signal: AbortSignal | undefined,
): Promise<VariantOutcome> {
  const left = await letGo(world, target, signal);
  if (left !== null) return left;
  const down = await loadDownstream(world, target, signal);
  if ('kind' in down) return down;
  const { upstream, access } = down;
  const pulls = await access.forge.pullsForHead({ branch: down.branch }, { state: 'all' }, signal);
  const open = pulls.find(({ state }) => state === 'open');
  if (!down.visible) return block(world, down, open, signal);
  const paused = target.to === undefined ? await pausedBy(access.git, down.directory, signal) : null;
  if (paused !== null) {
    return withheld(
      'paused',
      `Updates are paused by ${paused}: /portico resume ${down.path} lets them come again.`,
    );
  }
  const back = target.to === undefined ? await rolledBackTo(world, down, signal) : undefined;
  const asked = target.to ?? back ?? (await askedBefore(world, down, open, signal));
  const chosen = updateTarget({
    policy: policyOf(down),
    asked,
    current: upstream.current,
    newest: upstream.newest,
    available: taggedRevisions(upstream.refs, upstream.directory).map(({ name }) => name),
    channel: (name) => channelRevision(upstream.refs, upstream.directory, name),
  });
  const revision = await revisionToBring(world, down, chosen, inStep, signal);
  if (typeof revision !== 'string')
    return upstream.newest === undefined ? revision : { ...revision, newest: upstream.newest };
  const held = asked === undefined ? await heldByWave(world, down, revision, signal) : null;
  if (held !== null) return { ...held, to: revision };
  const look = back === undefined ? target : { ...target, to: back };
  const outcome = await bring(world, down, look, revision, pulls, alone, signal);
  return outcome.kind === 'withheld' ? { ...outcome, to: revision } : outcome;
}

/** Opens, refreshes or merges the pull request of one revision, or says what holds it back. */
async function bring(
  world: World,
  down: Downstream,
  target: VariantTarget,
  revision: string,
  pulls: readonly Pull[],
  alone: Alone,
  signal: AbortSignal | undefined,
): Promise<VariantOutcome> {
  const { access } = down;
  const open = pulls.find(({ state }) => state === 'open');
  const head = await branchHead(down, signal);
  if (open !== undefined) {
    if (head !== null && (await isCurrent(world, down, head, revision, open, signal))) {
      return (
        (await mergedAlone(world, down, revision, open, signal)) ?? {
          kind: 'unchanged',
          pull: open.number,
          to: revision,
        }
      );
    }
    const early = target.to === undefined ? await tooEarly(world, down, revision, signal) : null;
    if (early !== null) return early;
    const before = head === null ? null : await newestSealed(access.git, head, world.hmac, signal);
    const outcome = await update(world, down, revision, head, open, signal);
    await tellOfStop(world, down, open, outcome, signal);
    if (outcome.kind === 'updated' && head !== null && before !== null) {
      await tellOfRetarget(down, open, { to: before.record.to, head }, revision, signal);
    }
    return outcome;
  }
  if (target.to !== undefined) return update(world, down, revision, head, open, signal);
  const declined = await declinedBefore(world, down, pulls, revision, signal);
  if (declined !== null) return declined;
  const early = await tooEarly(world, down, revision, signal);
  if (early !== null) return early;
  return alone(
    async () => (await tooMany(world, down, signal)) ?? update(world, down, revision, head, open, signal),
  );
}

/** A variant's document says what is followed; everything else is the downstream repository's business. */
function policyOf({ config: { updates }, planned }: Downstream): UpdatePolicy {
  if (planned === undefined) return updates;
  const { revision } = planned;
  return { ...updates, follow: revision === undefined ? { kind: 'latest' } : { kind: 'pin', revision } };
}

/** A variant at its revision still has to change when its document or the inventory did. */
async function revisionToBring(
  world: World,
  down: Downstream,
  chosen: Target,
  inStep: InStep,
  signal: AbortSignal | undefined,
): Promise<string | Withheld> {
  if (chosen.kind === 'target') return chosen.revision;
  const { current } = down.upstream;
  if (chosen.reason !== 'up-to-date' || down.planned === undefined || current === undefined) return chosen;
  return (await inStep(world, down, current, signal)) ? chosen : current;
}

async function update(
  world: World,
  down: Downstream,
  revision: string,
  head: string | null,
  open: Pull | undefined,
  signal: AbortSignal | undefined,
): Promise<VariantOutcome> {
  const updated = await updatedPackage(world, down, revision, signal);
  if ('kind' in updated) return updated;
  const wanted = await withoutSettled(world, down, updated, head, open, signal);
  const stopped = await pushUpdate(world, down, wanted, head, signal);
  return stopped ?? openOrRefresh(world, down, wanted, open, signal);
}

/** A conflict that somebody settled on the branch is not opened again while its three values are the same. */
async function withoutSettled(
  world: World,
  down: Downstream,
  wanted: Wanted,
  head: string | null,
  pull: Pull | undefined,
  signal: AbortSignal | undefined,
): Promise<Wanted> {
  if (pull === undefined || head === null || wanted.conflicts.length === 0) return wanted;
  const { access, facts } = down;
  const { conflicts } = await updateConflicts(world, access, { pull, facts }, head, signal);
  const open = new Set(conflicts.map(({ id }) => id));
  const settled = new Set(
    readConflicts(conflictKey(facts.id, down.branch), pull.body, world.hmac)
      .map(({ id }) => id)
      .filter((id) => !open.has(id)),
  );
  return { ...wanted, conflicts: wanted.conflicts.filter(({ id }) => !settled.has(id)) };
}
