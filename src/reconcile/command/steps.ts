/** What each step of a slash-command does. Each may run twice without harm. */
import { formatRecord } from '../../command/approval-record.ts';
import { digestSeen } from '../../command/digest-seen.ts';
import { settledAlready } from '../../command/resolve.ts';
import type { Step } from '../../command/step.ts';
import { MERGE_FILE } from '../../package/merge/local-owns.ts';
import { joined } from '../../text/joined.ts';
import { changeDraft } from '../draft/change.ts';
import { createDraft } from '../draft/create.ts';
import { proposeDeletion } from '../draft/deletion.ts';
import { rejectRetirement, requestRetirement, retire } from '../draft/retirement.ts';
import {
  inPull,
  type PerformStep,
  type PullStepContext,
  type SingleStep,
  type StepContext,
} from '../draft/step-context.ts';
import { proposalJob, recheckJob, variantJob } from '../jobs.ts';
import { changeChannels } from '../promotion/change-channels.ts';
import { mergeOnCommand } from '../publication/merge.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { checkedContents } from '../review/approvals.ts';
import { refusedBy, type StepOutcome } from '../step-outcome.ts';
import { commitLink } from '../text/markdown-blocks.ts';
import { mergeNotesText } from '../text/merge-notes.ts';
import { cancelWork } from './cancel-work.ts';
import { marking } from './mark-retirements.ts';
import { pauseUpdates, resumeUpdates } from './paused.ts';
import { rollBack } from './roll-back.ts';
import { orderRollout, planRollout } from './rollout-command.ts';
import { settleConflicts, type NothingMeant, type Settled } from './settle-conflicts.ts';
import { showDiff } from './show-diff.ts';
import { showPlan } from './show-plan.ts';
import { showWork } from './why.ts';

const DONE: StepOutcome = { kind: 'done' };

const STEPS: { readonly [Kind in SingleStep['do']]: PerformStep<Kind> } = {
  'mark-ready': inPull(markReady),
  'convert-to-draft': inPull(convertToDraft),
  render: inPull(renderAgain),
  'record-approval': inPull(recordApproval),
  'record-rejection': inPull(recordRejection),
  'settle-conflicts': inPull(settle),
  merge: inPull(mergeOnCommand),
  'propose-deletion': proposeDeletion,
  'request-retirement': marking(requestRetirement),
  retire: marking(retire),
  'reject-retirement': marking(rejectRetirement),
  'request-update': requestUpdate,
  'create-draft': ({ step, ...context }) => createDraft({ ...context, request: step.draft }),
  'change-draft': inPull(({ step, ...context }) => changeDraft({ ...context, change: step.change })),
  'show-diff': showDiff,
  'show-plan': showPlan,
  'show-work': showWork,
  'pause-updates': pauseUpdates,
  'resume-updates': resumeUpdates,
  'order-rollout': orderRollout,
  'plan-rollout': planRollout,
  'roll-back': rollBack,
  'change-channels': ({ step, ...context }) => changeChannels({ ...context, change: step.change }),
  'cancel-work': inPull(cancelWork),
};

/** Does one step. */
export function performStep(context: StepContext): Promise<StepOutcome> {
  return perform(context.step.do, context);
}

function perform<Kind extends SingleStep['do']>(
  kind: Kind,
  context: StepContext<Kind>,
): Promise<StepOutcome> {
  return STEPS[kind](context);
}

async function markReady(context: PullStepContext<'mark-ready'>): Promise<StepOutcome> {
  const { access, snapshot, signal } = context;
  const { pull } = snapshot;
  if (pull.draft) await access.forge.markReady(pull.nodeId, signal);
  return look(context, `[#${pull.number}](${pull.htmlUrl}) is ready for review.`);
}

async function convertToDraft(context: PullStepContext<'convert-to-draft'>): Promise<StepOutcome> {
  const { access, snapshot, signal } = context;
  const { pull } = snapshot;
  // The record of the rejection says what happened.
  if (!pull.draft) await access.forge.convertToDraft(pull.nodeId, signal);
  return look(context);
}

