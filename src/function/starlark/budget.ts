import { fault, placeText } from './fault.ts';
import type { Position } from './fault.ts';

export interface Limits {
  /** Statements, turns of loops, calls; work of built-in functions counts by the size of what they work on. */
  readonly steps: number;
  /** Bytes that all values made may take together, those that are gone again too; roughly. */
  readonly bytes: number;
  /** Calls inside one another. */
  readonly depth: number;
}

/** What things take in the memory of the process, measured: so that the budget is about what the process holds. */
export const SIZE = {
  list: 112,
  /** A place in a list that may grow: while it does, the old places are there too. */
  item: 32,
  tuple: 112,
  dict: 256,
  entry: 144,
  set: 256,
  member: 112,
  callable: 320,
  method: 112,
  range: 96,
} as const;

export const LIMITS: Limits = { steps: 10_000_000, bytes: 256 * 1024 * 1024, depth: 400 };

/** Bits that an int may have: arithmetic on longer ones takes more than a moment. */
export const MAX_BITS = 4096;

interface StackFrame {
  readonly name: string;
  at: Position;
}

/** What one run of a script has used up, and where it stands. */
export class Budget {
  readonly limits: Limits;
  steps = 0;
  bytes = 0;
  /** Calls that are under way, outermost first. */
  readonly stack: StackFrame[] = [];
  /** The stack as it was where the first error arose. */
  backtrace: string | undefined;
  /** What `print` gave, with line breaks. */
  output = '';

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /** Counts work. @throws PorticoError where the script does too much */
  work(steps: number): void {
    this.steps += steps;
    if (this.steps > this.limits.steps) {
      this.stop('too many steps', `it exceeded ${this.limits.steps} steps; check for an endless loop`);
    }
  }

  /** Counts memory. @throws PorticoError where the script makes too much */
  make(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > this.limits.bytes)
      this.stop('too much memory', `its values may take ${this.limits.bytes / 1024 / 1024} MiB together`);
  }

  /** Counts a list of `count` entries: the work and the room. */
  collect(count: number): void {
    this.work(count);
    this.make(SIZE.list + count * SIZE.item);
  }

  /** Counts a dict of `count` entries. */
  pairs(count: number): void {
    this.work(count * 3);
    this.make(SIZE.dict + count * SIZE.entry);
  }

  /** Counts a list of `count` tuples of `width` each. */
  tuples(count: number, width: number): void {
    this.work(count * (1 + width));
    this.make(SIZE.list + count * (SIZE.item + SIZE.tuple + width * 8));
  }

  /** Counts a string of so many bytes. */
  write(length: number): void {
    this.work(length >> 6);
    this.make(32 + length);
  }

  /** Counts a search for `inner` in `outer`, which may have to look at every pair of their bytes. */
  search(outer: number, inner: number): void {
    this.work(Math.ceil(outer / 64 + (outer * inner) / 2048));
  }

  /** The traceback of the calls under way. */
  trace(file: string): string {
    const lines = this.stack.map(({ name, at }) => `  ${file}:${placeText(at)}: in ${name}`);
    const shown = lines.length > 20 ? [...lines.slice(0, 10), '  …', ...lines.slice(-10)] : lines;
    return ['Traceback (most recent call last):', ...shown].join('\n');
  }

  private stop(what: string, more: string): never {
    throw fault(`the script was stopped: ${what} (${more})`);
  }
}
