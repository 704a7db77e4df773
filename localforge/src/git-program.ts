import { spawn } from 'node:child_process';

/** One git process, from its start to its end. */
export interface GitProgram {
  readonly args: readonly string[];
  /** All of it: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array | undefined;
}

export interface GitProgramEnd {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/**
 * Runs git as a child of this very process, until it ends or the signal ends it.
 * @throws the system's error where git cannot be started
 */
export function runGitHere(program: GitProgram, signal?: AbortSignal): Promise<GitProgramEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<GitProgramEnd>();
  const child = spawn('git', [...program.args], { env: { ...program.env }, stdio: 'pipe' });
  // Asked to end rather than killed, git removes its lock files.
  signal?.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // EPIPE only says that git stopped reading; why, its exit code and its errors tell.
  child.stdin.on('error', () => {});
  child.stdin.end(program.input ?? '');
  child.once('error', reject);
  child.once('close', (code) =>
    resolve({ code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) }),
  );
  return promise;
}
