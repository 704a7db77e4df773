/**
 * A process that was stopped for a while, by a signal or with its machine, does not notice. Others have taken its work by then, so before it
 * writes it makes sure that it still holds what allows the write: the claim on its job, and its keyed locks.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

import { PorticoError } from '../error.ts';

/** Something that is held only as long as it is renewed. */
export interface Lease {
  /** What it is on, for the log. */
  readonly name: string;
  /** Answers from memory while the last renewal is young, else renews it; false where it is lost. */
  isHeld(): Promise<boolean>;
}

const leases = new AsyncLocalStorage<readonly Lease[]>();

/** Does work whose writes are allowed only while the lease is held. */
export function underLease<Result>(lease: Lease, work: () => Promise<Result>): Promise<Result> {
  return leases.run([...(leases.getStore() ?? []), lease], work);
}

/**
 * To be called right before each write.
 * @throws PorticoError LEASE_LOST where another process may do the present work by now
 */
export async function requireLeases(): Promise<void> {
  for (const lease of leases.getStore() ?? []) {
    if (await lease.isHeld()) continue;
    throw new PorticoError('LEASE_LOST', `this process no longer holds ${lease.name}`, {
      blame: 'forge',
      hint: 'The process stood still for longer than its lease, or lost its database. Another process does the work.',
    });
  }
}

/** Measures the age of a renewal. */
export interface Renewal {
  /** `sent`: the moment before the renewal was sent. */
  renewed(sent: Moment): void;
  isYoung(): boolean;
}

/** By two clocks: the steady one may stand still while a virtual machine does, and the other one may be set. */
export interface Moment {
  readonly steady: number;
  readonly wall: number;
}

export function momentNow(): Moment {
  return { steady: performance.now(), wall: Date.now() };
}

/** `sent`: the moment before the lease was asked for. */
export function createRenewal(youngMilliseconds: number, sent: Moment): Renewal {
  let last = sent;
  return {
    renewed: (next) => void (last = next),
    isYoung() {
      const { steady, wall } = momentNow();
      return Math.max(steady - last.steady, Math.abs(wall - last.wall)) < youngMilliseconds;
    },
  };
}
