/** What the API server says of the pods of functions. */
import { z } from 'zod';

import { shorten } from '../../text/cut-text.ts';
import { callApi } from './api.ts';
import { CONTAINER } from './job.ts';
import type { ClusterSettings } from './settings.ts';

const TEXT = z.string().nullish();
const POD = z.object({
  metadata: z.object({ name: z.string().regex(/^[a-z0-9.-]{1,253}$/) }),
  status: z
    .object({
      phase: TEXT,
      reason: TEXT,
      message: TEXT,
      conditions: z.array(z.object({ type: z.string(), status: z.string(), message: TEXT })).nullish(),
      containerStatuses: z
        .array(
          z.object({
            name: z.string(),
            state: z
              .object({
                waiting: z.object({ reason: TEXT, message: TEXT }).nullish(),
                running: z.object({}).nullish(),
                terminated: z.object({ exitCode: z.int(), reason: TEXT, message: TEXT }).nullish(),
              })
              .nullish(),
          }),
        )
        .nullish(),
    })
    .nullish(),
});
const PODS = z.object({ items: z.array(POD).nullish() });

/** A pod of one function. */
export interface Pod {
  readonly name: string;
  readonly state:
    /** `final` where waiting longer does not help; `pull` where it is the image that is missing. */
    | { readonly kind: 'waiting'; readonly reason: string; readonly final: boolean; readonly pull: boolean }
    | { readonly kind: 'running' }
    | {
        readonly kind: 'ended';
        readonly exitCode: number;
        readonly reason: string;
        /** What ended it, where it was not the program itself. */
        readonly by: 'memory' | 'deadline' | 'cluster' | undefined;
      };
}

/** @throws PorticoError CLUSTER_API */
export async function readPods(
  settings: ClusterSettings,
  selector: string,
  signal: AbortSignal | undefined,
): Promise<readonly Pod[]> {
  const path = `/api/v1/namespaces/${settings.namespace}/pods?labelSelector=${encodeURIComponent(selector)}&limit=10`;
  const { items } = await callApi(settings, { method: 'GET', path }, PODS, signal);
  return (items ?? []).map((pod) => ({ name: pod.metadata.name, state: stateOf(pod) }));
}

/** Reasons of a waiting container that the kubelet tries again and again; nothing here changes meanwhile. */
const PULL_FAILED = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
]);
const START_FAILED = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'StartError',
]);

function stateOf({ status }: z.infer<typeof POD>): Pod['state'] {
  const { waiting, running, terminated } =
    status?.containerStatuses?.find(({ name }) => name === CONTAINER)?.state ?? {};
  const podReason = wordsOf(status?.reason, status?.message);
  if (terminated || status?.phase === 'Failed') {
    const reason = podReason ?? wordsOf(terminated?.reason, terminated?.message) ?? 'it gives no reason';
    const exitCode = terminated?.exitCode ?? 1;
    return { kind: 'ended', exitCode, reason, by: enderOf(status?.reason, terminated?.reason) };
  }
  if (running) return { kind: 'running' };
  const unplaced = status?.conditions?.find((one) => one.type === 'PodScheduled' && one.status === 'False');
  const pull = PULL_FAILED.has(waiting?.reason ?? '');
  return {
    kind: 'waiting',
    reason: wordsOf(waiting?.reason, waiting?.message) ?? wordsOf('', unplaced?.message) ?? 'it waits.',
    pull,
    final: pull || START_FAILED.has(waiting?.reason ?? ''),
  };
}

function enderOf(
  pod: string | null | undefined,
  container: string | null | undefined,
): 'memory' | 'deadline' | 'cluster' | undefined {
  if (container === 'OOMKilled') return 'memory';
  if (pod === 'DeadlineExceeded') return 'deadline';
  return (pod ?? '') !== '' || START_FAILED.has(container ?? '') ? 'cluster' : undefined;
}

const MAX_REASON = 500;

function wordsOf(reason: string | null | undefined, message: string | null | undefined): string | undefined {
  const words = [reason ?? '', message ?? ''].filter((text) => text !== '').join(': ');
  return words === '' ? undefined : shorten(words, MAX_REASON);
}
