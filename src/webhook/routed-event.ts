/**
 * Pure: an event as the server knows it, with the jobs that it asks for. A webhook is parsed and routed once, where it
 * comes in; what is stored of it is its jobs.
 */
import { z } from 'zod';

import { repositoryNamed } from '../intake/repository-named.ts';
import { readJobData, type Job } from '../reconcile/job.ts';
import { problemOf } from './event-payload.ts';
import { routeEvent, type Routed } from './route.ts';

export interface RoutedEvent extends Routed {
  /** `X-GitHub-Delivery`. */
  readonly id: string;
  /** `X-GitHub-Event`. */
  readonly name: string;
  /** `owner/name` of the repository that it is about, as far as it is known; for the log. */
  readonly repository?: string | undefined;
}

/** An event that did not come through our door. `ownAppId`: the App's number, of whose own checks it hears. */
export function routedEvent(
  { id, name, payload }: { readonly id: string; readonly name: string; readonly payload: unknown },
  ownAppId: number,
): RoutedEvent {
  return { id, name, repository: repositoryNamed(payload), ...routeEvent(name, payload, ownAppId) };
}

/** Tells what is stored since jobs are from a payload, which earlier versions stored: no payload has such a field. */
const FORMAT = 1;

const STORED = z.object({
  routed: z.literal(FORMAT),
  jobs: z.array(
    z.object({
      kind: z.string(),
      key: z.string(),
      data: z.unknown(),
      startAfterSeconds: z.number().exactOptional(),
      priority: z.number().exactOptional(),
    }),
  ),
});

/** What is stored of an event that asks for these jobs, to be read by `readStored`. */
export function storedText(jobs: readonly Job[]): string {
  return JSON.stringify({ routed: FORMAT, jobs });
}

/** What was stored of an event, by this version or an earlier one, which stored the payload. */
export function readStored(
  stored: { readonly id: string; readonly event: string; readonly body: string },
  ownAppId: number,
): RoutedEvent {
  const { id, event: name, body } = stored;
  const content = parsedJson(body);
  if (typeof content !== 'object' || content === null || !('routed' in content)) {
    return routedEvent({ id, name, payload: content }, ownAppId);
  }
  const read = STORED.safeParse(content);
  if (!read.success) return { id, name, jobs: [], unreadable: problemOf(read.error) };
  const jobs: Job[] = [];
  for (const { kind, data, ...rest } of read.data.jobs) {
    const job = readJobData(kind, data);
    if ('problem' in job) return { id, name, jobs: [], unreadable: job.problem };
    jobs.push({ ...job, ...rest });
  }
  return { id, name, jobs };
}

/** Undefined for a text that is no JSON, which no event is. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
