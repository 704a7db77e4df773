import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';

import type { ConfigProblem } from '../config/config-problem.ts';
import type { GuardrailConfig } from '../config/repository-config.ts';
import type { ConfigSource } from '../config/repository-document.ts';
import { PorticoError } from '../error.ts';
import type { ForeignFunctions } from '../package/render/function-runtime.ts';
import type { KrmObject } from '../package/render/krm-object.ts';
import type { Guardrail } from '../package/render/render-types.ts';
import type { DeployTool } from '../package/tool-files/deploy-tools.ts';
import type { Call } from './verb.ts';

/** What a configuration says about a package. */
export interface Demands {
  readonly guardrails: readonly Guardrail[];
  /** The package path, by which guardrails know it. */
  readonly path: string;
  /** Names of all guardrails, those for other packages included. */
  readonly names: readonly string[];
  /** Functions that may run beside the built-in ones. */
  readonly foreign: ForeignFunctions;
  /** The tools that apply the package; absent: any. */
  readonly deploy?: readonly DeployTool[];
}

/**
 * What `--config` says about the package in a directory; nothing without it. Modules are read from the directory
 * above `.github`. Throws `CONFIG_INVALID`.
 */
export async function demandsOf(call: Call, directory: string): Promise<Demands> {
  const typed = call.text('config');
  if (typed === undefined) return { guardrails: [], names: [], path: '.', foreign: { allowed: [] } };
  const file = call.path(typed);
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new PorticoError('CONFIG_INVALID', `${typed} cannot be read`, {
      blame: 'user',
      cause,
      hint: "Name the repository's configuration, usually .github/portico.yaml.",
    });
  });
  // Loaded only where a configuration is named: the schema is much of a short run's time.
  const [
    { parseRepositoryConfig },
    { guardrailsFor, regoOf },
    { loadAllowedFunctions },
    { admissionPolicyIn },
    { withDocuments },
    { exemptionsInForce },
  ] = await Promise.all([
    import('../config/parse-repository-config.ts'),
    import('../config/guardrail-config.ts'),
    import('../config/function-config.ts'),
    import('../config/admission-policy.ts'),
    import('../config/read-content.ts'),
    import('../config/exemptions.ts'),
  ]);
  const own = parseRepositoryConfig({ file: typed, bytes });
  const read = withDocuments(own, await documentsBeside(file));
  if (!read.ok) throw mistaken(typed, read.problems);
  const top = repositoryOf(file);
  const { mutators, validators } = read.config.guardrails;
  const path = packagePath(top, directory, read.config.directory);
  const guardrails = await Promise.all(
    guardrailsFor(read.config, path, exemptionsInForce(read.config, new Date())).map(
      async (guardrail): Promise<Guardrail> => {
        if (guardrail.spec.configPath !== undefined)
          return withConfigFile(guardrail, guardrail.spec.configPath, top);
        const entry = [...mutators, ...validators].find(({ name }) => name === guardrail.name);
        if (entry?.crds !== undefined)
          return { ...guardrail, definitions: await definitionsOf(call, top, entry) };
        if (entry?.rego !== undefined) {
          const rego = regoOf(entry, await readFile(join(top, entry.rego)).catch(() => null));
          return { ...guardrail, ...(rego && { rego }) };
        }
        if (entry?.policyPath === undefined) return guardrail;
        const policy = await namedFile(top, entry.policyPath, 'policyPath');
        const found = admissionPolicyIn({ file: entry.policyPath, bytes: policy }, guardrail.type);
        if ('problems' in found) throw mistaken(entry.policyPath, found.problems);
        return { ...guardrail, policy: found.policy, params: [entry.params ?? null] };
      },
    ),
  );
  return {
    guardrails,
    names: [...mutators, ...validators].map(({ name }) => name),
    path,
    ...(read.config.deploy && { deploy: read.config.deploy }),
    foreign: await loadAllowedFunctions(read.config.functions, (module) =>
      readFile(join(top, module)).catch(() => null),
    ),
  };
}

/** A function's configuration is read from the repository, not from the package, as on the base branch. */
async function withConfigFile(guardrail: Guardrail, file: string, top: string): Promise<Guardrail> {
  const { configObject } = await import('../package/render/config-object.ts');
  const { configPath: _configPath, ...spec } = guardrail.spec;
  return { ...guardrail, spec, functionConfig: configObject(file, await namedFile(top, file, 'configPath')) };
}

/** A file that the configuration names. Throws `CONFIG_INVALID` where it is not there. */
async function namedFile(top: string, file: string, field: string): Promise<Uint8Array> {
  return readFile(join(top, file)).catch((cause: unknown) => {
    throw new PorticoError('CONFIG_INVALID', `${file} cannot be read`, {
      blame: 'user',
      cause,
      hint: `Add the file, or fix ${field}, which is relative to the root of the repository.`,
    });
  });
}

/** Definitions in this repository; what the App would read of others is told, and not read. */
async function definitionsOf(
  call: Call,
  top: string,
  { name, crds = [] }: GuardrailConfig,
): Promise<KrmObject[]> {
  const [{ definitionsIn, firstOfEach }, { plainPath }] = await Promise.all([
    import('../package/render/definitions.ts'),
    import('../config/plain-path.ts'),
  ]);
  const found: KrmObject[] = [];
  for (const { repo, path = '' } of crds) {
    if (repo !== undefined) {
      call.terminal.say(
        `guardrail ${name}: definitions in ${repo} are not read on the command line; only the App reads them.`,
      );
      continue;
    }
    const place = join(top, plainPath(path));
    const files = await filesBelow(place);
    if (files === null)
      throw new PorticoError('CONFIG_INVALID', `${path} of guardrail ${name} cannot be read`, {
        blame: 'user',
        hint: 'Paths in crds are relative to the root of the repository.',
      });
    for (const file of files) found.push(...definitionsIn(relative(top, file), await readFile(file)));
  }
  return firstOfEach(found);
}

/** A file itself, or all files below a folder; null where there is neither. */
async function filesBelow(place: string): Promise<string[] | null> {
  const found = await stat(place).catch(() => null);
  if (found === null) return null;
  if (found.isFile()) return [place];
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function mistaken(typed: string, all: readonly ConfigProblem[]): PorticoError {
  const problems = all.map(({ file, line, message, hint }) => `${file}:${line}: ${message} ${hint}`);
  return new PorticoError('CONFIG_INVALID', `${typed} has errors`, {
    blame: 'user',
    hint: problems.join('\n'),
  });
}

/** The YAML files in the folder `portico` beside the configuration: policies, as on the base branch. */
async function documentsBeside(config: string): Promise<ConfigSource[]> {
  const folder = join(dirname(config), 'portico');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name));
  return Promise.all(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map(async (path) => ({ file: relative(dirname(dirname(config)), path), bytes: await readFile(path) })),
  );
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
