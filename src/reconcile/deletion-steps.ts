import type { Step } from '../command/step.ts';
import type { Asked, StepOutcome } from './command-steps.ts';
import { proposeDeletion } from './deletion.ts';
import type { Access, World } from './ports.ts';
import { rejectRetirement, requestRetirement, retire } from './retirement.ts';

const KINDS = ['propose-deletion', 'request-retirement', 'retire', 'reject-retirement'] as const;

/** Steps about removing what is published; they need no proposal. */
export type DeletionStep = Extract<Step, { do: (typeof KINDS)[number] }>;

export function isDeletionStep(step: Step): step is DeletionStep {
  return KINDS.some((kind) => kind === step.do);
}

export function performDeletionStep(
  world: World,
  access: Access,
  asked: Asked,
  step: DeletionStep,
  signal?: AbortSignal,
): Promise<StepOutcome> {
  switch (step.do) {
    case 'propose-deletion':
      return proposeDeletion(world, access, asked, step, signal);
    case 'request-retirement':
      return requestRetirement(world, access, asked, step, signal);
    case 'retire':
      return retire(world, access, asked, step, signal);
    case 'reject-retirement':
      return rejectRetirement(world, access, asked, step, signal);
  }
}
