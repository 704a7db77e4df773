import { PorticoError } from '../error.ts';

/** The exit codes of the command line. */
export const EXIT = { ok: 0, failed: 1, conflicts: 2, usage: 64, input: 65 } as const;

/** An error of the command line itself: a wrong option, a missing argument. Ends in exit code 64. */
export function usageError(message: string, hint: string): PorticoError {
  return new PorticoError('CLI_USAGE', message, { blame: 'user', hint });
}

/** 64 for wrong usage, 65 for input that cannot be worked on, 1 for everything else. */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof PorticoError)) return EXIT.failed;
  if (error.code === 'CLI_USAGE') return EXIT.usage;
  return error.blame === 'user' ? EXIT.input : EXIT.failed;
}
