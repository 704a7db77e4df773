/**
 * Who waits for the work: what strangers propose has processes of its own, and never all; what of it takes long, others;
 * and what of it somebody who may write asked for once more, others with more memory.
 */
export type Class = 'own' | 'strangers' | 'long-strangers' | 'asked-strangers';

/** A part of the whole, for one job. */
export interface Share {
  readonly class: Class;
  /** Work of the same name goes to the same process where that is free. */
  readonly affinity?: string;
  /** Work that met a limit before is done once more: somebody who may has asked for it. */
  readonly anew?: boolean;
  /** Processor time after which the job is to be put off, to where long ones wait; absent, it goes on to its limits. */
  readonly sliceCpuMs?: number;
}

/** Processor time that a job has left. */
export interface Allowance {
  cpuMs: number;
}

/** What a job may use, and what it has left of it. */
export interface JobShare {
  readonly share: Share;
  readonly allowance: Allowance;
}
