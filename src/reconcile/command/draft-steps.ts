/** The steps that make and change drafts, and those that only look. */
import type { Step } from '../../command/step.ts';
import { PorticoError } from '../../error.ts';
import { AGGREGATE_CHECK } from '../check-names.ts';
import { changeDraft } from '../draft/change.ts';
import { createDraft } from '../draft/create.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import type { CommandRequest, StepOutcome } from '../step-outcome.ts';
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
export async function performDraftStep({
  ports,
  access,
  snapshot,
  asked,
  step,
  signal,
}: {
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly snapshot: ProposalSnapshot | null;
  readonly asked: CommandRequest;
  readonly step: DraftStep;
  readonly signal?: AbortSignal | undefined;
}): Promise<StepOutcome> {
  switch (step.do) {
    case 'create-draft':
      return createDraft({ ports, access, asked, request: step.draft, signal });
    case 'show-diff':
      return showDiff({ ports, access, snapshot, step, signal });
    case 'pause-updates':
      return pauseUpdates({ ports, access, asked, step, signal });
    case 'resume-updates':
      return resumeUpdates(ports, access, step, signal);
    case 'order-rollout':
      return orderRollout({ ports, access, asked, step, signal });
    case 'change-draft':
    case 'cancel-work':
      if (snapshot === null)
        throw new PorticoError('NO_PROPOSAL', `${step.do} in an issue`, { blame: 'bug' });
      return step.do === 'change-draft'
        ? changeDraft({ ports, access, snapshot, asked, change: step.change, signal })
        : cancelWork({ ports, access, snapshot, step, signal });
  }
}

async function cancelWork({
  ports,
  access: { forge, ref },
  snapshot: { pull, head },
  step: { login },
  signal,
}: {
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly snapshot: ProposalSnapshot;
  readonly step: Extract<Step, { do: 'cancel-work' }>;
  readonly signal: AbortSignal | undefined;
}): Promise<StepOutcome> {
  if (!(await ports.cancel(ref, pull.number))) {
    return {
      kind: 'refused',
      message: 'Portico is not working on this pull request.',
      hint: 'To end it, close it, or make it a draft again with /portico reject.',
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
      summary: 'To start again, push or comment `/portico render`.',
    },
    signal,
  );
  return {
    kind: 'done',
    reply: `Stopped at ${code(head.oid.slice(0, 7))}. To start again, push or comment \`/portico render\`.`,
  };
}
