import type { Job } from '../reconcile/job.ts';
import type { Ports } from '../reconcile/ports.ts';
import { affectsUpdates } from '../reconcile/update/reconciler.ts';

/** Of the jobs that an event asks for, those that may come to something as far as the index knows. */
export function worthDoing(ports: Pick<Ports, 'catalog'>, jobs: readonly Job[]): readonly Job[] {
  return jobs.filter(
    ({ kind, data }) => kind !== 'variant' || data.about !== 'branch' || affectsUpdates(ports, data),
  );
}

/** A comment is about the head that its author could see: what is pushed between comment and command is not meant. */
export async function withHead(ports: Ports, job: Job, signal: AbortSignal | undefined): Promise<Job> {
  if (job.kind !== 'comment') return job;
  const { repository, number } = job.data;
  const { forge } = await ports.open(repository, signal);
  const pull = await forge.getPull(number, {}, signal);
  return pull === null ? job : { ...job, data: { ...job.data, headSeen: pull.headSha } };
}