async function recordApproval(context: PullStepContext<'record-approval'>): Promise<StepOutcome> {
  const { access, asked, step, signal } = context;
  const { digest, head } = step;
  const seen = digestSeen(await checkedContents(access, head, signal), asked.at);
  if (seen !== digest) return unseen(seen);
  // The record says what happened.
  await record(context, { kind: 'approval', digest, head });
  return look(context);
}

async function recordRejection(context: PullStepContext<'record-rejection'>): Promise<StepOutcome> {
  const { head, why } = context.step;
  await record(context, { kind: 'rejection', digest: '', head }, why);
  return look(context);
}

async function settle(context: PullStepContext<'settle-conflicts'>): Promise<StepOutcome> {
  const settled = await settleConflicts(context);
  if ('kind' in settled) return refusedBy(settled);
  return look(context, settledText(context.snapshot, context.step, settled));
}

/** An approval is for what its giver could see when it was written. */
function unseen(seen: string | undefined): StepOutcome {
  const message =
    seen === undefined
      ? 'The checks for this content had not finished when you wrote the comment.'
      : 'The content has changed since you wrote the comment.';
  return { kind: 'refused', message, hint: 'Review the current content, then approve it in a new comment.' };
}

/** The proposal is looked at again: its comment and checks follow. */
async function look(
  { ports, access, snapshot }: Pick<PullStepContext<'render'>, 'ports' | 'access' | 'snapshot'>,
  reply?: string,
): Promise<StepOutcome> {
  await ports.enqueue(proposalJob(access.ref, snapshot.pull.number));
  return reply === undefined ? DONE : { kind: 'done', reply };
}

function settledText(
  { facts }: ProposalSnapshot,
  { numbers, side, remember }: Extract<Step, { do: 'settle-conflicts' }>,
  settled: Settled | NothingMeant,
): string {
  if (settled.commit === null) return settledAlready(numbers, settled.open);
  const { commit, notes } = settled;
  const which = numbers.length === 1 ? `Conflict ${numbers.join()} is` : `${numbers.length} conflicts are`;
  const done = `${which} settled with the ${side} value in ${commitLink(facts.htmlUrl, commit)}.`;
  const kept =
    remember === true
      ? `\`${MERGE_FILE}\` says now that this package keeps it, whatever upstream changes; remove the line to be asked again.`
      : '';
  return joined([done, kept, mergeNotesText(notes)]);
}

/** What met a limit before is done once more, unless only its author asks, who may be a stranger. */
async function renderAgain({
  ports,
  access: { ref },
  snapshot: { pull, writable },
  asked: { login },
}: PullStepContext<'render'>): Promise<StepOutcome> {
  const mayAskAnew = writable || login.toLowerCase() !== pull.author.toLowerCase();
  await ports.enqueue(mayAskAnew ? recheckJob(ref, pull.number, {}) : proposalJob(ref, pull.number));
  return {
    kind: 'done',
    reply: `Rendering again. The [checks](${pull.htmlUrl}/checks) will show the result.`,
  };
}

async function record(
  {
    ports,
    access: { forge },
    snapshot: { facts, pull },
    asked,
    signal,
  }: Omit<PullStepContext<'record-approval'>, 'step'>,
  approval: { readonly kind: 'approval' | 'rejection'; readonly digest: string; readonly head: string },
  why?: string,
): Promise<void> {
  const text = formatRecord(
    {
      ...approval,
      repository: String(facts.id),
      pull: pull.number,
      login: asked.login,
      accountId: asked.accountId,
      commentId: asked.id,
      at: asked.at,
    },
    ports.seals,
    why,
  );
  await forge.upsertSticky(pull.number, `<!-- portico:record ${asked.id} -->`, text, signal);
}

async function requestUpdate({
  ports,
  access: { ref },
  asked: { number, login, accountId, from },
  step,
}: StepContext<'request-update'>): Promise<StepOutcome> {
  const by = { askedIn: number, askedBy: login, askedById: accountId };
  const where = from === undefined ? by : { ...by, askedFrom: from.repository };
  await ports.enqueue(variantJob(ref, step.package, { to: step.to, ...where }));
  return DONE;
}
