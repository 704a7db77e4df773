/** The steps that make and change drafts, and those that only look. */
import type { Step } from '../../command/step.ts';
import { PorticoError } from '../../error.ts';
import { AGGREGATE_CHECK } from '../check-names.ts';
import { changeDraft } from '../draft/change.ts';
import { createDraft } from '../draft/create.ts';
import type { Access, World } from '../ports.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import type { Asked, StepOutcome } from '../step-outcome.ts';
import { code } from '../text/markdown-blocks.ts';
import { pauseUpdates, resumeUpdates } from './paused.ts';
import { orderRollout } from './rollout-command.ts';
import { showDiff } from './show-diff.ts';

const DRAFT_STEPS = [
  'create-draft',
  'change-draft',
  'show-diff',
  'pause-updates',
  'resume-updates',
  'order-rollout',
  'cancel-work',
] as const;

export type DraftStep = Extract<Step, { do: (typeof DRAFT_STEPS)[number] }>;

export function isDraftStep(step: Step): step is DraftStep {
  return DRAFT_STEPS.some((name) => name === step.do);
}

/** Does one of them. `snapshot` is null in an issue. */
export async function performDraftStep(
  world: World,
  access: Access,
  snapshot: ProposalSnapshot | null,
  asked: Asked,
  step: DraftStep,
  signal?: AbortSignal,
): Promise<StepOutcome> {
  switch (step.do) {
    case 'create-draft':
      return createDraft(world, access, asked, step.draft, signal);
    case 'show-diff':
      return showDiff(world, access, snapshot, step, signal);
    case 'pause-updates':
      return pauseUpdates(world, access, asked, step, signal);
    case 'resume-updates':
      return resumeUpdates(world, access, step, signal);
    case 'order-rollout':
      return orderRollout(world, access, asked, step, signal);
    case 'change-draft':
    case 'cancel-work':
      if (snapshot === null)
        throw new PorticoError('NO_PROPOSAL', `${step.do} in an issue`, { blame: 'bug' });
      return step.do === 'change-draft'
        ? changeDraft(world, access, snapshot, asked, step.change, signal)
        : cancelWork(world, access, snapshot, step, signal);
  }
}

async function cancelWork(
  world: World,
  { forge, ref }: Access,
  { pull, head }: ProposalSnapshot,
  { login }: Extract<Step, { do: 'cancel-work' }>,
  signal: AbortSignal | undefined,
): Promise<StepOutcome> {
  if (!(await world.cancel(ref, pull.number))) {
    return {
      kind: 'refused',
      message: 'Nothing is being done about this pull request.',
      hint: 'Close it to end it, or make it a draft again with /portico reject.',
    };
  }
  await forge.putCheck(
    {
      name: AGGREGATE_CHECK,
      headSha: head.oid,
      externalId: '',
      status: 'completed',
      conclusion: 'action_required',
      title: `Cancelled by ${login}`,
      summary: 'A push or `/portico render` starts it again.',
    },
    signal,
  );
  return {
    kind: 'done',
    reply: `Stopped at ${code(head.oid.slice(0, 7))}. A push or \`/portico render\` starts it again.`,
  };
}
