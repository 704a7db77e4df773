/** Looks how far rollouts have come, and asks for the updates that may be made, or taken back, now. */
import { gateKey, verdictOn } from '../../package/rollout/plan.ts';
import type { JobData } from '../job.ts';
import { rolloutJob } from '../jobs.ts';
import type { Ports } from '../ports.ts';
import { dashboardNews } from '../repository/dashboard-news.ts';
import { updateJobs } from '../repository/update-jobs.ts';
import { inTurns } from '../text/in-turns.ts';
import { rolloutPart } from './body.ts';
import { logDecision } from './decision-log.ts';
import type { RolloutMember } from './facts.ts';
import { isOlder } from './led-back.ts';
import { addOrders, subjectOf, type RolloutOrder } from './orders.ts';
import { createQuestionBudget } from './question-budget.ts';
import { asksHealth, tellReported } from './reported.ts';
import { concernedBy, forgetEnded, knownLooks, lookAt, restOf, type RolloutLook } from './rollouts.ts';
import { newestOf, type Governed } from './scope.ts';
import { tellOwners } from './tell-owners.ts';

export type RolloutReconciler = (target: JobData<'rollout'>, signal?: AbortSignal) => Promise<void>;

/** A look that only time asks for comes at most so much later than it should, in seconds. */
const MAX_WAIT = 3_600;

/** Seconds between two looks whether all repositories are known. */
const INDEX_WAIT = 5;

/** Brings on every rollout that a repository has a part in. */
export function createRolloutReconciler(ports: Ports): RolloutReconciler {
  return async ({ repository, since }, signal) => {
    const now = ports.now().getTime();
    await tellReported(ports, repository.id);
    await forgetEnded(ports, repository.id);
    for (const governed of concernedBy(ports.catalog, repository.id)) {
      const { control, upstream } = governed;
      if (!ports.catalog.isWhole()) {
        // A wave of which nobody is known yet passes at once, and what is recorded because of that stays.
        await ports.enqueue(rolloutJob(control.ref, INDEX_WAIT, since ?? now));
        continue;
      }
      const rest = restOf(ports, governed);
      if (rest > 0) {
        // What is told meanwhile is found by one look at all of it, however many tell.
        await ports.enqueue(rolloutJob(control.ref, rest, now));
        continue;
      }
      const isAboutAll = control.ref.id === repository.id || upstream.ref.id === repository.id;
      const asking = createQuestionBudget({
        about: repository.id,
        since: since ?? (isAboutAll ? now : 0),
        isThorough: true,
      });
      const before = rolloutPart(knownLooks(ports, control.ref.id));
      for (const revision of revisionsOf(ports, governed)) {
        const look = await lookAt({ ports, governed, revision, asking, signal });
        if (look !== null && look.unasked === undefined) await openNextWave(ports, look, signal);
      }
      const left = asking.left();
      if (left !== undefined) {
        const seconds = Math.max(1, left, restOf(ports, governed));
        await ports.enqueue(rolloutJob(control.ref, seconds, asking.since));
      }
      const after = rolloutPart(knownLooks(ports, control.ref.id));
      if (before !== after) await ports.enqueue(dashboardNews(ports, control.ref));
    }
  };
}

/** The newest revision, last, and those that some downstream waits for. */
function revisionsOf({ catalog }: Ports, governed: Governed): readonly string[] {
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

async function openNextWave(ports: Ports, look: RolloutLook, signal: AbortSignal | undefined): Promise<void> {
  const { governed, plan } = look;
  await remember(ports, look, signal);
  const members = plan.waves.flatMap((wave) => wave.members);
  const concerned = members.filter((member) => isConcerned(look, member));
  await ports.enqueue(inTurns(updateJobs(concerned)));
  logDecision(ports, look);
  if (plan.next !== undefined) {
    const seconds = Math.ceil((plan.next - ports.now().getTime()) / 1_000);
    await ports.enqueue(rolloutJob(governed.control.ref, Math.min(MAX_WAIT, Math.max(1, seconds))));
  }
  // An issue that cannot be written must not keep the rollout from its next moment.
  await tellOwners(ports, look, signal);
  await askAddresses(ports, look, signal);
}

/** A gate's addresses are asked once in so many seconds, as long as one does not hold. */
const ASKS_EVERY = 120;

/** What all addresses of a gate have said once stays, as everything does that opened a wave. */
async function askAddresses(
  ports: Ports,
  { governed, revision, plan }: RolloutLook,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { control, rollout } = governed;
  const wave = plan.state === 'running' ? plan.waves.find(({ asks }) => asks !== undefined) : undefined;
  if (wave?.asks === undefined) return;
  for (const url of wave.asks) {
    const answer = await ports.askUrl(url, control.ref.owner, signal);
    if (answer.holds) continue;
    ports.log.info(
      { rollout: rollout.name, revision, reason: answer.why },
      'an address of a gate does not hold',
    );
    await ports.enqueue(rolloutJob(control.ref, ASKS_EVERY));
    return;
  }
  const access = await ports.open(control.ref, signal);
  const order: RolloutOrder = {
    action: 'answered',
    subject: subjectOf(governed, revision),
    wave: gateKey(wave.name, wave.asks),
    by: ports.app.botLogin,
    at: ports.now().toISOString(),
  };
  const into = { ports, access, name: rollout.name, head: control.commit, keepsForeign: true };
  await addOrders({ ...into, added: [order], signal });
  await ports.enqueue(rolloutJob(control.ref));
}

/** Its update may be made now and was not before, or the other way round. */
function isConcerned({ plan, revision, orders }: RolloutLook, { id, position, at }: RolloutMember): boolean {
  const verdict = verdictOn(plan, id);
  if (verdict === 'may-open' && isOnWayBack(revision, position?.to, at)) return true;
  if (position?.reason.startsWith('wave-') === true)
    return position.to === revision && position.reason !== verdict;
  if (verdict !== 'wave-stopped' && verdict !== 'wave-rolled-back') return false;
  const isProposed = position?.reason === 'proposed';
  if (isProposed && position.to === revision) return true;
  return orders.rolledBack !== undefined && at === revision && !isProposed;
}

/** It is being led back from an older revision, or stays there because it cannot go back: this one may be what mends it. */
function isOnWayBack(revision: string, to: string | undefined, at: string | undefined): boolean {
  return to !== undefined && at !== undefined && isOlder(at, revision) && (to === at || isOlder(to, at));
}

/**
 * What must not be forgotten when the facts that it followed from are gone: a rollout that failed goes back for good, and
 * one that came to its end is not undone by what happens later.
 */
async function remember(
  ports: Ports,
  { governed, revision, plan, orders }: RolloutLook,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { control, rollout } = governed;
  const action: RolloutOrder['action'] | undefined =
    plan.state === 'rolled-back' && orders.rolledBack === undefined
      ? 'rollback'
      : plan.state === 'done' && !orders.done && asksHealth(governed)
        ? 'done'
        : undefined;
  if (action === undefined) return;
  const access = await ports.open(control.ref, signal);
  const subject = subjectOf(governed, revision);
  const order = { action, subject, by: ports.app.botLogin, at: ports.now().toISOString() };
  // Looks for several of its repositories may end at once, and all would find the same.
  await ports.runExclusive(`rollout notes ${control.ref.id}`, () =>
    addOrders({ ports, access, name: rollout.name, head: control.commit, added: [order], signal }),
  );
  await ports.enqueue(rolloutJob(control.ref, 1));
}
