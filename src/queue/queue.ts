import type { Logger } from 'pino';

import { PorticoError } from '../error.ts';
import type { Database } from './database.ts';
import type { JobHandler, Lane, Queue, QueueMetrics } from './job.ts';

export interface QueueOptions {
  readonly database: Database;
  readonly log: Logger;
  readonly metrics?: QueueMetrics;
  /** By job kind. Every kind of every lane needs one. */
  readonly handlers: Readonly<Record<string, JobHandler>>;
  readonly lanes: readonly Lane[];
}

/** Starts the workers of all lanes. Jobs of an earlier process that died go on. */
export async function startQueue(options: QueueOptions): Promise<Queue> {
  throw new PorticoError('QUEUE_LANES', `no lanes in ${options.lanes.length}`);
}
