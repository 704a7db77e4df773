/** Container images as functions on Kubernetes: one Job for each run, deleted at its end. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { z } from 'zod';

import { PorticoError, type Refusal } from '../../error.ts';
import type { PrintedOutput } from '../../package/render/function-runtime.ts';
import { printedBy, refused } from '../sandbox/answer.ts';
import { STDERR_KEPT, type Limits } from '../sandbox/limits.ts';
import { heldTooMuch, keepFirst, printedTooMuch, tookTooLong } from '../sandbox/supervise.ts';
import { callApi } from './api.ts';
import { connect, exchange } from './attach.ts';
import { failureOf } from './events.ts';
import { CONTAINER, jobOf, RUN_LABEL, START_MS } from './job.ts';
import { withJob } from './leftovers.ts';
import { requireNoNetwork } from './network-policy.ts';
import { readPods, type Pod } from './pod.ts';
import type { ClusterSettings } from './settings.ts';

const POLL_MS = 250;
/** From the end of the streams until the kubelet has reported how the container ended. */
const END_MS = 30_000;
/** The same, where the connection was lost and the container may well go on. */
const LOST_MS = 1_000;

export interface JobRun {
  /** The image, named with its digest. */
  readonly reference: string;
  readonly stdin: string;
  readonly limits: Limits;
  readonly settings: ClusterSettings;
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for the pod to start; the usual five minutes when absent. */
  readonly startMs?: number | undefined;
}

/** What a Job came to; `lost` where the cluster broke it off, and another one may fare better. */
interface Ran {
  readonly printed: PrintedOutput;
  readonly lost: boolean;
}

/**
 * Runs an image, and once more where the cluster broke it off: a function only reads its input and writes its output.
 * Its time counts from when it runs; waiting for a node and for the image has a limit of its own. Whatever the cluster
 * refuses is an answer, with the reason. Throws the signal's reason after an abort.
 */
export async function runJob(run: JobRun): Promise<PrintedOutput> {
  const { signal, reference } = run;
  signal?.throwIfAborted();
  if (!/@sha256:[0-9a-f]{64}$/.test(reference)) return { output: refused(noDigest(reference)) };
  try {
    const first = await runOnce(run);
    return first.lost ? (await runOnce(run)).printed : first.printed;
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof PorticoError)) throw error;
    return { output: refused(cutOf(error, reference)) };
  }
}

async function runOnce(run: JobRun): Promise<Ran> {
  const { settings, signal, reference, limits } = run;
  await requireNoNetwork(settings, signal);
  const name = `portico-function-${randomBytes(8).toString('hex')}`;
  const body = jobOf(name, reference, limits, settings);
  const path = `/apis/batch/v1/namespaces/${settings.namespace}/jobs`;
  return withJob(settings, name, async () => {
    await callApi(settings, { method: 'POST', path, body, alsoFine: 409 }, z.unknown(), signal);
    return throughPod(name, run);
  });
}

async function throughPod(name: string, run: JobRun): Promise<Ran> {
  const { settings, signal, limits, reference, stdin } = run;
  const started = await untilStarted(name, run);
  if ('cut' in started) return { printed: { output: refused(started.cut) }, lost: started.lost };
  const over = new AbortController();
  let cut: Refusal | undefined;
  const stop = (reason: Refusal): void => {
    cut ??= reason;
    over.abort();
  };
  const timer = setTimeout(() => stop(tookTooLong(reference, limits)), limits.timeoutMs);
  const flood = (stream: string) => (): void => stop(printedTooMuch(reference, limits, stream));
  const stdout = keepFirst(limits.outputBytes, limits.outputBytes, flood('stdout'));
  const stderr = keepFirst(STDERR_KEPT, limits.outputBytes, flood('stderr'));
  const both = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  const path = `/api/v1/namespaces/${settings.namespace}/pods/${started.pod}/attach?container=${CONTAINER}&stdin=true&stdout=true&stderr=true`;
  const onOutput = (stream: 'stdout' | 'stderr', chunk: Buffer): void =>
    (stream === 'stdout' ? stdout : stderr).add(chunk);
  let fault: PorticoError | undefined;
  let ended: Ending = { exitCode: 1 };
  try {
    const connection = await connect(settings, path, both);
    fault = await exchange(connection, { path, stdin, onOutput }, both).then(() => undefined, asFault);
    ended = await untilEnded(name, run, { fault, signal: both });
  } catch (error) {
    signal?.throwIfAborted();
    if (cut === undefined) {
      if (fault === undefined || !(error instanceof PorticoError)) throw error;
      ended = { exitCode: 1, lost: removed(reference, fault.message) };
    }
  } finally {
    clearTimeout(timer);
  }
  const { exitCode, lost } = ended;
  const lostAlone = cut === undefined && lost !== undefined;
  cut ??= lost ?? ended.cut;
  const printed = printedBy({
    exitCode,
    stdout: stdout.text(),
    stderr: stderr.text(),
    status: '',
    ...(cut !== undefined && { cut }),
  });
  return { printed, lost: lostAlone };
}

