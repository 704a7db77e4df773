import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';

import { PorticoError } from '../error.ts';
import type { ForeignFunctions } from '../package/render/function-runtime.ts';
import type { Guardrail } from '../package/render/render-types.ts';
import type { Call } from './verb.ts';

/** What a configuration says about a package. */
export interface Demands {
  readonly guardrails: readonly Guardrail[];
  /** Functions that may run beside the built-in ones. */
  readonly foreign: ForeignFunctions;
}

/**
 * What `--config` says about the package in a directory; nothing without it. Modules are read from the directory
 * above `.github`. Throws `CONFIG_INVALID`.
 */
export async function demandsOf(call: Call, directory: string): Promise<Demands> {
  const typed = call.text('config');
  if (typed === undefined) return { guardrails: [], foreign: { allowed: [] } };
  const file = call.path(typed);
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new PorticoError('CONFIG_INVALID', `${typed} cannot be read`, {
      cause,
      hint: "Give the repository's configuration, usually .github/portico.yaml.",
    });
  });
  // Loaded only where a configuration is named: the schema is much of a short run's time.
  const [{ parseRepositoryConfig }, { guardrailsFor }, { loadAllowedFunctions }] = await Promise.all([
    import('../config/parse-repository-config.ts'),
    import('../config/guardrail-config.ts'),
    import('../config/function-config.ts'),
  ]);
  const read = parseRepositoryConfig({ file: typed, bytes });
  if (!read.ok) {
    const problems = read.problems.map(({ line, message, hint }) => `${typed}:${line}: ${message} ${hint}`);
    throw new PorticoError('CONFIG_INVALID', `${typed} has mistakes`, { hint: problems.join('\n') });
  }
  const top = repositoryOf(file);
  return {
    guardrails: guardrailsFor(read.config, packagePath(top, directory, read.config.directory)),
    foreign: await loadAllowedFunctions(read.config.functions, (module) =>
      readFile(join(top, module)).catch(() => null),
    ),
  };
}

function repositoryOf(config: string): string {
  const folder = dirname(config);
  return basename(folder) === '.github' ? dirname(folder) : folder;
}

/** The package path that the configuration's globs are about: below the registered directory of the repository. */
function packagePath(repository: string, directory: string, registered: string): string {
  const path = relative(join(repository, registered), resolve(directory)).replaceAll('\\', '/');
  return path === '' ? '.' : path.startsWith('../') ? basename(directory) : path;
}
