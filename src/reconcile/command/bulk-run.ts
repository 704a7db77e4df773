/** Carries out a plan, item by item, each with the rights and the state of that moment. */

import { authorize } from '../../command/authorize.ts';
import { decideCommand } from '../../command/decide.ts';
import { reject } from '../../command/reject.ts';
import type { BulkStep, Step } from '../../command/step.ts';
import { doesMerge } from '../../command/table.ts';
import { PorticoError } from '../../error.ts';
import { counted } from '../../text/counted.ts';
import type { CommentSource } from '../comment-source.ts';
import type { CommentTarget } from '../job.ts';
import { publicationJob } from '../jobs.ts';
import type { RepositoryAccess, RepositoryWork } from '../ports.ts';
import type { ProposalReconciler } from '../proposal/proposal.ts';
import { mergedBefore } from '../publication/merge.ts';
import { needWholeIndex } from '../repository/whole-index.ts';
import { type CommandRequest, type StepOutcome } from '../step-outcome.ts';
import { catchUserError } from '../text/why-refused.ts';
import { logCommand } from './audit.ts';
import { planBulk, planOf, writePlan } from './bulk-plan.ts';
import { confirmation, shortResult, type BulkItem, type BulkPlan, type BulkResult } from './bulk-record.ts';
import { commandLineOf, fleetTargetOf, whyNotCarriedOut } from './fleet-plan.ts';
import { isInReach, reasonTold } from './fleet-targets.ts';
import { loadCommandPlace, loadPlaceFor, type CommandPlace } from './place.ts';
import { performStep } from './steps.ts';

/** The comment is edited after so many, not after each: edits count against the forge's limits. */
const EDIT_EVERY = 10;

export function isBulkStep(step: Step): step is BulkStep {
  return step.do === 'plan-bulk' || step.do === 'run-bulk';
}

/** Plans, or carries a plan out. What a crash or a limit broke off goes on where it was with the next run of the job. */
export async function performBulkStep({
  ports,
  access,
  look,
  source,
  asked,
  step,
  signal,
}: RepositoryWork & {
  readonly look: ProposalReconciler;
  readonly source: CommentSource;
  readonly asked: CommandRequest;
  readonly step: BulkStep;
}): Promise<StepOutcome> {
  if (step.do === 'plan-bulk') return planBulk({ ports, access, signal }, source, asked, step);
  const facts = await access.forge.get(signal);
  const found = await planOf({ ports, access, signal }, facts, asked, step.plan);
  if (found === undefined) {
    return {
      kind: 'refused',
      message: `You have no plan${step.plan === undefined ? '' : ' with this digest'} in this issue that is waiting for confirmation.`,
      hint: 'Create one with /portico bulk.',
    };
  }
  if (found.request.fleet !== undefined && step.plan === undefined && found.confirmed === undefined) {
    return {
      kind: 'refused',
      message: 'This plan is about other repositories.',
      hint: `Confirm exactly this plan: \`${confirmation(found)}\`.`,
    };
  }
  let plan: BulkPlan = { ...found, confirmed: asked.id };
  const write = (): Promise<void> =>
    writePlan({ ports, access, facts, issue: asked.number, plan, found: plan.items.length, signal });
  if (found.confirmed === undefined) await write();
  // What is about packages is decided on one look; each hand looks again at what it touches.
  const issue = plan.items.some(({ pull }) => pull === undefined)
    ? await loadCommandPlace({ ports, access, signal }, targetOf(access, source, asked.number), source)
    : null;
  let unwritten = 0;
  try {
    for (const [at, item] of plan.items.entries()) {
      if (plan.results[at] !== undefined) continue;
      const by = { ...asked, index: FIRST_INDEX + at };
      const doing = { ports, look, source, asked: by, item, signal };
      const outcome =
        item.repository === undefined
          ? await carryOutHere({ ...doing, access, issue })
          : await carryOutThere({ ...doing, access }, item.repository);
      const result = shortResult(outcome, plan.items.length);
      plan = { ...plan, results: { ...plan.results, [at]: result } };
      unwritten += 1;
      if (unwritten >= EDIT_EVERY) {
        await write();
        unwritten = 0;
      }
    }
  } finally {
    // Also where a limit stops it for now: what is done is known.
    if (unwritten > 0) await write();
  }
  const failed = Object.values(plan.results).filter(({ outcome }) => outcome !== 'done').length;
  const reply =
    failed === 0
      ? undefined
      : `${failed} of ${counted(plan.items.length, 'item')} could not be done; the plan above says why.`;
  return reply === undefined ? { kind: 'done' } : { kind: 'done', reply };
}

/** One item of a plan. */
interface Doing extends RepositoryWork {
  /** The repository of the issue. */
  readonly look: ProposalReconciler;
  readonly source: CommentSource;
  readonly asked: CommandRequest;
  readonly item: BulkItem;
}

async function carryOutHere({
  issue,
  ...doing
}: Doing & { readonly issue: CommandPlace | null }): Promise<BulkResult> {
  const { ports, access, look, source, asked, item, signal } = doing;
  const target = item.pull === undefined ? undefined : targetOf(access, source, item.pull, item.head);
  const place =
    target === undefined
      ? issue
      : await loadPlaceFor({ verb: verbOf(item), ports, access, look, target, source, signal });
  return logged(doing, place, await carryOut({ ports, access, signal }, place, asked, item));
}

