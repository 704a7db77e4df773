import type { Step } from '../../command/step.ts';
import { proposeDeletion } from '../draft/deletion.ts';
import { markRetirements } from '../draft/pending-retirements.ts';
import { rejectRetirement, requestRetirement, retire } from '../draft/retirement.ts';
import type { Access, World } from '../ports.ts';
import { loadConfiguration } from '../repository/configuration.ts';
import type { Asked, StepOutcome } from '../step-outcome.ts';

const KINDS = ['propose-deletion', 'request-retirement', 'retire', 'reject-retirement'] as const;

/** Steps about removing what is published; they need no proposal. */
export type DeletionStep = Extract<Step, { do: (typeof KINDS)[number] }>;

export function isDeletionStep(step: Step): step is DeletionStep {
  return KINDS.some((kind) => kind === step.do);
}

export async function performDeletionStep(
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
      return marked(
        world,
        access,
        asked,
        await requestRetirement(world, access, asked, step, signal),
        signal,
      );
    case 'retire':
      return marked(world, access, asked, await retire(world, access, asked, step, signal), signal);
    case 'reject-retirement':
      return marked(world, access, asked, await rejectRetirement(world, access, asked, step, signal), signal);
  }
}

/** What is asked for in an issue is found by its label from then on. */
async function marked(
  world: World,
  access: Access,
  { number }: Asked,
  outcome: StepOutcome,
  signal: AbortSignal | undefined,
): Promise<StepOutcome> {
  if (outcome.kind !== 'done') return outcome;
  const facts = await access.forge.get(signal);
  const configuration = await loadConfiguration(access.git, facts.defaultBranch, signal);
  if (configuration.state === 'registered') {
    await markRetirements(world, access, facts, configuration.config, number, signal);
  }
  return outcome;
}
