import type { BulkStep, Step } from '../../command/step.ts';
import { PorticoError } from '../../error.ts';
import type { RepositoryWork } from '../ports.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import type { CommandRequest, StepOutcome } from '../step-outcome.ts';

/** Steps that are done here; those of `/portico bulk` do others. */
export type SingleStep = Exclude<Step, BulkStep>;

/** What a step is done with. */
export interface StepContext<Kind extends SingleStep['do'] = SingleStep['do']> extends RepositoryWork {
  /** Null in an issue. */
  readonly snapshot: ProposalSnapshot | null;
  readonly asked: CommandRequest;
  readonly step: Extract<Step, { do: Kind }>;
}

/** The same in a pull request. */
export interface PullStepContext<Kind extends SingleStep['do']> extends StepContext<Kind> {
  readonly snapshot: ProposalSnapshot;
}

export type PerformStep<Kind extends SingleStep['do']> = (context: StepContext<Kind>) => Promise<StepOutcome>;

/** A step that no command asks for in an issue. */
export function inPull<Kind extends SingleStep['do']>(
  perform: (context: PullStepContext<Kind>) => Promise<StepOutcome>,
): PerformStep<Kind> {
  return async (context) => {
    const { snapshot } = context;
    if (snapshot !== null) return perform({ ...context, snapshot });
    const step: Step = context.step;
    throw new PorticoError('NO_PROPOSAL', `${step.do} in an issue`, { blame: 'bug' });
  };
}
