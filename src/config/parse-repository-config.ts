import type { ConfigProblem } from './config-problem.ts';
import type { RepositoryConfig } from './repository-config.ts';

export interface ConfigSource {
  /** Shown in problems, such as `.github/portico.yaml`. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

export interface ConfigOptions {
  /** The registered branch where the file names none; `main` by default. */
  readonly defaultBranch?: string;
  /** The organisation's defaults; their mistakes are reported with their own file name. */
  readonly organization?: ConfigSource;
}

/** Either a configuration or at least one problem. */
export type ConfigResult =
  | { readonly ok: true; readonly config: RepositoryConfig; readonly problems: readonly [] }
  | { readonly ok: false; readonly config: undefined; readonly problems: readonly ConfigProblem[] };

/** Parses a repository's configuration. Never throws: every mistake is a problem with its place. */
export function parseRepositoryConfig(_source: ConfigSource, _options: ConfigOptions = {}): ConfigResult {
  return { ok: false, config: undefined, problems: [] };
}
