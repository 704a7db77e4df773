import type { TrialRepository } from './repository.ts';

/** What a trial needs of the program that it is part of. */
export interface Portico {
  /** Starts it for these repositories alone, without a door. */
  start(
    repositories: readonly Pick<TrialRepository, 'id' | 'owner' | 'name'>[],
    signal: AbortSignal,
  ): Promise<RunningPortico>;
  /** Whether the server can read a webhook. */
  reads(event: string, payload: unknown): boolean;
}

export interface RunningPortico extends AsyncDisposable {
  /** Looks at everything and works until there is nothing left to do. */
  look(signal: AbortSignal): Promise<void>;
}
