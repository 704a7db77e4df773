/** Linux control groups, where this process may make them: then the kernel counts processes and memory. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { Limits } from './limits.ts';

export interface ControlGroup {
  /** The command line that begins in the group. */
  wrap(command: Command): Command;
  /** Ends what is left in it, and removes it. */
  close(): Promise<void>;
}

interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

const ROOT = '/sys/fs/cgroup';
const ENTER = 'echo $$ > "$0/cgroup.procs" && echo $$ > "$1/cgroup.procs" && shift && exec "$@"';
const CLOSE_TRIES = 100;
const CLOSE_MS = 20;

/**
 * A group with limits a little above what the watch allows, so that it is the watch that ends a function and says
 * why. Undefined where none can be made, as for most users: then their own limit of processes counts.
 */
export function makeControlGroup({ memoryBytes, processes }: Limits): ControlGroup | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const name = `portico-function-${randomBytes(8).toString('hex')}`;
  const places = [placeOf('pids'), placeOf('memory')].map((place) => join(place, name));
  const [pids = '', memory = ''] = places;
  const group: ControlGroup = {
    wrap: ({ program, args }) => ({
      program: '/bin/sh',
      args: ['-c', ENTER, pids, memory, program, ...args],
    }),
    close: () => closeAll(places),
  };
  try {
    for (const place of new Set(places)) mkdirSync(place);
    writeFileSync(join(pids, 'pids.max'), String(processes * 2));
    const file = existsSync(join(memory, 'memory.max')) ? 'memory.max' : 'memory.limit_in_bytes';
    // Files must not appear by being written: that would be an ordinary directory.
    if (!existsSync(join(memory, file))) throw new Error('no memory controller');
    writeFileSync(join(memory, file), String(Math.ceil(memoryBytes * 1.25)));
    return group;
  } catch {
    for (const place of places) remove(place);
    return undefined;
  }
}

/** Where this process' own group of a controller is, in version 1 or 2. */
function placeOf(controller: string): string {
  let own = '';
  try {
    const lines = readFileSync('/proc/self/cgroup', 'latin1')
      .split('\n')
      .map((line) => line.split(':'));
    own = (lines.find(([, names]) => names?.split(',').includes(controller)) ?? lines.at(-2))?.[2] ?? '';
  } catch {
    // No Linux.
  }
  const version1 = join(ROOT, controller);
  const top = existsSync(version1) ? version1 : ROOT;
  return existsSync(join(top, own)) ? join(top, own) : top;
}

async function closeAll(places: readonly string[]): Promise<void> {
  for (const place of new Set(places)) {
    for (let tries = 0; tries < CLOSE_TRIES && !remove(place); tries += 1) {
      killAll(place);
      await delay(CLOSE_MS);
    }
  }
}

/** A group can be removed when nothing is in it any more. */
function remove(place: string): boolean {
  try {
    rmdirSync(place);
    return true;
  } catch {
    return !existsSync(place);
  }
}

function killAll(place: string): void {
  try {
    for (const line of readFileSync(join(place, 'cgroup.procs'), 'latin1').split('\n')) {
      if (line !== '') process.kill(Number(line), 'SIGKILL');
    }
  } catch {
    // One of them ended meanwhile; the next try sees the rest.
  }
}
