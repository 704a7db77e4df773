/** Looks how far rollouts have come, and asks for the updates that may be made, or taken back, now. */
import { verdictOn } from '../../package/rollout/plan.ts';
import { rolloutJob } from '../jobs.ts';
import type { RepositoryRef, World } from '../ports.ts';
import { dashboardNews } from '../repository/dashboard-news.ts';
import { updateJobs } from '../repository/update-jobs.ts';
import { inTurns } from '../text/in-turns.ts';
import { createAsking } from './asking.ts';
import { rolloutPart } from './body.ts';
import type { Downstream } from './facts.ts';
import { addOrders, subjectOf, type RolloutOrder } from './orders.ts';
import { concernedBy, knownLooks, lookAt, restOf, type RolloutLook } from './rollouts.ts';
import { newestOf, type Governed } from './scope.ts';

export interface RolloutTarget {
  readonly repository: RepositoryRef;
  /** What was heard of downstreams before that moment is asked for again; milliseconds since 1970. */
  readonly since?: number;
}

export type RolloutReconciler = (target: RolloutTarget, signal?: AbortSignal) => Promise<void>;

/** A look that only time asks for comes at most so much later than it should, in seconds. */
const LONGEST_WAIT = 3_600;

/** Brings on every rollout that a repository has a part in. */
export function createRolloutReconciler(world: World): RolloutReconciler {
  return async ({ repository, since }, signal) => {
    const now = world.now().getTime();
    for (const governed of concernedBy(world.catalog, repository.id)) {
      const { control, upstream } = governed;
      const rest = restOf(world, governed);
      if (rest > 0) {
        // What is told meanwhile is found by one look at all of it, however many tell.
        await world.enqueue(rolloutJob(control.ref, rest, now));
        continue;
      }
      const isAboutAll = control.ref.id === repository.id || upstream.ref.id === repository.id;
      const asking = createAsking({
        about: repository.id,
        since: since ?? (isAboutAll ? now : 0),
        isThorough: true,
      });
      const before = rolloutPart(knownLooks(world.catalog, control.ref.id));
      for (const revision of revisionsOf(world, governed)) {
        const look = await lookAt(world, governed, revision, asking, signal);
        if (look !== null && look.unasked === undefined) await goOn(world, look, signal);
      }
      const left = asking.left();
      if (left !== undefined) {
        const seconds = Math.max(1, left, restOf(world, governed));
        await world.enqueue(rolloutJob(control.ref, seconds, asking.since));
      }
      const after = rolloutPart(knownLooks(world.catalog, control.ref.id));
      if (before !== after) await world.enqueue(dashboardNews(world, control.ref));
    }
  };
}

/** The newest revision, last, and those that some downstream waits for. */
function revisionsOf({ catalog }: World, governed: Governed): readonly string[] {
  const newest = newestOf(governed);
  const waited = catalog
    .followers(governed.upstream.ref.id, governed.directory)
    .flatMap(({ repository }) =>
      [...catalog.standings(repository.ref.id).values()].flatMap(({ reason, to }) =>
        reason.startsWith('wave-') && to !== undefined ? [to] : [],
      ),
    );
  const others = [...new Set(waited)].filter((name) => name !== newest);
  return newest === undefined ? others : [...others, newest];
}

async function goOn(world: World, look: RolloutLook, signal: AbortSignal | undefined): Promise<void> {
  const { governed, revision, plan } = look;
  await remember(world, look, signal);
  const members = plan.waves.flatMap((wave) => wave.members);
  const concerned = members.filter((member) => isConcerned(look, member));
  await world.enqueue(inTurns(updateJobs(concerned)));
  world.log.debug({ rollout: governed.rollout.name, revision, state: plan.state }, 'a rollout was looked at');
  if (plan.next === undefined) return;
  const seconds = Math.ceil((plan.next - world.now().getTime()) / 1_000);
  await world.enqueue(rolloutJob(governed.control.ref, Math.min(LONGEST_WAIT, Math.max(1, seconds))));
}

/** Its update may be made now and was not before, or the other way round. */
function isConcerned({ plan, revision, orders }: RolloutLook, { id, told, at }: Downstream): boolean {
  const verdict = verdictOn(plan, id);
  if (told?.reason.startsWith('wave-') === true) return told.to === revision && told.reason !== verdict;
  if (verdict !== 'wave-stopped' && verdict !== 'wave-rolled-back') return false;
  const isProposed = told?.reason === 'proposed';
  if (isProposed && told.to === revision) return true;
  return orders.rolledBack !== undefined && at === revision && !isProposed;
}

/**
 * What must not be forgotten when the facts that it followed from are gone: a rollout that failed goes back for good, and
 * one that came to its end is not undone by what happens later.
 */
async function remember(
  world: World,
  { governed, revision, plan, orders }: RolloutLook,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { control, rollout } = governed;
  const asksHealth = rollout.waves.some(({ gate }) => gate.statuses.length + gate.deployments.length > 0);
  const action: RolloutOrder['action'] | undefined =
    plan.state === 'rolled-back' && orders.rolledBack === undefined
      ? 'rollback'
      : plan.state === 'done' && !orders.done && asksHealth
        ? 'done'
        : undefined;
  if (action === undefined) return;
  const access = await world.open(control.ref, signal);
  const subject = subjectOf(governed, revision);
  const order = { action, subject, by: world.app.botLogin, at: world.now().toISOString() };
  await addOrders(world, access, { name: rollout.name, head: control.commit }, [order], signal);
  await world.enqueue(rolloutJob(control.ref, 1));
}
