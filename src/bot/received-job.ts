/** Pure: what comes out of the queue, read once. */
import { z } from 'zod';

import { NEWER_VERSION, PorticoError } from '../error.ts';
import type { Job as StoredJob } from '../queue/job.ts';
import { readJobData, type JobData, type JobKind } from '../reconcile/job.ts';

/** What the bot writes on every job that it stores: when it was requested, its trace, and the webhook that led to it. */
const ORIGIN = z.object({
  at: z.number().exactOptional(),
  trace: z.string().exactOptional(),
  delivery: z.string().exactOptional(),
});

export type Origin = Readonly<z.output<typeof ORIGIN>>;

/** A job that is to be done, by its kind. */
export type ReceivedJob<Kind extends JobKind = JobKind> = {
  readonly [K in Kind]: {
    readonly kind: K;
    readonly key: string;
    readonly data: JobData<K>;
    readonly origin: Origin;
    /** 1 for the first run. */
    readonly attempt: number;
  };
}[Kind];

/** @throws PorticoError JOB_UNREADABLE where the data is not what jobs of its kind carry */
export function readJob({ kind, key, data, attempt }: StoredJob): ReceivedJob {
  const job = readJobData(kind, data);
  if ('problem' in job) throw unreadable(key, job.problem);
  const origin = ORIGIN.safeParse(data);
  if (!origin.success) throw unreadable(key, z.prettifyError(origin.error));
  return { ...job, key, origin: origin.data, attempt };
}

/** To be tried as long as what the forge refuses: a process of the version that stored it may take it next. */
function unreadable(key: string, why: string): PorticoError {
  return new PorticoError('JOB_UNREADABLE', `the job ${key} cannot be read: ${why}`, {
    blame: 'forge',
    hint: NEWER_VERSION,
  });
}
