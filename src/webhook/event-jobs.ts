import type { Job } from '../reconcile/job.ts';
import type { Ports } from '../reconcile/ports.ts';
import { affectsUpdates } from '../reconcile/update/variant.ts';
import { routeEvent, type Routed } from './route.ts';

export interface EventReceived {
  readonly id: string;
  readonly name: string;
  readonly payload: unknown;
}

/** What an event asks for, as far as it may come to something. */
export function jobsOf(world: Ports, { name, payload }: Pick<EventReceived, 'name' | 'payload'>): Routed {
  const routed = routeEvent(name, payload, world.app.id);
  const jobs = routed.jobs.filter(
    ({ kind, data }) => kind !== 'variant' || data.about !== 'branch' || affectsUpdates(world, data),
  );
  return { ...routed, jobs };
}

/** A comment is about the head that its author could see: what is pushed between comment and command is not meant. */
export async function withHead(world: Ports, job: Job, signal: AbortSignal | undefined): Promise<Job> {
  if (job.kind !== 'comment') return job;
  const { repository, number } = job.data;
  const { forge } = await world.open(repository, signal);
  const pull = await forge.getPull(number, {}, signal);
  return pull === null ? job : { ...job, data: { ...job.data, headSeen: pull.headSha } };
}
