import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that are no failure; default [0]. */
  readonly accept?: readonly number[];
}

export interface Measurement {
  readonly seconds: number;
  /** The most memory that the process had at once, in MiB; 0 where /proc does not tell. */
  readonly mebibytes: number;
}

/** Runs a command to its end and measures it. Throws when it fails: a benchmark of failures says nothing. */
export async function measure(command: Command): Promise<Measurement> {
  const started = performance.now();
  const child = spawn(command.program, [...command.args], {
    cwd: command.cwd,
    env: { ...process.env, ...command.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString('utf8')).slice(-4_096);
  });
  let kibibytes = 0;
  // The kernel keeps the high-water mark, so that looking now and then is exact enough.
  const watch = setInterval(() => {
    kibibytes = Math.max(kibibytes, highWater(child.pid));
  }, 5);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    const seconds = (performance.now() - started) / 1000;
    if (!(command.accept ?? [0]).includes(code ?? -1)) {
      throw new Error(`${command.program} ${command.args.join(' ')} ended with ${code}: ${errors}`);
    }
    return { seconds, mebibytes: kibibytes / 1024 };
  } finally {
    clearInterval(watch);
  }
}

/**
 * Measures several things in turns, so that a busy moment of the machine hits all of them; `prepare` gives the
 * command and is not measured. Gives the medians, in order; null for what has no runs.
 */
export async function inTurns(
  contestants: readonly { readonly runs: number; readonly prepare: () => Promise<Command> }[],
): Promise<(Measurement | null)[]> {
  const all: Measurement[][] = contestants.map(() => []);
  const rounds = Math.max(...contestants.map(({ runs }) => runs));
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, { runs, prepare }] of contestants.entries()) {
      if (round < runs) all[at]?.push(await measure(await prepare()));
    }
  }
  return all.map((measured) =>
    measured.length === 0
      ? null
      : {
          seconds: median(measured.map(({ seconds }) => seconds)),
          mebibytes: median(measured.map(({ mebibytes }) => mebibytes)),
        },
  );
}

/** The median time of a function in seconds. */
export async function timed(runs: number, work: () => unknown): Promise<number> {
  const seconds: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const started = performance.now();
    await work();
    seconds.push((performance.now() - started) / 1000);
  }
  return median(seconds);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

function highWater(pid: number | undefined): number {
  if (pid === undefined) return 0;
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
