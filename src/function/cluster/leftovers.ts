/** Jobs of servers that were killed before they could delete them. */
import { z } from 'zod';

import { PorticoError } from '../../error.ts';
import { RENDER_MS } from '../sandbox/limits.ts';
import { callApi } from './api.ts';
import { FUNCTION_SELECTOR, OWNER_LABEL, START_MS } from './job.ts';
import { requireNoNetwork } from './network-policy.ts';
import type { ClusterSettings } from './settings.ts';

/** No run takes longer; what is older belongs to nobody, whoever made it. */
const MAX_AGE_MS = START_MS + RENDER_MS + 60_000;
/** Read at once; what is beyond that is removed at the next start, or by its own deadline. */
const MAX_JOBS = 500;

/** Those that this process is running: the server works already when it looks for leftovers. */
const running = new Set<string>();

const JOBS = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({
          name: z.string().regex(/^[a-z0-9.-]{1,253}$/),
          labels: z.record(z.string(), z.string()).nullish(),
          creationTimestamp: z.string(),
        }),
      }),
    )
    .nullish(),
});

/** A Job is deleted at the end of each run; what stays is ended by its deadline. */
const REMOVAL_MS = 10_000;

/**
 * What a server does with the cluster at its start: removes Jobs of its own pod, which an earlier container left, and
 * those that are too old to be anyone's; sees whether functions could run. It does not wait for an API server that is
 * not there. Gives sentences for the log.
 */
export async function prepareCluster(
  settings: ClusterSettings,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const step of [removeLeftovers, requireNoNetwork]) {
    try {
      await step({ ...settings, patienceMs: 0 }, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof PorticoError)) throw error;
      notes.push(
        `functions on Kubernetes are refused as long as this is so: ${error.message} ${error.hint ?? ''}`,
      );
    }
  }
  return [...new Set(notes)];
}

async function removeLeftovers(settings: ClusterSettings, signal: AbortSignal | undefined): Promise<void> {
  const selector = encodeURIComponent(FUNCTION_SELECTOR);
  const path = `${jobs(settings)}?labelSelector=${selector}&limit=${MAX_JOBS}`;
  const { items } = await callApi(settings, { method: 'GET', path }, JOBS, signal);
  for (const { metadata } of items ?? []) {
    if (running.has(metadata.name)) continue;
    const age = Date.now() - Date.parse(metadata.creationTimestamp);
    if (metadata.labels?.[OWNER_LABEL] !== settings.owner && !(age > MAX_AGE_MS)) continue;
    await removeJob(settings, metadata.name, signal);
  }
}

/** Does what needs a Job of that name, and deletes it in the end, however that is. */
export async function withJob<T>(settings: ClusterSettings, name: string, use: () => Promise<T>): Promise<T> {
  running.add(name);
  try {
    return await use();
  } finally {
    // The call that made it may have failed after the Job was there.
    await removeJob({ ...settings, patienceMs: Math.min(settings.patienceMs, REMOVAL_MS) }, name).catch(
      () => undefined,
    );
    running.delete(name);
  }
}

/** Deletes a Job with its pod. One that is not there is as wanted. @throws PorticoError CLUSTER_API */
async function removeJob(settings: ClusterSettings, name: string, signal?: AbortSignal): Promise<void> {
  const path = `${jobs(settings)}/${name}?propagationPolicy=Background&gracePeriodSeconds=0`;
  await callApi(settings, { method: 'DELETE', path, alsoFine: 404 }, z.unknown(), signal);
}

function jobs({ namespace }: ClusterSettings): string {
  return `/apis/batch/v1/namespaces/${namespace}/jobs`;
}
