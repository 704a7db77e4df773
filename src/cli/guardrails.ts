import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';

import { PorticoError } from '../error.ts';
import type { Guardrail } from '../package/render/render-types.ts';
import type { Call } from './verb.ts';

/** What `--config` demands of the package in a directory; nothing without it. Throws `CONFIG_INVALID`. */
export async function guardrailsOf(call: Call, directory: string): Promise<readonly Guardrail[]> {
  const typed = call.text('config');
  if (typed === undefined) return [];
  const file = call.path(typed);
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new PorticoError('CONFIG_INVALID', `${typed} cannot be read`, {
      cause,
      hint: "Give the repository's configuration, usually .github/portico.yaml.",
    });
  });
  // Loaded only where a configuration is named: the schema is much of a short run's time.
  const [{ parseRepositoryConfig }, { guardrailsFor }] = await Promise.all([
    import('../config/parse-repository-config.ts'),
    import('../config/guardrail-config.ts'),
  ]);
  const read = parseRepositoryConfig({ file: typed, bytes });
  if (!read.ok) {
    const problems = read.problems.map(({ line, message, hint }) => `${typed}:${line}: ${message} ${hint}`);
    throw new PorticoError('CONFIG_INVALID', `${typed} has mistakes`, { hint: problems.join('\n') });
  }
  return guardrailsFor(read.config, packagePath(file, directory, read.config.directory));
}

/** The package path that the configuration's globs are about: below the registered directory of the repository. */
function packagePath(config: string, directory: string, registered: string): string {
  const folder = dirname(config);
  const repository = basename(folder) === '.github' ? dirname(folder) : folder;
  const path = relative(join(repository, registered), resolve(directory)).replaceAll('\\', '/');
  return path === '' ? '.' : path.startsWith('../') ? basename(directory) : path;
}
