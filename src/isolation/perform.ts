/** One piece of work: in a process, within its limits, and once more without the step that met one. */
import { deserialize } from 'node:v8';

import { PorticoError } from '../error.ts';
import type { FunctionRuntime } from '../package/render/function-runtime.ts';
import { NO_REGO } from '../package/render/no-judge.ts';
import type { Guardrail } from '../package/render/render-types.ts';
import type { WorkerPool, WorkEnd } from '../processes/worker-pool.ts';
import type { ToolMachine } from '../processors/run-tool.ts';
import { isOfFork, limitMet, memoryOf, type ContentLimits, type Cutting, type LimitMet } from './limits.ts';
import type { Delivery, Given, Message, Question, Reply, Request } from './messages.ts';
import type { Quarantine, Verdict } from './quarantine.ts';
import type { JobShare } from './share.ts';
import type { Class, Share } from './share.ts';
import type { Allowance } from './share.ts';
import type { Step } from './tools.ts';
import { forgets, sendPackages, takeFiles, type Packages, type Sent } from './wire-files.ts';
import { workKey } from './work-key.ts';

/** What is remembered of a process. */
export interface ProcessState {
  readonly sent: Sent;
  readonly definitions: Set<number>;
}

export interface Piece {
  readonly operation: string;
  readonly packages: Packages;
  readonly rest: Readonly<Record<string, unknown>>;
  /** Runs what a process may not start itself. */
  readonly runtime?: FunctionRuntime | undefined;
  /** Runs the tools of processors. */
  readonly machine?: ToolMachine | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type Performed =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly limit: LimitMet };

export type Performer = (piece: Piece, job: JobShare) => Promise<Performed>;

interface Setting {
  readonly pools: Readonly<Record<Class, WorkerPool<ProcessState>>>;
  readonly limits: ContentLimits;
  readonly quarantine: Quarantine;
  readonly version: string;
  readonly ended?: (class_: Class, outcome: string, cpuSeconds: number) => void;
}

/** Content that did not fit into a slice: next time it is put off at once. */
const MAX_LONG = 2_000;

/** Work whose process was ended from outside is tried so often in all. */
const TRIES = 2;

export function createPerformer(setting: Setting): Performer {
  const { limits, quarantine, version } = setting;
  const long = new Set<string>();
  return async (piece, { share: asked, allowance }) => {
    let share = asked;
    const keyed = !quarantine.isEmpty() || long.size > 0 || share.anew === true;
    const keyOf = (): string =>
      workKey({ operation: piece.operation, packages: piece.packages, rest: piece.rest, version, limits });
    const early = keyed ? keyOf() : undefined;
    if (early !== undefined && share.anew === true) await quarantine.release(early);
    let verdict = early === undefined ? undefined : quarantine.verdict(early);
    if (verdict?.memory === 'fork' && !isOfFork(share.class)) verdict = undefined;
    if (verdict?.limit !== undefined) return { ok: false, limit: verdict.limit };
    const isWhole = verdict?.memory === 'whole' && isOfFork(share.class);
    if (share.sliceCpuMs !== undefined && early !== undefined && long.has(early)) throw later();
    if (isWhole) share = { ...share, class: 'asked-strangers' };
    const memory = memoryMark(share.class);
    let stopped = verdict?.stopped ?? [];
    let left = limits.workCpuMs;
    for (;;) {
      const before = allowance.cpuMs;
      const done = await attempt({ setting, piece, share, allowance, stopped, workCpuMs: left });
      if ('value' in done) {
        // What was left out once is known the next time, and what it took to do it.
        if (stopped.length > (verdict?.stopped.length ?? 0) || (memory?.memory === 'whole' && !isWhole)) {
          await quarantine.condemn(early ?? keyOf(), { stopped, ...memory });
        }
        return { ok: true, value: done.value };
      }
      const { cutting } = done;
      if (cutting.by === 'slice') {
        keep(long, early ?? keyOf());
        throw later();
      }
      const limit = limitMet(cutting, limits, share.class);
      if (cutting.by === 'job') return { ok: false, limit };
      left -= before - allowance.cpuMs;
      const { at } = limit;
      const again =
        left > 0 &&
        allowance.cpuMs > 0 &&
        isStep(cutting) &&
        at !== undefined &&
        !stopped.some(([n]) => n === at);
      if (!again) {
        await quarantine.condemn(early ?? keyOf(), { stopped, limit, ...memory });
        return { ok: false, limit };
      }
      const { code, message, hint } = limit;
      stopped = [...stopped, [at, { code, message, hint }]];
    }
  };
}

