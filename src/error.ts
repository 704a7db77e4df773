/**
 * The one error class. An error is for what should not have happened or cannot go on; expected outcomes
 * (conflicts, refusals, failed validators) are values.
 */
import type { ErrorCode } from './error-code.ts';

/** Who has to act: the person asking, the forge, network or machine (try again later), or the maintainers of Portico. */
export type Blame = 'user' | 'forge' | 'bug';

export interface ErrorOptions {
  /** One sentence that says what to do. */
  readonly hint?: string;
  readonly cause?: unknown;
  readonly blame: Blame;
  /** Seconds to wait before trying again, where the forge said so. */
  readonly retryAfter?: number;
}

/** Why something is refused, told as a value: what is the outcome is not thrown. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  /** What to do. */
  readonly hint: string;
}

/** The hint where what was stored cannot be read: another process may know it, for about 40 minutes of tries. */
export const NEWER_VERSION =
  'During an upgrade, a process of the newer version takes it. Otherwise the next sweep makes up for it.';

export const MACHINE_HINT =
  'Free disk space or memory, or raise the limit of open files. Portico retries, and continues when there is room.';

export class PorticoError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly blame: Blame;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PorticoError';
    this.code = code;
    this.hint = options.hint;
    this.blame = options.blame;
    this.retryAfter = options.retryAfter;
  }
}
