/** The environment of the server, checked once and typed: Probot's names where Probot has one. */
import { z } from 'zod';

import { PorticoError } from '../error.ts';

export interface Environment {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  /** The current secret first, then the previous one while a rotation lasts. */
  readonly webhookSecrets: readonly string[];
  /** API base address, `https://api.github.com` or `https://HOST/api/v3`. */
  readonly apiUrl: string;
  /** Base address of repositories and pages, `https://github.com` or `https://HOST`. */
  readonly gitUrl: string;
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: string | undefined;
  /** Where mirrors and the embedded database live. */
  readonly dataDirectory: string;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  readonly logFormat: 'json' | 'text' | 'auto';
  readonly contentPerMinute: number;
  readonly contentPerHour: number;
  readonly sweepMinutes: number;
  /** Whether `/metrics` answers. */
  readonly metrics: boolean;
}

/** How the caller reads files; this module does no I/O. */
export interface EnvironmentFiles {
  /** The text of the file. Throws when it cannot be read. */
  read(path: string): string;
}

/**
 * Reads the environment of `portico serve`.
 * @throws PorticoError CONFIG_ENVIRONMENT that names every variable that is missing or wrong, never its value.
 */
export function readEnvironment(
  _env: Readonly<Record<string, string | undefined>>,
  _files: EnvironmentFiles,
): Environment {
  throw new PorticoError('CONFIG_ENVIRONMENT', z.string().parse(''));
}
