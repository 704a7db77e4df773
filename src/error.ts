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

/** For a failure that speaks of certificates: the two programs read different variables, and either may be the one that is missing. */
export function certificateHint(text: string): { readonly hint?: string } {
  if (!/certificate/i.test(text)) return {};
  return {
    hint: 'Certificates of your own authority: NODE_EXTRA_CA_CERTS names them for API calls, and GIT_SSL_CAINFO for git.',
  };
}

export const MACHINE_HINT =
  'Free disk space or memory, or raise the limit of open files. Portico retries, and continues when there is room.';

/** Trouble of the machine: its code, and its text where git reports it (strerror, and git's own words where it cannot start a process). */
const MACHINE: Readonly<Record<string, RegExp>> = {
  ENOSPC: /No space left on device/i,
  EDQUOT: /Disk quota exceeded/i,
  ENFILE: /Too many open files in system/i,
  EMFILE: /Too many open files/i,
  ENOMEM: /Cannot allocate memory|out of memory/i,
  EROFS: /Read-only file system/i,
  EIO: /Input\/output error/i,
  EAGAIN: /cannot fork/i,
};

export const MACHINE_TROUBLES: readonly string[] = Object.keys(MACHINE);

/** PostgreSQL's class "insufficient resources" without "too many connections": https://www.postgresql.org/docs/17/errcodes-appendix.html */
const DATABASE = /^53(?!300)\d{3}$/;

/** What the machine, or that of the database, lacks where a text of git says so. */
export function troubleIn(text: string): string | undefined {
  return MACHINE_TROUBLES.find((code) => MACHINE[code]?.test(text));
}

/** What the machine, or that of the database, lacks where an error or its cause says so. */
export function machineTrouble(error: unknown): string | undefined {
  const { code, message, cause } = (error ?? {}) as {
    readonly [_ in 'code' | 'message' | 'cause']?: unknown;
  };
  if (code === 'MACHINE_TROUBLE') return troubleIn(String(message)) ?? 'EIO';
  if (typeof code === 'string' && (code in MACHINE || DATABASE.test(code))) return code;
  return cause === undefined ? undefined : machineTrouble(cause);
}

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
