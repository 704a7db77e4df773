/** What the cluster says of a Job whose pod does not run. */
import { z } from 'zod';

import { PorticoError } from '../../error.ts';
import { compareText } from '../../text/compare-text.ts';
import { shorten } from '../../text/cut-text.ts';
import { callApi, MAX_REASON } from './api.ts';
import type { ClusterSettings } from './settings.ts';

/** A namespace of functions has few warnings; they are kept for an hour. */
const MAX_EVENTS = 500;

const EVENTS = z.object({
  items: z
    .array(
      z.object({
        involvedObject: z.object({ name: z.string().nullish() }),
        reason: z.string().nullish(),
        message: z.string().nullish(),
        lastTimestamp: z.string().nullish(),
        eventTime: z.string().nullish(),
      }),
    )
    .nullish(),
});

/**
 * The last failure that the cluster tells of a Job or of its pods, whose names begin with that of the Job: a quota, a
 * LimitRange, a policy, a volume. Undefined where there is none, and where the server may not read events.
 */
export async function failureOf(
  settings: ClusterSettings,
  job: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const path = `/api/v1/namespaces/${settings.namespace}/events?fieldSelector=type%3DWarning&limit=${MAX_EVENTS}`;
  try {
    const { items } = await callApi(settings, { method: 'GET', path }, EVENTS, signal);
    const [last] = (items ?? [])
      .filter(
        ({ involvedObject, reason }) => involvedObject.name?.startsWith(job) && reason?.startsWith('Failed'),
      )
      .map(({ message, lastTimestamp, eventTime }) => ({ message, at: lastTimestamp ?? eventTime ?? '' }))
      .toSorted((a, b) => compareText(b.at, a.at));
    return shorten(last?.message ?? '', MAX_REASON) || undefined;
  } catch (error) {
    if (error instanceof PorticoError) return undefined;
    throw error;
  }
}
