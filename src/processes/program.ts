/** One program to its end, started here or by the starter: what both are told, and what both answer. */
import { spawn, type ChildProcess } from 'node:child_process';

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  /** All of it: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** In a process group of its own, so that what it starts is ended with it. */
  readonly ownGroup?: boolean;
}

export interface ProgramOptions {
  readonly input?: string | Uint8Array | undefined;
  /** Bytes of standard output and of standard error that are kept; more of the first ends the program. */
  readonly maxOutput?: number;
  readonly maxErrors?: number;
}

export interface ProgramEnd {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** It was ended because it wrote more than `maxOutput`. */
  readonly tooMuch: boolean;
}

export interface RunningProgram {
  /** Rejects where it could not be started. */
  readonly ended: Promise<ProgramEnd>;
  /** Asks it to end, and makes it end soon after. Harmless when it has ended. */
  stop(): void;
}

const GRACE_MS = 2_000;

/** Runs a program as a child of this very process. */
export function runHere(program: Program, options: ProgramOptions = {}): RunningProgram {
  const { maxOutput = Infinity, maxErrors = Infinity } = options;
  const child = spawn(program.file, [...program.args], {
    env: { ...program.env },
    stdio: 'pipe',
    shell: false,
    detached: program.ownGroup ?? false,
    ...(program.cwd !== undefined && { cwd: program.cwd }),
  });
  const stop = (): void => endGroup(child);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  let outSize = 0;
  let errSize = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    outSize += chunk.length;
    if (outSize > maxOutput) stop();
    else stdout.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errSize += chunk.length;
    if (errSize <= maxErrors) stderr.push(chunk);
  });
  // EPIPE only says that the program stopped reading; why, its exit code and its errors tell.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  const { promise, resolve, reject } = Promise.withResolvers<ProgramEnd>();
  child.once('error', reject);
  child.once('close', (code) =>
    resolve({
      code,
      stdout: Buffer.concat(stdout),
      stderr: Buffer.concat(stderr),
      tooMuch: outSize > maxOutput,
    }),
  );
  return { ended: promise, stop };
}

/** Ends a process and, where it has a group of its own, its helpers. Asked nicely first, git removes its lock files. */
export function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS).unref();
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}