/** With which memory something was found out. */
function memoryMark(class_: Class): Pick<Verdict, 'memory'> {
  if (class_ === 'asked-strangers') return { memory: 'whole' };
  return isOfFork(class_) ? { memory: 'fork' } : {};
}

/** Limits that one function meets, so that the others can be run without it. */
function isStep({ by }: { readonly by: string }): boolean {
  return by === 'cpu' || by === 'memory' || by === 'crash';
}

type Cut = Cutting | { readonly by: 'slice' };
type Attempt = { readonly value: Readonly<Record<string, unknown>> } | { readonly cutting: Cut };

async function attempt({
  setting: { pools, limits, ended },
  piece,
  share,
  allowance,
  stopped,
  workCpuMs,
}: {
  readonly setting: Setting;
  readonly piece: Piece;
  readonly share: Share;
  readonly allowance: Allowance;
  readonly stopped: Verdict['stopped'];
  readonly workCpuMs: number;
}): Promise<Attempt> {
  const slice =
    share.sliceCpuMs === undefined ? Infinity : allowance.cpuMs - (limits.jobCpuMs - share.sliceCpuMs);
  if (allowance.cpuMs <= 0) return { cutting: { by: 'job', seconds: limits.jobCpuMs / 1000 } };
  if (slice <= 0) return { cutting: { by: 'slice' } };
  for (let tries = 1; ; tries += 1) {
    const { end, step, at, stepBegan } = await sendRequest({
      pool: pools[share.class],
      piece,
      share,
      limits,
      stopped,
      most: Math.min(workCpuMs, allowance.cpuMs, slice),
    });
    allowance.cpuMs -= end.cpuMs;
    ended?.(share.class, end.kind === 'cut' ? end.by : end.kind, end.cpuMs / 1000);
    if (end.kind === 'lost') {
      if (tries < TRIES) continue;
      // No fault of the content, so nothing is held against it.
      throw new PorticoError(
        'CONTENT_PROCESS',
        'the process that works on the content could not be started, or was ended',
        {
          blame: 'forge',
          hint: 'The machine may be short of memory or processes.',
        },
      );
    }
    if (end.kind === 'cut') {
      const { cpuMs } = end;
      const own = end.by !== 'cpu' || cpuMs - stepBegan > limits.stepCpuMs || cpuMs > workCpuMs;
      if (!own && cpuMs > slice) return { cutting: { by: 'slice' } };
      const by = own ? end.by : 'job';
      const seconds =
        by === 'job' ? limits.jobCpuMs / 1000 : (step === undefined ? cpuMs : cpuMs - stepBegan) / 1000;
      return { cutting: { by, seconds, step, at } };
    }
    return readGiven(end.answer, piece.packages, { step, at });
  }
}

interface WorkerState {
  readonly step?: Step | undefined;
  readonly at?: number | undefined;
}

function readGiven(bytes: Uint8Array, packages: Packages, state: WorkerState): Attempt {
  const given = deserialize(bytes) as Given;
  switch (given.kind) {
    case 'done': {
      const rest = deserialize(given.rest) as Readonly<Record<string, unknown>>;
      return {
        value: given.files === undefined ? rest : { ...rest, files: takeFiles(given.files, packages) },
      };
    }
    case 'limit':
      return { cutting: { by: given.by, message: given.message, ...state } };
    case 'error': {
      const { code, message, hint, blame } = given;
      throw new PorticoError(code, message, { ...(hint !== undefined && { hint }), blame });
    }
    case 'bug':
      throw new PorticoError('CONTENT_BUG', given.message, { blame: 'bug' });
  }
}

interface Exchange extends WorkerState {
  readonly end: WorkEnd<Uint8Array>;
  /** Processor time that had passed when the step began. */
  readonly stepBegan: number;
}

