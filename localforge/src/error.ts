export type ForgeErrorCode =
  | 'FORGE_CONFIG'
  | 'FORGE_DATA_IN_USE'
  | 'FORGE_MANIFEST'
  | 'FORGE_PORT'
  | 'GIT_FAILED'
  | 'GIT_MISSING'
  | 'GIT_NO_TREE'
  | 'GIT_TOO_OLD'
  | 'IMPORT_FAILED';

export interface ForgeErrorOptions {
  /** One sentence that says what to do. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/**
 * What keeps the forge from starting or going on: a configuration that is wrong, a port that is taken, git that is
 * missing. What a caller of its API did wrong is answered as GitHub answers it, and is no error of the forge.
 */
export class ForgeError extends Error {
  /** Stable, upper case with underscores: match on it, never on the message. */
  readonly code: ForgeErrorCode;
  readonly hint: string | undefined;

  constructor(code: ForgeErrorCode, message: string, options: ForgeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ForgeError';
    this.code = code;
    this.hint = options.hint;
  }
}
