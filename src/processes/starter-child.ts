/**
 * The process that starts programs for a big one. It holds next to nothing in memory, so that starting is quick, and it
 * ends with the process that it works for, and with it whatever still runs.
 */
import {
  runHere,
  type Program,
  type ProgramEnd,
  type ProgramOptions,
  type RunningProgram,
} from './program.ts';

/** What it is asked for: to run a program, or to stop one. */
export type StarterRequest =
  | { readonly id: number; readonly program: Program; readonly options: ProgramOptions }
  | { readonly id: number; readonly stop: true };

export type StarterAnswer =
  | { readonly id: number; readonly end: ProgramEnd }
  | { readonly id: number; readonly failed: { readonly message: string; readonly code?: string } };

const running = new Map<number, RunningProgram>();

process.on('message', (request: StarterRequest) => {
  if ('stop' in request) running.get(request.id)?.stop();
  else void run(request.id, request.program, request.options);
});

process.on('disconnect', () => {
  for (const program of running.values()) program.stop();
  // Programs that were asked nicely are made to end before this one does.
  void Promise.allSettled([...running.values()].map(({ ended }) => ended)).then(() => process.exit(0));
});

async function run(id: number, program: Program, options: ProgramOptions): Promise<void> {
  let answer: StarterAnswer;
  try {
    const started = runHere(program, options);
    running.set(id, started);
    answer = { id, end: await started.ended };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    answer = { id, failed: { message, ...(code !== undefined && { code }) } };
  }
  running.delete(id);
  if (process.connected) process.send?.(answer);
}
