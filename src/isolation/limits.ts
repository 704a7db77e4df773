/** What work on foreign content may use, and what is said where it would use more. */

import type { Refusal } from '../error.ts';
import type { Class } from './share.ts';
import type { Step } from './tools.ts';

export interface ContentLimits {
  /** Processor time of one piece of work, such as rendering a package, in milliseconds. */
  readonly workCpuMs: number;
  /** Of one function or guardrail in it. */
  readonly stepCpuMs: number;
  /** Of all work on one proposal, or for one job. */
  readonly jobCpuMs: number;
  /** Time of the clock for one piece of work, foreign functions not counted. Only a bound: machines are busy. */
  readonly wallMs: number;
  /** MiB of the process's heap, and of all its memory. */
  readonly heapMebibytes: number;
  readonly residentMebibytes: number;
  /** The same of what comes from forks, unless somebody who may asks for more. */
  readonly forkHeapMebibytes: number;
  readonly forkResidentMebibytes: number;
  /** Bytes of the files that come out, and of all that is told of them. */
  readonly fileBytes: number;
  readonly restBytes: number;
  /** Functions and guardrails that run on one package. */
  readonly functions: number;
}

/** Generous against real packages, small against a machine. docs/limits.md tells them. */
export const CONTENT_LIMITS: ContentLimits = {
  workCpuMs: 20_000,
  stepCpuMs: 10_000,
  jobCpuMs: 60_000,
  wallMs: 240_000,
  heapMebibytes: 256,
  residentMebibytes: 448,
  forkHeapMebibytes: 96,
  forkResidentMebibytes: 240,
  fileBytes: 64 * 1024 * 1024,
  restBytes: 8 * 1024 * 1024,
  functions: 200,
};

/** Processes that have the memory of proposals from forks, unless somebody who may asks for more. */
export function isOfFork(class_: Class): boolean {
  return class_ === 'strangers' || class_ === 'long-strangers';
}

/** MiB that a process of a class may have. */
export function memoryOf(
  class_: Class,
  limits: ContentLimits,
): Pick<ContentLimits, 'heapMebibytes' | 'residentMebibytes'> {
  return isOfFork(class_)
    ? { heapMebibytes: limits.forkHeapMebibytes, residentMebibytes: limits.forkResidentMebibytes }
    : limits;
}

/** Which limit work on content met. Stable, as part of what checks say. */
export type LimitCode =
  | 'CONTENT_TIME'
  | 'CONTENT_MEMORY'
  | 'CONTENT_OUTPUT'
  | 'CONTENT_COUNT'
  | 'CONTENT_DEPTH'
  | 'CONTENT_CRASH';

/** The limit that was met, in the words of a check. */
export interface LimitMet extends Refusal {
  readonly code: LimitCode;
  /** What was worked on. */
  readonly step?: Step;
  /** Which step of the work that was, from 1. */
  readonly at?: number;
}

/** What was cut short, and why. */
export interface Cutting {
  readonly by: 'cpu' | 'job' | 'wall' | 'memory' | 'crash' | 'output' | 'count' | 'depth';
  /** Of what was counted: seconds of the limit that was met. */
  readonly seconds?: number;
  readonly message?: string;
  readonly step?: Step | undefined;
  readonly at?: number | undefined;
}

export function limitMet(cutting: Cutting, limits: ContentLimits, class_: Class = 'own'): LimitMet {
  const { step, at } = cutting;
  const where =
    step === undefined ? '' : ` at ${step.function}${step.package === '.' ? '' : ` of ${step.package}`}`;
  return {
    ...wordsFor(cutting, where, limits, class_),
    ...(step !== undefined && { step }),
    ...(at !== undefined && { at }),
  };
}

const AGAIN =
  'The same content is not tried again automatically. Someone with write access can retry it with `/portico render` or the check\'s "Re-run".';

const MORE =
  'A proposal from a fork gets less memory than others. It gets the full amount when someone with write access uses `/portico render` or the check\'s "Re-run".';

function wordsFor(
  { by, seconds = 0, message = '' }: Cutting,
  where: string,
  limits: ContentLimits,
  class_: Class,
): Pick<LimitMet, 'code' | 'message' | 'hint'> {
  switch (by) {
    case 'cpu':
    case 'wall':
      return {
        code: 'CONTENT_TIME',
        message: `It was stopped${where} after ${round(seconds)} s of processor time`,
        hint: `Make the function, expression or package cheaper, or split the package. ${AGAIN}`,
      };
    case 'job':
      return {
        code: 'CONTENT_TIME',
        message: `It was stopped${where}: all packages together may take ${round(seconds)} s of processor time`,
        hint: 'Split the proposal, or run `/portico render` again: it continues from what is already done.',
      };
    case 'memory':
      return {
        code: 'CONTENT_MEMORY',
        message: `It was stopped${where}: it needs more than ${memoryOf(class_, limits).heapMebibytes} MiB of memory`,
        hint: `Make functions and expressions produce less, or split the package. ${isOfFork(class_) ? MORE : AGAIN}`,
      };
    case 'crash':
      return {
        code: 'CONTENT_CRASH',
        message: `It was stopped${where}: working on it breaks the process down`,
        hint: `Look for very deep nesting. ${AGAIN}`,
      };
    case 'output':
      return {
        code: 'CONTENT_OUTPUT',
        message: `It was stopped${where}: ${message}`,
        hint: 'Let functions make fewer and smaller resources and results, or divide the package.',
      };
    case 'count':
      return {
        code: 'CONTENT_COUNT',
        message: `It was stopped${where}: ${message}`,
        hint: 'Divide the package, or let one function do the work of several.',
      };
    case 'depth':
      return {
        code: 'CONTENT_DEPTH',
        message: `It was stopped${where}: it is nested too deeply, or a text in it becomes too long (${message})`,
        hint: 'Make the values flatter and shorter.',
      };
  }
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