async function sendRequest({
  pool,
  piece: { operation, packages, rest, runtime, machine, signal },
  share: { affinity, class: class_ },
  limits,
  stopped,
  most,
}: {
  readonly pool: WorkerPool<ProcessState>;
  readonly piece: Piece;
  readonly share: Share;
  readonly limits: ContentLimits;
  readonly stopped: Verdict['stopped'];
  readonly most: number;
}): Promise<Exchange> {
  let state: WorkerState = {};
  let stepBegan = 0;
  let waited = 0;
  let asked: number | undefined;
  const end = await pool.work<Uint8Array>(
    {
      ...(affinity !== undefined && { affinity }),
      limits: () => ({
        cpuMs: Math.min(most, stepBegan + limits.stepCpuMs),
        wallMs: limits.wallMs + waited + (asked === undefined ? 0 : performance.now() - asked),
        residentBytes: memoryOf(class_, limits).residentMebibytes * 1024 * 1024,
      }),
      async ask({ sent, definitions: known }, send) {
        const forget = forgets(sent);
        if (forget) known.clear();
        const { sets, contents } = sendPackages(packages, sent);
        if (forget) await send({ contents: [], forget } satisfies Delivery);
        for (const some of contents) await send({ contents: some, forget: false } satisfies Delivery);
        const request: Request = {
          operation,
          sets,
          ...withDefinitions(rest, known),
          stopped,
          fileBytes: limits.fileBytes,
          restBytes: limits.restBytes,
          functions: limits.functions,
        };
        await send(request);
      },
      heard(raw, process) {
        const message = raw as Message;
        if ('given' in message) return message.given;
        if ('step' in message) {
          state = { step: message.step, at: message.at };
          stepBegan = process.cpuMs();
          return undefined;
        }
        asked = performance.now();
        void answer(message.question, { rest, runtime, machine, signal })
          .catch((error: unknown): Reply => ({
            failed: error instanceof Error ? error.message : String(error),
          }))
          .then((reply) => {
            waited += performance.now() - (asked ?? performance.now());
            asked = undefined;
            return process.send(reply);
          });
        return undefined;
      },
    },
    signal,
  );
  return { end, ...state, stepBegan };
}

/** Starts what the base branch allows, and nothing else: the runtime decides, not the process that asks. */
async function answer(
  question: Question,
  { rest: { guardrails }, runtime, machine, signal }: Pick<Piece, 'rest' | 'runtime' | 'machine' | 'signal'>,
): Promise<Reply> {
  if (question.ask === 'find-tool' || question.ask === 'run-tool') {
    if (machine === undefined) return { failed: 'nothing runs tools here' };
    const { ask } = question;
    return {
      reply:
        ask === 'find-tool'
          ? await machine.find(question.name, question.wanted)
          : await machine.run(question.tool, question.args, question.files),
    };
  }
  if (question.ask === 'print') {
    const { spec, list } = question;
    const reply = await runtime?.print?.(spec, list, signal);
    return reply === undefined ? { failed: 'nothing runs foreign functions here' } : { reply };
  }
  if (runtime?.judgeRego === undefined) return { reply: { refused: NO_REGO } };
  const { file, sha256 } = question.module;
  const module = ((guardrails ?? []) as readonly Guardrail[]).find(
    ({ rego }) => rego?.file === file && rego.sha256 === sha256,
  )?.rego;
  const reply = module && (await runtime.judgeRego(module, question.review, signal));
  return reply === undefined ? { failed: 'the policy is none of those that were given' } : { reply };
}

const ids = new WeakMap<object, number>();
let lastId = 0;

/** Guardrails without what is sent apart: definitions of custom resources once, modules never. */
function withDefinitions(rest: Piece['rest'], known: Set<number>): Pick<Request, 'rest' | 'definitions'> {
  const { guardrails } = rest;
  if (!Array.isArray(guardrails)) return { rest, definitions: [] };
  const definitions = new Map<number, readonly unknown[] | null>();
  const slim = guardrails.map((guardrail: Guardrail) => {
    const { definitions: own, rego, ...others } = guardrail;
    const bare = { ...others, ...(rego && { rego: { ...rego, bytes: null } }) };
    if (own === undefined) return bare;
    const id = ids.get(own) ?? (lastId += 1);
    ids.set(own, id);
    if (!definitions.has(id)) definitions.set(id, known.has(id) ? null : own);
    known.add(id);
    return { ...bare, definitionsId: id };
  });
  return { rest: { ...rest, guardrails: slim }, definitions: [...definitions] };
}

function keep(long: Set<string>, key: string): void {
  long.add(key);
  for (const oldest of long) {
    if (long.size <= MAX_LONG) break;
    long.delete(oldest);
  }
}

function later(): PorticoError {
  return new PorticoError('CONTENT_LATER', 'working on this content takes longer than its turn', {
    blame: 'forge',
  });
}
