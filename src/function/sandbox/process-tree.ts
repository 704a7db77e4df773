/** What a process and all below it use, as Linux tells it. */
import { readFileSync } from 'node:fs';

export interface TreeUse {
  readonly processes: number;
  /** Bytes of memory that is their own; what they only map from files is not counted. */
  readonly memoryBytes: number;
}

/** Looks at no more processes than `most` and one. Zero of both where /proc does not tell. */
export function useOf(root: number, most: number): TreeUse {
  const found = [root];
  let memoryBytes = 0;
  for (const pid of found) {
    memoryBytes += ownMemory(pid);
    if (found.length <= most) found.push(...childrenOf(pid));
  }
  return { processes: found.length, memoryBytes };
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter((text) => text !== '')
    .map(Number);
}

function ownMemory(pid: number): number {
  const status = read(`/proc/${pid}/status`);
  let kilobytes = 0;
  for (const [, number] of status.matchAll(/^Rss(?:Anon|Shmem):\s*(\d+) kB$/gm)) kilobytes += Number(number);
  return kilobytes * 1024;
}

/** A process may end at any moment: then it uses nothing. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