/** What may be told of it here. */
async function carryOutThere(doing: Doing, repository: number): Promise<BulkResult> {
  const { catalog } = doing.ports;
  const result = await actThere(doing, repository);
  const [board, known] = [catalog.get(doing.access.ref.id), catalog.get(repository)];
  if (result.outcome === 'done' || board === undefined || known === undefined) return result;
  return { ...result, text: reasonTold(board, known, result.text) };
}

/** The person acts in another repository: what was planned, with the rights there at this moment. */
async function actThere(doing: Doing, repository: number): Promise<BulkResult> {
  const { ports, access: here, look, source, asked, item, signal } = doing;
  // Right after a start, what is not known yet may still be there.
  needWholeIndex(ports);
  const [board, known] = [ports.catalog.get(here.ref.id), ports.catalog.get(repository)];
  if (board === undefined || known === undefined || item.pull === undefined || !isInReach(board, known)) {
    return { outcome: 'refused', text: 'its repository can no longer be reached from here' };
  }
  const access = await ports.open(known.ref, signal);
  const target = fleetTargetOf(access, source, item.pull);
  const found = await catchUserError(
    async () => ({
      place: await loadPlaceFor({ verb: verbOf(item), ports, access, look, target, source, signal }),
    }),
    (why) => why,
  );
  if (typeof found === 'string') return { outcome: 'failed', text: found };
  const { place } = found;
  const there = { ...doing, access };
  if (place === null || place.snapshot === null) return { outcome: 'refused', text: 'it no longer exists' };
  const { snapshot } = place;
  if (doesMerge(verbOf(item)) && (await mergedBefore({ ports, access, signal }, snapshot, asked))) {
    await ports.enqueue(publicationJob(access.ref));
    return logged(there, place, { outcome: 'done', text: '' });
  }
  const why = whyNotCarriedOut(item, place);
  if (why !== undefined) return logged(there, place, { outcome: 'refused', text: why });
  return logged(there, place, await carryOut({ ports, access, signal }, place, asked, item));
}

function logged(
  { ports, access, asked, item }: Pick<Doing, 'ports' | 'access' | 'asked' | 'item'>,
  place: CommandPlace | null,
  result: BulkResult,
): BulkResult {
  const asking = { author: asked.login, id: asked.id, number: item.pull ?? asked.number };
  const { outcome } = result;
  if (place !== null) logCommand({ ports, access, asking, verb: verbOf(item), outcome, state: place.state });
  return result;
}

function verbOf({ line }: Pick<BulkItem, 'line'>): string {
  return line.split(' ', 1)[0] ?? '';
}

/** Commands of plans do not share places with those that people write. */
const FIRST_INDEX = 1_000;

function targetOf(
  { ref }: RepositoryAccess,
  { kind, id }: CommentSource,
  number: number,
  headSeen?: string,
): CommentTarget {
  return { repository: ref, number, source: { kind, id }, ...(headSeen !== undefined && { headSeen }) };
}

export async function carryOut(
  { ports, access, signal }: RepositoryWork,
  place: CommandPlace | null,
  asked: CommandRequest,
  item: Pick<BulkItem, 'line' | 'pull'>,
): Promise<BulkResult> {
  const number = item.pull ?? asked.number;
  if (place === null) return { outcome: 'refused', text: 'it no longer exists' };
  if (item.line === 'close') return close(access, number, place.state, signal);
  const decision = decideCommand(commandLineOf(item.line, asked.index), place.state);
  if (decision.kind === 'ignore') return { outcome: 'refused', text: 'bots cannot use this command' };
  if (decision.kind === 'refuse') return { outcome: 'refused', text: `${decision.message} ${decision.hint}` };
  const replies: string[] = decision.reply === undefined ? [] : [decision.reply];
  for (const step of decision.steps) {
    if (isBulkStep(step)) throw new PorticoError('BULK_IN_BULK', item.line, { blame: 'bug' });
    const outcome = await attempted(
      performStep({ ports, access, snapshot: place.snapshot, asked: { ...asked, number }, step, signal }),
    );
    if (outcome.kind !== 'done') return { outcome: outcome.kind, text: `${outcome.message} ${outcome.hint}` };
    if (outcome.reply !== undefined) replies.push(outcome.reply);
  }
  return { outcome: 'done', text: replies.join(' ') };
}

/** What a person must mend is told for that item, and the others go on. */
async function attempted(work: Promise<StepOutcome>): Promise<StepOutcome> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof PorticoError) || error.blame !== 'user') throw error;
    return { kind: 'failed', message: error.message, hint: error.hint ?? '' };
  }
}

/** Whoever may reject a proposal may close it. */
async function close(
  { forge }: RepositoryAccess,
  number: number,
  { config, caller, place }: Parameters<typeof decideCommand>[1],
  signal: AbortSignal | undefined,
): Promise<BulkResult> {
  const allowed = authorize(config, reject, caller);
  if (allowed.kind === 'refuse') return { outcome: 'refused', text: `${allowed.message} ${allowed.hint}` };
  if (allowed.kind === 'ignore') return { outcome: 'refused', text: 'bots cannot use this command' };
  if (place.kind === 'pull' && place.state === 'open') await forge.closePull(number, signal);
  return { outcome: 'done', text: '' };
}
