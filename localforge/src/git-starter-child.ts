/**
 * The process that starts git for the forge's. It holds next to nothing in memory, so that starting is quick, and ends
 * with the process that it works for, after the git processes that still run.
 */
import { runGitHere, type GitProgram, type GitProgramEnd } from './git-program.ts';

export interface GitRequest {
  readonly id: number;
  readonly program: GitProgram;
}

export type GitReply =
  | { readonly id: number; readonly end: GitProgramEnd }
  | {
      readonly id: number;
      readonly failed: { readonly message: string; readonly code?: string | undefined };
    };

const leaving = new AbortController();
const running = new Set<Promise<void>>();

process.on('message', ({ id, program }: GitRequest) => {
  const work = reply(id, program).finally(() => running.delete(work));
  running.add(work);
});

process.on('disconnect', () => {
  leaving.abort();
  void Promise.allSettled(running).then(() => process.exit(0));
});

async function reply(id: number, program: GitProgram): Promise<void> {
  const answer = await runGitHere(program, leaving.signal).then(
    (end): GitReply => ({ id, end }),
    ({ message, code }: NodeJS.ErrnoException): GitReply => ({ id, failed: { message, code } }),
  );
  if (process.connected) process.send?.(answer);
}
