/** What a queue carries and promises: the types that callers write against. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** A job as its handler sees it. */
export interface Job {
  /** Names the handler. */
  readonly kind: string;
  /** Jobs with the same lane and key never run at the same time, and at most one of them waits. */
  readonly key: string;
  readonly data: Json;
  /** 1 for the first run; the number of runs that ended in an error, plus one. */
  readonly attempt: number;
}

export interface NewJob {
  readonly kind: string;
  readonly key: string;
  /** Replaces the data of a job of the same lane and key that still waits. */
  readonly data: Json;
  /** Seconds to wait before the first run. A waiting job of the same key starts at the earlier of the two times. */
  readonly startAfterSeconds?: number;
  /** Higher runs first within the lane; 0 when absent. A waiting job keeps the higher of the two. */
  readonly priority?: number;
  /** Whose work it is: the tenants of a lane are served in turn. Jobs without one are those of one more tenant. */
  readonly tenant?: string;
}

export type JobHandler = (job: Job, signal: AbortSignal) => Promise<void>;

/** A lane is a queue of its own with its own number of jobs at a time, so that slow work cannot starve a quick answer. */
export interface Lane {
  /** Letters, digits, `-` and `_`. */
  readonly name: string;
  /** The job kinds that travel in it. Kinds of one lane share its keys: `a` and `b` with key `k` exclude each other. */
  readonly kinds: readonly string[];
  /** Jobs at a time in this process. */
  readonly concurrency: number;
  /** A run is aborted and repeated after so many seconds; 900 when absent. */
  readonly maxSeconds?: number;
  /** Its jobs wait for more news on purpose: as long as they do, a queue with nothing else to do is idle. */
  readonly gathers?: true;
}

export type JobOutcome = 'done' | 'refused' | 'retried' | 'dead' | 'released' | 'lost';

/** What the queue tells the metrics; `src/telemetry/metrics.ts` fits. */
export interface QueueMetrics {
  jobEnded(kind: string, outcome: JobOutcome, seconds: number): void;
}

export interface LaneDepth {
  readonly lane: string;
  /** Jobs that could start now. */
  readonly ready: number;
  /** Jobs whose time has not come: deferred, or waiting for another try. */
  readonly deferred: number;
  readonly active: number;
  /** Seconds that the oldest ready job has waited; 0 when none is ready. */
  readonly ageSeconds: number;
}

/** A job that was given up: refused by an error that blames the user, or out of tries. */
export interface DeadJob {
  readonly id: string;
  readonly kind: string;
  readonly key: string;
  readonly data: Json;
  readonly code: string;
  readonly message: string;
  readonly attempts: number;
  readonly at: Date;
}

/** What jobs are asked for: those of a webhook, or those about a repository. */
export type JobsAbout = { readonly delivery: string } | { readonly repository: number };

/** A job for a person who asks why nothing happens. */
export interface JobTrace {
  readonly kind: string;
  readonly key: string;
  readonly data: Json;
  /** `waiting`: its time has not come. `done`: kept for webhooks alone, and for four days. */
  readonly state: 'running' | 'ready' | 'waiting' | 'done' | 'given-up';
  /** When it began, was stored, will start, or ended. */
  readonly at: Date;
  readonly attempt: number;
  /** Why it runs again, or was given up. */
  readonly code?: string;
  /** Why there was nothing to do. */
  readonly reason?: string;
}

export interface Queue extends AsyncDisposable {
  /**
   * Stores a job durably and wakes a worker. An enqueue that returns after a job of the same key has started always
   * leads to another run. Several jobs are stored in one transaction.
   */
  enqueue(job: NewJob | readonly NewJob[]): Promise<void>;
  /** Resolves when no job is active and none will start within so many seconds (60 when absent). For tests and the demo. */
  idle(withinSeconds?: number, signal?: AbortSignal): Promise<void>;
  /** Starts nothing more; after `graceMs` the running jobs are aborted and go back to wait for the next start. */
  stop(graceMs: number): Promise<void>;
  depth(): Promise<readonly LaneDepth[]>;
  /** The newest jobs that were given up, newest first; kept for 30 days. */
  dead(limit?: number): Promise<readonly DeadJob[]>;
  /** The jobs that are about something: those that ended lately, then those that run or wait. */
  about(what: JobsAbout): Promise<readonly JobTrace[]>;
}
