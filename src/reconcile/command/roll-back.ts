/** What `/portico rollout rollback` does: it lists where each downstream goes, and orders it. */
import type { StepContext } from '../draft/step-context.ts';
import { rolloutJob } from '../jobs.ts';
import type { Ports } from '../ports.ts';
import { updateJobs } from '../repository/update-jobs.ts';
import { followersOf } from '../rollout/facts.ts';
import { addOrders, ordersFor, readOrders, subjectOf, type RolloutOrder } from '../rollout/orders.ts';
import { newestOf, type Governed } from '../rollout/scope.ts';
import { planWithdrawal, type WithdrawalPlan } from '../rollout/way-back.ts';
import type { StepOutcome } from '../step-outcome.ts';
import { inTurns } from '../text/in-turns.ts';
import { code } from '../text/markdown-blocks.ts';
import { governedHere } from './rollout-command.ts';
import { changesSomething, withdrawalText } from './withdrawal-text.ts';

/** May run twice: an order that stands is not written again, and what is asked of downstreams follows from it. */
export async function rollBack({
  ports,
  access,
  asked,
  step,
  signal,
}: StepContext<'roll-back'>): Promise<StepOutcome> {
  const { rollout: name, isConfirmed, login } = step;
  const own = governedHere(ports, access, name);
  if ('kind' in own) return own;
  const meant = meantBy(own, step);
  if ('kind' in meant) return meant;
  await access.git.fetch({}, signal);
  const { orders } = await readOrders(ports, access, name, signal);
  const plans: WithdrawalPlan[] = [];
  for (const one of meant) plans.push(await planWithdrawal(ports, one, orders, signal));
  if (meant.length > 1 && !isConfirmed) return { kind: 'done', reply: withdrawalText(name, plans, 'plan') };
  const isOrdered = ({ governed, revision }: WithdrawalPlan): boolean =>
    ordersFor(orders, subjectOf(governed, revision)).rolledBack !== undefined;
  const effective = plans.filter((plan) => changesSomething(plan) || isOrdered(plan));
  const [first] = effective;
  if (first === undefined) {
    return {
      kind: 'refused',
      message: `Nothing is rolled back. ${withdrawalText(name, plans, 'refusal')}`,
      hint: `Publish a later revision that fixes it. \`/portico rollout stop ${name}\` opens no more updates until then.`,
    };
  }
  const added = effective.map(({ governed, revision }): RolloutOrder => ({
    action: 'rollback',
    subject: subjectOf(governed, revision),
    by: login,
    at: asked.at,
  }));
  await addOrders({ ports, access, name, head: first.governed.control.commit, added, signal });
  await ports.enqueue([rolloutJob(access.ref), ...inTurns(effective.flatMap((one) => jobsOf(ports, one)))]);
  return { kind: 'done', reply: withdrawalText(name, plans, 'order') };
}

/** Also for a revision that is not the newest any more, which no look at the rollout is about. */
function jobsOf(ports: Ports, { governed, revision }: WithdrawalPlan): ReturnType<typeof updateJobs> {
  const concerned = followersOf(ports.catalog, governed).filter(
    ({ at, position }) => at === revision || position?.to === revision,
  );
  return updateJobs(concerned);
}

interface Meant {
  readonly governed: Governed;
  readonly revision: string;
}

/** The revisions that the command is about; the newest of each package where it names none. */
function meantBy(
  own: readonly Governed[],
  { rollout, package: path, revision }: StepContext<'roll-back'>['step'],
): readonly Meant[] | StepOutcome {
  const named = path === undefined ? own : own.filter((one) => one.path === path);
  if (named.length === 0) {
    const paths = own.slice(0, MAX_NAMED).map((one) => code(one.path));
    return {
      kind: 'refused',
      message: `The rollout ${code(rollout)} does not govern the package ${code(path ?? '')}.`,
      hint: `It governs ${paths.join(', ')}${own.length > MAX_NAMED ? ` and ${own.length - MAX_NAMED} more` : ''}.`,
    };
  }
  const meant = named.flatMap((governed): Meant[] => {
    const wanted = revision ?? newestOf(governed);
    const published = governed.upstream.revisions.get(governed.directory) ?? [];
    return wanted !== undefined && published.includes(wanted) ? [{ governed, revision: wanted }] : [];
  });
  if (meant.length > 0) return meant;
  return {
    kind: 'refused',
    message:
      revision === undefined
        ? 'None of its packages is published.'
        : `${code(path ?? '')} has no revision ${code(revision)}.`,
    hint:
      revision === undefined
        ? 'Publish a revision first.'
        : 'Name a published revision of the upstream package.',
  };
}

/** Packages that a hint lists. */
const MAX_NAMED = 20;
