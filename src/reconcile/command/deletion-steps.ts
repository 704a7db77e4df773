import type { Step } from '../../command/step.ts';
import { proposeDeletion } from '../draft/deletion.ts';
import { markRetirements } from '../draft/pending-retirements.ts';
import { rejectRetirement, requestRetirement, retire } from '../draft/retirement.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { loadConfiguration } from '../repository/configuration.ts';
import type { CommandRequest, StepOutcome } from '../step-outcome.ts';

const KINDS = ['propose-deletion', 'request-retirement', 'retire', 'reject-retirement'] as const;

/** Steps about removing what is published; they need no proposal. */
export type DeletionStep = Extract<Step, { do: (typeof KINDS)[number] }>;

export function isDeletionStep(step: Step): step is DeletionStep {
  return KINDS.some((kind) => kind === step.do);
}

export async function performDeletionStep({
  ports,
  access,
  asked,
  step,
  signal,
}: {
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly asked: CommandRequest;
  readonly step: DeletionStep;
  readonly signal?: AbortSignal | undefined;
}): Promise<StepOutcome> {
  switch (step.do) {
    case 'propose-deletion':
      return proposeDeletion({ ports, access, asked, step, signal });
    case 'request-retirement':
      return marked({
        ports,
        access,
        asked,
        outcome: await requestRetirement({ ports, access, asked, step, signal }),
        signal,
      });
    case 'retire':
      return marked({
        ports,
        access,
        asked,
        outcome: await retire({ ports, access, asked, step, signal }),
        signal,
      });
    case 'reject-retirement':
      return marked({
        ports,
        access,
        asked,
        outcome: await rejectRetirement({ ports, access, asked, step, signal }),
        signal,
      });
  }
}

/** What is asked for in an issue is found by its label from then on. */
async function marked({
  ports,
  access,
  asked: { number },
  outcome,
  signal,
}: {
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly asked: CommandRequest;
  readonly outcome: StepOutcome;
  readonly signal: AbortSignal | undefined;
}): Promise<StepOutcome> {
  if (outcome.kind !== 'done') return outcome;
  const facts = await access.forge.get(signal);
  const configuration = await loadConfiguration(access.git, facts.defaultBranch, signal);
  if (configuration.state === 'registered') {
    await markRetirements({ ports, access, facts, config: configuration.config, number, signal });
  }
  return outcome;
}
