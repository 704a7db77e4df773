/** Processes that judge policies, kept between evaluations, killed when one takes too long or too much. */
import { fileURLToPath } from 'node:url';

import type { Policy } from '../cel/policy.ts';
import type { Review } from '../cel/review.ts';
import type { Judgement } from '../package/render/function-runtime.ts';
import { createWorkerPool, type Send } from '../processes/worker-pool.ts';
import { judgementOf, type PolicyAnswer, type PolicyRequest } from './judge-policy.ts';

export interface CelLimits {
  /** Milliseconds of processor time for one policy and one package. */
  readonly milliseconds?: number;
  /** Heap of one process. */
  readonly megabytes?: number;
  /** Processes at most; further evaluations wait. */
  readonly processes?: number;
}

export interface CelPool {
  judge(policy: Policy, review: Review, signal?: AbortSignal): Promise<Judgement>;
}

/** What Node needs beside the heap. */
const NODE_BYTES = 192 * 1024 * 1024;

/** So many times its limit may an evaluation take by the clock, on a machine that does much else. */
const PATIENCE = 12;

export function createCelPool({
  milliseconds = 10_000,
  megabytes = 192,
  processes = 2,
}: CelLimits = {}): CelPool {
  const pool = createWorkerPool({
    file: fileURLToPath(new URL('./cel-child.ts', import.meta.url)),
    heapMebibytes: megabytes,
    processes,
    remember: () => undefined,
  });
  const limits = {
    cpuMs: milliseconds,
    wallMs: milliseconds * PATIENCE,
    residentBytes: megabytes * 1024 * 1024 + NODE_BYTES,
  };
  return {
    async judge(policy, review, signal) {
      const request: PolicyRequest = { policy, review };
      const work = {
        ask: (_state: undefined, send: Send) => send(request),
        heard: (message: unknown) => message as PolicyAnswer,
        limits: () => limits,
      };
      const end = await pool.work(work, signal);
      if (end.kind === 'answer') return judgementOf(end.answer);
      if (end.kind === 'lost') return { refused: NOT_JUDGED };
      const slow = end.by === 'cpu' || end.by === 'wall';
      return { refused: slow ? tooLong(milliseconds) : tooMuch(megabytes) };
    },
  };
}

let shared: CelPool | undefined;

/** The pool of this process, started when it is first needed. */
export function sharedCelPool(): CelPool {
  shared ??= createCelPool();
  return shared;
}

type Refusal = NonNullable<Extract<Judgement, { refused: unknown }>['refused']>;

const NOT_JUDGED: Refusal = {
  code: 'CEL_STOPPED',
  message: 'The policy was not judged: the process for it could not be started, or was ended from outside.',
  hint: 'Try again. If it keeps failing, ask the operator of Portico to check the memory and process limits of the machine.',
};

function tooLong(milliseconds: number): Refusal {
  return {
    code: 'CEL_TIMEOUT',
    message: `The policy was stopped after ${milliseconds / 1000} s.`,
    hint: 'Make its expressions cheaper: nested loops over long lists multiply.',
  };
}

function tooMuch(megabytes: number): Refusal {
  return {
    code: 'CEL_STOPPED',
    message: `The policy was stopped: judging it ended its process, which may use ${megabytes} MB.`,
    hint: 'Make its expressions build smaller texts and lists.',
  };
}
