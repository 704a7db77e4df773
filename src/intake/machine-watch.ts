/** Trouble of the machine that work has met of late: no disk space, no memory, too many open files. */
import { statfs } from 'node:fs/promises';

import { machineTrouble } from '../error.ts';

export interface MachineWatch {
  /** Something failed with this error. */
  readonly failed: (error: unknown) => void;
  /** Codes of what the machine lacks at the moment. */
  readonly troubles: () => readonly string[];
}

/** Work that met trouble is tried again every 20 seconds: trouble that no try has met for this long is over. */
const REMEMBERED_MS = 60_000;

/** @param now milliseconds that only grow */
export function createMachineWatch(
  count: (trouble: string) => void,
  now: () => number = () => performance.now(),
): MachineWatch {
  const met = new Map<string, number>();
  return {
    failed(error) {
      const trouble = machineTrouble(error);
      if (trouble === undefined) return;
      met.set(trouble, now());
      count(trouble);
    },
    troubles: () => [...met].filter(([, at]) => now() - at < REMEMBERED_MS).map(([trouble]) => trouble),
  };
}

/** Bytes of the file system that a directory is on. */
export async function spaceOf(directory: string): Promise<{ readonly free: number; readonly total: number }> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { free: bavail * bsize, total: blocks * bsize };
}