function asFault(error: unknown): PorticoError {
  if (error instanceof PorticoError) return error;
  throw error;
}

/** The name of the pod once its container runs, or why it does not. */
async function untilStarted(
  name: string,
  { settings, signal, reference, startMs = START_MS }: JobRun,
): Promise<{ readonly pod: string } | { readonly cut: Refusal; readonly lost: boolean }> {
  const end = performance.now() + startMs;
  let last: string | undefined;
  while (performance.now() < end) {
    const [pod] = await readPods(settings, `${RUN_LABEL}=${name}`, signal);
    if (pod !== undefined) {
      if (pod.state.kind === 'running') return { pod: pod.name };
      if (pod.state.kind === 'ended')
        return { cut: tooEarly(reference, pod.state.reason), lost: pod.state.by === 'cluster' };
      if (pod.state.final) return { cut: neverStarted(reference, pod.state), lost: false };
      last = pod.state.reason;
    } else if (last !== undefined) return { cut: removed(reference, 'its pod was deleted'), lost: true };
    await delay(POLL_MS, undefined, { signal });
  }
  const reason = (await failureOf(settings, name, signal)) ?? last ?? 'the cluster made none.';
  const cut: Refusal = {
    code: 'CONTAINER_FAILED',
    message: `The pod of ${reference} did not start in ${startMs / 1000} s: ${reason}`,
    hint: 'The operator of Portico must see to the nodes and quotas of the cluster. Then check again.',
  };
  return { cut, lost: false };
}

interface Ending {
  readonly exitCode: number;
  /** Why the function was ended. */
  readonly cut?: Refusal;
  /** Why it is not known what the function wrote, or would have written. */
  readonly lost?: Refusal;
}

/** How the container ended, after its streams did: by themselves, or by the fault. */
async function untilEnded(
  name: string,
  { settings, reference, limits }: JobRun,
  { fault, signal }: { readonly fault: PorticoError | undefined; readonly signal: AbortSignal },
): Promise<Ending> {
  const end = performance.now() + (fault === undefined ? END_MS : LOST_MS);
  do {
    const [pod] = await readPods(settings, `${RUN_LABEL}=${name}`, signal);
    if (pod === undefined) return { exitCode: 1, lost: removed(reference, 'it was deleted') };
    if (pod.state.kind === 'ended') {
      const ending = endOf(pod.state, reference, limits);
      if (fault === undefined || ending.cut !== undefined) return ending;
      return { lost: interrupted(reference, fault, ending.exitCode), ...ending };
    }
    await delay(POLL_MS, undefined, { signal });
  } while (performance.now() < end);
  return { exitCode: 1, lost: removed(reference, fault?.message ?? 'it does not say how it ended') };
}

function endOf(
  { exitCode, reason, by }: Pod['state'] & { readonly kind: 'ended' },
  reference: string,
  limits: Limits,
): Ending {
  if (by === 'memory') return { exitCode, cut: heldTooMuch(reference, limits) };
  if (by === 'deadline') return { exitCode, cut: tookTooLong(reference, limits) };
  return by === 'cluster' ? { exitCode, lost: removed(reference, reason) } : { exitCode };
}

function neverStarted(reference: string, { reason, pull }: Pod['state'] & { kind: 'waiting' }): Refusal {
  return pull
    ? {
        code: 'CONTAINER_PULL',
        message: `The image ${reference} could not be pulled: ${reason}`,
        hint: 'Fix the image in the configuration, or have the operator name a Secret for its registry in PORTICO_FUNCTIONS_PULL_SECRETS.',
      }
    : {
        code: 'CONTAINER_FAILED',
        message: `The container of ${reference} could not be started: ${reason}`,
        hint: 'It must run as any user, without rights, on a read-only file system: docs/functions.md says more.',
      };
}

function tooEarly(reference: string, reason: string): Refusal {
  return {
    code: 'CONTAINER_FAILED',
    message: `${reference} ended before it had read its input: ${reason}`,
    hint: 'A function reads a ResourceList from stdin to its end, and then writes one.',
  };
}

function interrupted(reference: string, lost: PorticoError, exitCode: number): Refusal {
  return {
    code: 'CONTAINER_FAILED',
    message: `The output of ${reference}, which ended with ${exitCode}, did not arrive whole. ${lost.message}`,
    hint: lost.hint ?? '',
  };
}

function removed(reference: string, reason: string): Refusal {
  return {
    code: 'CONTAINER_FAILED',
    message: `The run of ${reference} on the cluster ended early: ${reason}`,
    hint: 'Check again; if it stays so, the operator of Portico must see to the cluster.',
  };
}

function noDigest(reference: string): Refusal {
  return {
    code: 'CONTAINER_FAILED',
    message: `${reference} was not run: it names no digest.`,
    hint: 'Name the image by its digest (@sha256:…) in the configuration.',
  };
}

function cutOf({ code, message, hint }: PorticoError, reference: string): Refusal {
  return { code, message: `${reference} was not run. ${message}`, hint: hint ?? '' };
}
